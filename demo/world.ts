/**
 * The world on the first start. Where SNAPSHOT is not set, API and site follow a folder of published snapshots: the
 * starter countries are in service at once, while commands of the program compile the world with low priority and
 * publish it into the folder. A later start serves the world at once. The release's name has the digest of what the
 * world is made of: another digest is compiled anew, and the world before stays in service meanwhile.
 *
 * A start that is killed leaves a partial file, which the next build removes, or a whole file that is not in service yet,
 * which the next start publishes.
 */

import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SnapshotError } from '../src/core/snapshot/snapshot-error.js';
import { readContents, withFile } from '../src/core/snapshot/snapshot-file.js';
import { listSnapshots, publishedName, readCurrent } from '../src/releases/find-snapshot.js';
import {
  type CommandOptions,
  PACKAGED_SITE_URL,
  packagedDigest,
  packagedRelease,
  runCommand,
  STARTER_COUNTRIES,
  STARTER_RELEASE,
} from '../src/releases/packaged-release.js';
import { openPackaged } from '../src/releases/packaged-snapshot.js';
import { pruneSnapshots } from '../src/releases/snapshot-folder.js';

/** The folder that API and site follow, from the working directory. */
const FOLDER = 'var/places';
/** What a build writes before its id, and so its published name, is known. */
const UNNAMED = 'next.snapshot';

export interface PlacesFolder {
  readonly path: string;
  /** The name of the world's release. */
  readonly release: string;
  /** Whether that release is in service. */
  readonly isWhole: boolean;
}

/**
 * The folder, with a snapshot in service that this program can open. Rejects where nothing can be published there, and
 * with the reason of `stopping`.
 */
export async function preparePlaces(stopping: AbortSignal): Promise<PlacesFolder> {
  const path = resolve(FOLDER);
  const release = `world-${packagedDigest()}`;
  mkdirSync(path, { recursive: true });
  const served = readServedRelease(path);
  const isWhole = served === release;
  if (isWhole) await pruneSnapshots(path, 1);
  else if (served === undefined || served === STARTER_RELEASE) await publishStarter(path, stopping);
  return { path, release, isWhole };
}

async function publishStarter(folder: string, stopping: AbortSignal): Promise<void> {
  const tell = (message: string): void => void process.stdout.write(`${message}\n`);
  const starter = await openPackaged(
    { countries: STARTER_COUNTRIES, stopping },
    { begin: (what) => tell(`Compiling ${what} …`), warn: tell },
  );
  try {
    await publish(starter.path, folder, { stopping });
  } finally {
    starter.release();
  }
}

/** Undefined where nothing is in service, or a snapshot of another format. */
function readServedRelease(folder: string): string | undefined {
  const current = readCurrent(folder);
  if (current === undefined) return undefined;
  try {
    return withFile(join(folder, current), readContents).manifest.release;
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

/** Compiles the world, and puts it in service. Rejects with what `runCommand` and node:fs reject with. */
export async function bringWorld({ path, release }: PlacesFolder, options: CommandOptions): Promise<void> {
  const left = listSnapshots(path).find((file) => file.release === release);
  if (left !== undefined) {
    const file = join(path, left.name);
    try {
      return await publish(file, path, options);
    } catch {
      options.stopping?.throwIfAborted();
      // Damaged since it was written; any other reason is that of the next publication too.
      rmSync(file);
    }
  }
  await publish(await compileWorld(path, release, options), path, options);
}

/** The path of the file, under the name that `publish` gives it: so `publish` checks it there, and copies nothing. */
async function compileWorld(folder: string, release: string, options: CommandOptions): Promise<string> {
  const out = join(folder, UNNAMED);
  const names = ['--release-name', release, '--site-url', PACKAGED_SITE_URL, '--json'];
  await runCommand(['build', packagedRelease(), '--out', out, ...names], options);
  const { id } = withFile(out, readContents);
  const path = join(folder, publishedName({ release, id }) as string);
  renameSync(out, path);
  return path;
}

async function publish(file: string, folder: string, options: CommandOptions): Promise<void> {
  // From the starter countries to the world nearly every place would be a change.
  await runCommand(['publish', file, '--to', folder, '--no-changes', '--json'], options);
}
