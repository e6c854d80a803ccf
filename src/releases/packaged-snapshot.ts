/**
 * Snapshots of the release that ships with the package. Countries are compiled when they are first asked for, by the
 * program's own build, and kept in the user's cache folder:
 *
 *     ~/.cache/postal-places/<version>-<digest>/world.snapshot     all countries
 *                                               FR.snapshot        France alone
 *
 * A file appears there when it is whole, so processes may compile the same at once. Folders of other versions go when
 * nothing has used them for UNUSED_DAYS. In a checkout the starter countries, which a build has compiled, answer in place of
 * the world.
 */

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { ExpectedError, messageOf } from '../base/errors.js';
import { makeFolder } from '../base/make-folder.js';
import { packageVersion } from '../base/package-root.js';
import type { Environment } from '../base/settings.js';
import { ProbeError, SnapshotError } from '../core/snapshot/snapshot-error.js';
import { TERRITORIES } from '../core/use-cases/postcode-rules.js';
import {
  buildPackaged,
  type ProgressMessage,
  packagedCountries,
  packagedDigest,
  packagedRelease,
  smallestPackaged,
  starterSnapshot,
  tryContents,
} from './packaged-release.js';
import { removeUnlessOpen } from './snapshot-folder.js';

/** Maximum number of countries whose codes are the name of their file: a longer name is no name of a file everywhere. */
const MAX_NAMED_COUNTRIES = 40;

/** After how many days without use a folder of the cache goes; that of this version is in use. */
const UNUSED_DAYS = 90;
const DAY_MS = 86_400_000;
/** "<version>-<digest>": anything else in there is not of this file. */
const FOLDER_NAME = /-[0-9a-f]{12}$/;

/** The package came without its release, as in the image, or not all of it is there. */
export class NoPackagedDataError extends ExpectedError {
  override readonly name = 'NoPackagedDataError';
}

export interface PackagedSnapshot {
  readonly path: string;
  /** To be called when the file is open: removes one that only this process finds. */
  release(): void;
  /** Removes a file that is damaged; undefined for one that would not be compiled again. */
  readonly discard?: () => void;
}

/** Is told of a compilation, which takes seconds. */
export interface CompilationListener {
  /** `what` is such as "FR" or "all 117 countries". */
  begin?(what: string): void;
  onProgress?(progress: ProgressMessage): void;
  end?(): void;
  /** Nothing can be kept, and why. */
  warn(message: string): void;
}

export interface PackagedRequest {
  /**
   * Upper-case codes; null for all. Countries that the release lacks are left out; without any others one small country
   * stands for them, whose snapshot can tell that they are missing.
   */
  readonly countries: readonly string[] | null;
  /** Whether a snapshot with more countries will not do. */
  readonly isExact?: boolean;
  readonly stopping?: AbortSignal | undefined;
}

/**
 * Opens a snapshot that has the countries by `open`, which releases it. A file that turns out to be damaged is compiled
 * again, once. Rejects as openPackaged and `open`.
 */
export async function withPackaged<T>(
  request: PackagedRequest,
  listener: CompilationListener,
  open: (packaged: PackagedSnapshot) => T | Promise<T>,
): Promise<T> {
  const packaged = await openPackaged(request, listener);
  try {
    return await open(packaged);
  } catch (error) {
    if (!isDamage(error) || packaged.discard === undefined) throw error;
    try {
      packaged.discard();
    } catch {
      // It can't be replaced: what is wrong with it says more.
      throw error;
    }
  }
  return await open(await openPackaged(request, listener));
}

/** Whether an error comes of a damaged snapshot, and not of a system that is short of something. */
export function isDamage(error: unknown): boolean {
  const { cause } = error as Error;
  return [error, cause].some((one) => {
    return one instanceof ProbeError || (one instanceof SnapshotError && one.code !== 'FILE_UNREADABLE');
  });
}

/** A snapshot that has the countries. Rejects with NoPackagedDataError, and ExpectedError where a build fails. */
async function openPackaged(
  { countries, isExact = false, stopping }: PackagedRequest,
  listener: CompilationListener,
): Promise<PackagedSnapshot> {
  const known = packagedCountries();
  const wanted = countries?.filter((code) => known.includes(code)) ?? [];
  // People look up the codes of a territory in the country of its post.
  const territories = isExact ? [] : wanted.flatMap((code) => TERRITORIES[code] ?? []);
  const compiled = [...wanted, ...territories].filter((code) => known.includes(code));
  const starter = starterSnapshot();
  if (!isExact && has(starter, wanted)) return known.length === 0 ? keep(starter) : keepUntilDamaged(starter);
  if (known.length === 0) {
    throw new NoPackagedDataError(
      `this installation has no data of its own (${packagedRelease()} is missing); name a snapshot`,
    );
  }
  if (compiled.length === 0) compiled.push(smallestPackaged(known));
  const chosen = countries === null ? null : [...new Set(compiled)].sort();
  const cache = cacheFolder(process.env);
  const folder = cache && join(cache, 'postal-places', `${packageVersion()}-${packagedDigest()}`);
  const file = `${nameOf(chosen)}.snapshot`;
  for (const name of isExact ? [file] : ['world.snapshot', file]) {
    const path = folder && join(folder, name);
    if (path !== undefined && has(path, chosen ?? [])) return keepInCache(path);
  }
  // The one that stands for others takes a moment, and nobody asked for it.
  if (countries === null) listener.begin?.(`all ${known.length} countries`);
  else if (wanted.length > 0) listener.begin?.(wanted.join(', '));
  try {
    return await compile(folder, file, chosen, listener, stopping);
  } finally {
    listener.end?.();
  }
}

/** Whether the file is there, can be opened, and has the countries: any other is compiled anew. */
function has(path: string, countries: readonly string[]): boolean {
  const found = tryContents(path);
  if (found === undefined) return false;
  const covered = found.manifest.countries.flatMap(({ code, slices }) => (slices.length > 0 ? [code] : []));
  return countries.every((code) => covered.includes(code));
}

function nameOf(countries: readonly string[] | null): string {
  if (countries === null) return 'world';
  if (countries.length <= MAX_NAMED_COUNTRIES) return countries.join('-');
  return createHash('sha256').update(countries.join()).digest('hex').slice(0, 16);
}

function keep(path: string): PackagedSnapshot {
  return { path, release() {} };
}

function keepUntilDamaged(path: string): PackagedSnapshot {
  return { ...keep(path), discard: () => rmSync(path, { force: true }) };
}

function keepInCache(path: string): PackagedSnapshot {
  noteUse(dirname(path));
  return keepUntilDamaged(path);
}

/** The time of a folder's last change tells when it was used. */
function noteUse(folder: string): void {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // The disk only reads, or the folder is another user's, whose own uses count.
  }
}

/** Removes the folders of other versions whose files nothing has opened for long, nor has open now. */
function removeUnused(cache: string): void {
  const since = Date.now() - UNUSED_DAYS * DAY_MS;
  for (const name of readdirSync(cache).filter((name) => FOLDER_NAME.test(name))) {
    const folder = join(cache, name);
    try {
      if (statSync(folder).mtimeMs >= since) continue;
      const files = readdirSync(folder).map((file) => join(folder, file));
      if (files.every((file) => removeUnlessOpen(file) === 'removed')) rmdirSync(folder);
    } catch {
      // Another process removes it, or it is another user's: no answer needs its end.
    }
  }
}

/** `folder` is undefined where the user has no cache. */
async function compile(
  folder: string | undefined,
  name: string,
  countries: readonly string[] | null,
  listener: CompilationListener,
  stopping: AbortSignal | undefined,
): Promise<PackagedSnapshot> {
  const build = async (path: string): Promise<void> => {
    const onProgress = (progress: ProgressMessage): void => listener.onProgress?.(progress);
    await buildPackaged(path, countries, { stopping, onProgress });
  };
  const reason = await tryKeeping(folder, async (folder) => await build(join(folder, name)));
  if (reason === undefined) return keepInCache(join(folder as string, name));
  const temporary = makeTemporaryFolder();
  const path = join(temporary, name);
  const release = (): void => {
    process.off('exit', release);
    rmSync(temporary, { recursive: true, force: true });
  };
  process.once('exit', release);
  try {
    await build(path);
  } catch (error) {
    release();
    throw error;
  }
  listener.warn(`what was compiled can't be kept for the next time: ${reason}; XDG_CACHE_HOME names another folder`);
  return { path, release };
}

/** Why nothing can be kept in the folder, which it makes; undefined once `build` has written there. Rejects as `build`. */
async function tryKeeping(
  folder: string | undefined,
  build: (folder: string) => Promise<void>,
): Promise<string | undefined> {
  if (folder === undefined) return 'the user has no home folder';
  try {
    makeFolder(folder);
    rmSync(mkdtempSync(join(folder, '.probe-')), { recursive: true });
    // The probe is a use of this folder.
    removeUnused(dirname(folder));
  } catch (error) {
    return messageOf(error);
  }
  try {
    await build(folder);
    return undefined;
  } catch (error) {
    if (/ENOSPC|EDQUOT/.test(messageOf(error))) return messageOf(error);
    throw error;
  }
}

/** In the system's temporary folder, or in memory. Throws ExpectedError where neither can be written. */
function makeTemporaryFolder(): string {
  const reasons: string[] = [];
  for (const folder of [tmpdir(), '/dev/shm']) {
    try {
      return mkdtempSync(join(folder, 'postal-places-'));
    } catch (error) {
      reasons.push(messageOf(error));
    }
  }
  throw new ExpectedError(`there is no folder to compile in: ${reasons.join('; ')}`);
}

/**
 * Of the user, as the system's own programs choose it: https://specifications.freedesktop.org/basedir-spec/. Undefined for
 * a user without a home.
 */
function cacheFolder({ XDG_CACHE_HOME, LOCALAPPDATA }: Environment): string | undefined {
  if (XDG_CACHE_HOME !== undefined && isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  const home = homeFolder();
  if (home === undefined) return undefined;
  if (process.platform === 'win32') return LOCALAPPDATA ?? join(home, 'AppData', 'Local');
  return join(home, ...(process.platform === 'darwin' ? ['Library', 'Caches'] : ['.cache']));
}

function homeFolder(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    // The system does not know the user, as in some containers.
    return undefined;
  }
}
