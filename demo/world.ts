/**
 * The world on the first start. Where SNAPSHOT is not set, API and site follow a folder of published snapshots: the
 * starter countries are in service at once, while commands of the program compile the world with low priority and
 * publish it into the folder. A later start serves the world at once. The release's name has the digest of what the
 * world is made of: another digest is compiled anew, and the world before stays in service meanwhile.
 *
 * A start that is killed leaves a partial file, which the next one removes, or a whole file that is not in service yet,
 * which the next start publishes. A world that is damaged is compiled again.
 */

import { chmodSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ExpectedError, messageOf } from '../src/base/errors.js';
import { makeFolder } from '../src/base/make-folder.js';
import { listSnapshots, publishedName, readCurrent } from '../src/releases/find-snapshot.js';
import { checkSnapshotHere } from '../src/releases/integrity-check.js';
import {
  buildPackaged,
  type CommandOptions,
  runCommand,
  STARTER_COUNTRIES,
  STARTER_RELEASE,
  tryContents,
  worldRelease,
} from '../src/releases/packaged-release.js';
import { isDamage, type PackagedSnapshot, withPackaged } from '../src/releases/packaged-snapshot.js';
import { createPartial, removeStalePartials } from '../src/releases/partial-file.js';
import { withFolderLocked } from '../src/releases/snapshot-folder.js';

/** The folder that API and site follow, from the working directory. */
const FOLDER = 'var/places';
/** What a build writes before its id, and so its published name, is known. */
const UNNAMED = 'world';

export interface PlacesFolder {
  readonly path: string;
  /** The name of the world's release. */
  readonly release: string;
}

/** Nothing can be published in the folder. */
export class NoPlacesError extends ExpectedError {}

/**
 * The folder, with a snapshot in service that this program can open. Rejects with NoPlacesError, with ExpectedError where
 * the starter countries can't be compiled, and with the reason of `stopping`.
 */
export async function preparePlaces(stopping: AbortSignal): Promise<PlacesFolder> {
  const path = resolve(FOLDER);
  try {
    makeFolder(path);
  } catch (error) {
    throw new NoPlacesError(messageOf(error));
  }
  const current = readCurrent(path);
  const served = current && tryContents(join(path, current))?.manifest.release;
  if (served === undefined || served === STARTER_RELEASE) await publishStarter(path, stopping);
  return { path, release: worldRelease() };
}

/** Opens the starter countries, or the world where it has been compiled for a command. */
export async function withStarter<T>(
  stopping: AbortSignal,
  open: (starter: PackagedSnapshot) => Promise<T>,
): Promise<T> {
  const tell = (message: string): void => void process.stdout.write(`${message}\n`);
  const listener = { begin: (what: string) => tell(`Compiling ${what} …`), warn: tell };
  return await withPackaged({ countries: STARTER_COUNTRIES, stopping }, listener, open);
}

/** Puts the starter countries in service. Rejects as `preparePlaces`. */
export async function publishStarter(folder: string, stopping: AbortSignal): Promise<void> {
  await withStarter(stopping, async ({ path, release }) => {
    try {
      await publish(path, folder, { stopping });
    } catch (error) {
      stopping.throwIfAborted();
      // Damage ends this with an error that has it compiled again.
      await checkSnapshotHere(path);
      throw new NoPlacesError(messageOf(error));
    } finally {
      release();
    }
  });
}

/** Compiles the world, and puts it in service. Rejects with what `runCommand` and node:fs reject with. */
export async function bringWorld(folder: PlacesFolder, options: CommandOptions): Promise<void> {
  removeStalePartials(folder.path, (name) => name === UNNAMED);
  const file = (await findWorld(folder)) ?? (await compileWorld(folder, options));
  await publish(file, folder.path, options);
}

/** The path of a whole file that is not in service yet. Removes a damaged one. */
async function findWorld({ path, release }: PlacesFolder): Promise<string | undefined> {
  const left = listSnapshots(path).find((file) => file.release === release);
  if (left === undefined) return undefined;
  const file = join(path, left.name);
  try {
    await checkSnapshotHere(file);
    return file;
  } catch (error) {
    if (!isDamage(error)) throw error;
    await withFolderLocked(path, () => rmSync(file, { force: true }));
    return undefined;
  }
}

/** The path of the file, under the name that `publish` gives it: so `publish` checks it there, and copies nothing. */
async function compileWorld({ path: folder, release }: PlacesFolder, options: CommandOptions): Promise<string> {
  // Of this process alone, and removed by the next start where this process is killed.
  const partial = createPartial(join(folder, UNNAMED));
  try {
    mkdirSync(partial.scratchFolder);
    const out = join(partial.scratchFolder, UNNAMED);
    await buildPackaged(out, null, options);
    // What a build has just written can be opened.
    const { id } = tryContents(out) as NonNullable<ReturnType<typeof tryContents>>;
    const path = join(folder, publishedName({ release, id }) as string);
    // As published files are.
    chmodSync(out, 0o444);
    renameSync(out, path);
    return path;
  } finally {
    partial.discard();
  }
}

async function publish(file: string, folder: string, options: CommandOptions): Promise<void> {
  // From the starter countries to the world nearly every place would be a change.
  await runCommand(['publish', file, '--to', folder, '--no-changes', '--json'], options);
}
