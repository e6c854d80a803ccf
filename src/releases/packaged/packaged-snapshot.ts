/**
 * Snapshots of the release that ships with the package. Countries are compiled when they are first asked for, by the
 * program's own build, and kept in the user's cache folder:
 *
 *     ~/.cache/postal-places/<version>-<digest>/world.snapshot     all countries
 *                                               FR.snapshot        France alone
 *
 * Only what nobody but this user may write is used or changed there: others could put a snapshot or a link of theirs in
 * its place. A file appears when it is whole, so processes may compile the same at once. A compilation removes what other
 * versions left. In a checkout the starter countries, which a build has compiled, answer until the world is compiled.
 */

import { accessSync, constants, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { ExpectedError, errorMessageOf } from '../../base/errors.js';
import { makeFolder, makeTemporaryFolder } from '../../base/make-folder.js';
import { findForeignAccess } from '../../base/own-file.js';
import { packageVersion } from '../../base/package-root.js';
import type { Environment } from '../../base/settings.js';
import { TERRITORIES } from '../../core/lookup/national-postcodes.js';
import { DamagedSnapshotError } from '../../core/snapshot/snapshot-error.js';
import { isAnswerFailedOnPurpose } from '../checking/failed-answer.js';
import { findIntegrityDamage } from '../checking/integrity-check.js';
import { findSnapshot } from '../folder/find-snapshot.js';
import { type PinnedSnapshot, pinSnapshot } from '../folder/pinned-snapshot.js';
import { type BuildOptions, buildPackaged } from './build-packaged.js';
import {
  packagedCountries,
  packagedDigest,
  packagedRelease,
  packagedStarterFile,
  smallestPackaged,
  tryContents,
} from './packaged-release.js';

/** Maximum number of countries that have a file of their own: it is named by their codes, in fewer than 255 bytes. */
export const MAX_NAMED_COUNTRIES = 70;

/** "<version>-<digest>", the name of a folder of this file; anything else beside it is not. */
const FOLDER_NAME = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?-[0-9a-f]{12}$/;

/** The package came without its release, as in the image, or not all of it is there. */
export class NoPackagedDataError extends ExpectedError {
  override readonly name = 'NoPackagedDataError';
}

/** Is told of a compilation, which takes seconds. */
export interface CompilationListener {
  /** `what` is such as "FR" or "all 118 countries". */
  begin?(what: string): void;
  end?(): void;
  /** A damaged file is compiled again; or nothing can be kept, and why. */
  warn(message: string): void;
}

export interface PackagedRequest extends BuildOptions {
  /**
   * Upper-case codes; null for all. Countries that the release lacks are left out; where it lacks all of them, the
   * smallest country is compiled, whose snapshot still knows the names of the countries that are missing.
   */
  readonly countries: readonly string[] | null;
  /** Whether a snapshot with more countries will not do. At most MAX_NAMED_COUNTRIES may be asked for so. */
  readonly isExact?: boolean;
  /** Whether `answer` may be called again; false once a part of its output is written. */
  readonly isRepeatable?: (() => boolean) | undefined;
}

/**
 * Calls `answer` with the path of a snapshot that has the countries; the file stays as long as the process. Where `answer`
 * fails, and the file does not match its checksums, the file is removed, and `answer` called once more with a file that is
 * compiled anew. Rejects with NoPackagedDataError, DamagedSnapshotError, ExpectedError where a build fails, and as `answer`.
 */
export async function withPackagedSnapshot<T>(
  request: PackagedRequest,
  listener: CompilationListener,
  answer: (path: string) => T | Promise<T>,
): Promise<T> {
  const { stopping, isRepeatable = () => true } = request;
  for (let isFirst = true; ; isFirst = false) {
    const path = await providePackaged(request, listener);
    // Another process may find the damage too, and put a whole file in place of this one.
    const pinned = pinSnapshot(findSnapshot(path));
    try {
      return await answer(path);
    } catch (error) {
      const damage =
        stopping?.aborted || isAnswerFailedOnPurpose(error) ? undefined : findIntegrityDamage(pinned.openPath);
      if (damage === undefined) throw error;
      if (!isFirst || !tryDiscardPackagedSnapshot(pinned)) throw new DamagedSnapshotError(path, damage);
      if (!isRepeatable()) throw new ExpectedError(`${path} was damaged, and is removed: run the command again`);
      listener.warn(`${path} was damaged, and is compiled again`);
    } finally {
      pinned.release();
    }
  }
}

/** Removes a file that is compiled again; false where it would not be, or can't be removed. */
export function tryDiscardPackagedSnapshot({ path, openPath }: Pick<PinnedSnapshot, 'path' | 'openPath'>): boolean {
  if (packagedCountries().length === 0) return false;
  try {
    if (statSync(path, { throwIfNoEntry: false })?.ino === statSync(openPath).ino) rmSync(path);
    return true;
  } catch {
    // The package's folder is another user's: the caller tells of the damage.
    return false;
  }
}

/** The path of a snapshot with the countries: the world, the starter countries of a checkout, or a file of their own. */
async function providePackaged(request: PackagedRequest, listener: CompilationListener): Promise<string> {
  const { countries, isExact = false } = request;
  const known = packagedCountries();
  const wanted = countries?.filter((code) => known.includes(code)) ?? [];
  const starter = packagedStarterFile();
  if (known.length === 0) {
    if (!isExact && has(starter, [])) return starter;
    throw new NoPackagedDataError(
      `this installation has no data of its own (${packagedRelease()} is missing); name a snapshot`,
    );
  }
  const chosen = countries === null ? null : chooseCountries(wanted, known, isExact);
  const name = nameOf(chosen);
  const cache = findCache();
  const keptAs = (file: string): string[] =>
    [cache.folder, temporaryFolder].flatMap((folder) => (folder === undefined ? [] : [join(folder, file)]));
  const found = [...(isExact ? [] : [...keptAs(nameOf(null)), starter]), ...keptAs(name)].find(
    (path) => (path === starter || findForeignAccess(path) === undefined) && has(path, wanted),
  );
  if (found !== undefined) return found;
  // The smallest country takes a moment, and nobody asked for it.
  if (chosen === null) listener.begin?.(`all ${known.length} countries`);
  else if (wanted.length > 0) listener.begin?.(wanted.join(', '));
  try {
    return await compile(cache, name, chosen, request, listener);
  } finally {
    listener.end?.();
  }
}

/** What is compiled for these countries; null for all. */
function chooseCountries(
  wanted: readonly string[],
  known: readonly string[],
  isExact: boolean,
): readonly string[] | null {
  if (wanted.length === 0) return [smallestPackaged(known)];
  // People look up the codes of a territory in the country of its post.
  const territories = isExact ? [] : wanted.flatMap((code) => TERRITORIES[code] ?? []);
  const chosen = new Set([...wanted, ...territories.filter((code) => known.includes(code))]);
  return chosen.size > MAX_NAMED_COUNTRIES ? null : [...chosen].sort();
}

function nameOf(countries: readonly string[] | null): string {
  return `${countries === null ? 'world' : countries.join('-')}.snapshot`;
}

/** Whether the file is there, can be opened, and has the countries: any other is compiled anew. */
function has(path: string, countries: readonly string[]): boolean {
  const found = tryContents(path);
  if (found === undefined) return false;
  const covered = found.manifest.countries.flatMap(({ code, slices }) => (slices.length > 0 ? [code] : []));
  return countries.every((code) => covered.includes(code));
}

/** Where this process finds again what can't be kept for the next one. */
let temporaryFolder: string | undefined;

/** The folder of this version in the user's cache, which may not be there yet, or why none is used. */
interface Cache {
  readonly folder?: string;
  readonly problem?: string;
}

function findCache(): Cache {
  const cache = cacheFolder(process.env);
  if (cache === undefined) return { problem: 'the user has no home folder' };
  const folder = join(cache, 'postal-places', `${packageVersion()}-${packagedDigest()}`);
  const problem = findForeignAccess(dirname(folder)) ?? findForeignAccess(folder);
  return problem === undefined ? { folder } : { problem };
}

async function compile(
  { folder, problem: cacheProblem }: Cache,
  name: string,
  countries: readonly string[] | null,
  options: BuildOptions,
  listener: CompilationListener,
): Promise<string> {
  let problem = folder === undefined ? cacheProblem : prepareFolder(folder, name);
  if (folder !== undefined && problem === undefined) {
    const path = join(folder, name);
    try {
      await buildPackaged(path, countries, options);
      return path;
    } catch (error) {
      problem = errorMessageOf(error);
      if (!/ENOSPC|EDQUOT/.test(problem)) throw error;
    }
  }
  temporaryFolder ??= makeTemporaryFolder();
  const path = join(temporaryFolder, name);
  await buildPackaged(path, countries, options);
  listener.warn(`what was compiled can't be kept for the next time: ${problem}; set XDG_CACHE_HOME to another folder`);
  return path;
}

/** Makes the folder for a file, and removes what is in its way and what other versions left. Returns why that failed. */
function prepareFolder(folder: string, name: string): string | undefined {
  const root = dirname(folder);
  try {
    makeFolder(folder, 0o700);
    accessSync(folder, constants.W_OK);
    const problem = findForeignAccess(root) ?? findForeignAccess(folder);
    if (problem !== undefined) return problem;
    // A build replaces a file, and nothing else.
    if (lstatSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === false) {
      rmSync(join(folder, name), { recursive: true });
    }
  } catch (error) {
    return errorMessageOf(error);
  }
  removeOthers(root, basename(folder));
  return undefined;
}

function removeOthers(root: string, own: string): void {
  const others = readdirSync(root, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && FOLDER_NAME.test(entry.name) && entry.name !== own,
  );
  for (const { name } of others) {
    try {
      rmSync(join(root, name), { recursive: true, force: true });
    } catch {
      // Another process removes it too, or Windows keeps a file that is open: the next compilation removes the rest.
    }
  }
}

/**
 * Of the user, as the system's own programs choose it: https://specifications.freedesktop.org/basedir-spec/. Undefined for
 * a user without a home.
 */
function cacheFolder({ XDG_CACHE_HOME, LOCALAPPDATA }: Environment): string | undefined {
  if (XDG_CACHE_HOME !== undefined && isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  try {
    const home = homedir();
    if (!isAbsolute(home)) return undefined;
    if (process.platform === 'win32') return LOCALAPPDATA ?? join(home, 'AppData', 'Local');
    return join(home, ...(process.platform === 'darwin' ? ['Library', 'Caches'] : ['.cache']));
  } catch {
    // The system does not know the user, as in some containers.
    return undefined;
  }
}
