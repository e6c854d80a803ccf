/**
 * Snapshots of the release that ships with the package. Countries are compiled when they are first asked for, by the
 * program's own build, and kept in the user's cache folder:
 *
 *     ~/.cache/postal-places/<version>-<digest>/world.snapshot     all countries
 *                                               FR.snapshot        France alone
 *
 * A file appears there when it is whole, so processes may compile the same at once. Folders of other versions stay as they
 * are. In a checkout the starter countries, which a build has compiled, answer in place of the world.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { ExpectedError, messageOf } from '../base/errors.js';
import { packageVersion } from '../base/package-root.js';
import type { Environment } from '../base/settings.js';
import { SnapshotError } from '../core/snapshot/snapshot-error.js';
import { readContents, withFile } from '../core/snapshot/snapshot-file.js';
import {
  PACKAGED_SITE_URL,
  type ProgressMessage,
  packagedCountries,
  packagedDigest,
  packagedRelease,
  runCommand,
  starterSnapshot,
} from './packaged-release.js';

/** Maximum number of countries whose codes are the name of their file: a longer name is no name of a file everywhere. */
const MAX_NAMED_COUNTRIES = 40;

/** The package came without its release, as in the image, or not all of it is there. */
export class NoPackagedDataError extends ExpectedError {
  override readonly name = 'NoPackagedDataError';
}

export interface PackagedSnapshot {
  readonly path: string;
  /** To be called when the file is open: removes one that only this process finds. */
  release(): void;
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
  /** Upper-case codes; null for all. Countries that the release lacks are left out; without any others all are meant. */
  readonly countries: readonly string[] | null;
  /** Whether a snapshot with more countries will not do. */
  readonly isExact?: boolean;
  readonly stopping?: AbortSignal | undefined;
}

/** A snapshot that has the countries. Rejects with NoPackagedDataError, and ExpectedError where a build fails. */
export async function openPackaged(
  { countries, isExact = false, stopping }: PackagedRequest,
  listener: CompilationListener,
): Promise<PackagedSnapshot> {
  const known = packagedCountries();
  const wanted = countries?.filter((code) => known.includes(code)) ?? [];
  const chosen = wanted.length === 0 ? null : [...new Set(wanted)].sort();
  const starter = starterSnapshot();
  if (!isExact && has(starter, chosen ?? [])) return keep(starter);
  if (known.length === 0) {
    throw new NoPackagedDataError(
      `this installation has no data of its own (${packagedRelease()} is missing); name a snapshot`,
    );
  }
  const folder = join(cacheFolder(process.env), 'postal-places', `${packageVersion()}-${packagedDigest()}`);
  const file = `${nameOf(chosen)}.snapshot`;
  for (const name of isExact ? [file] : ['world.snapshot', file]) {
    if (has(join(folder, name), chosen ?? [])) return keep(join(folder, name));
  }
  listener.begin?.(chosen?.join(', ') ?? `all ${known.length} countries`);
  try {
    return await compile(join(folder, file), chosen, listener, stopping);
  } finally {
    listener.end?.();
  }
}

/** Whether the file is there, can be opened, and has the countries. */
function has(path: string, countries: readonly string[]): boolean {
  if (!existsSync(path)) return false;
  try {
    const { manifest } = withFile(path, readContents);
    const covered = manifest.countries.flatMap(({ code, slices }) => (slices.length > 0 ? [code] : []));
    return countries.every((code) => covered.includes(code));
  } catch (error) {
    // A damaged file, or one of another format, is compiled anew.
    if (error instanceof SnapshotError) return false;
    throw error;
  }
}

function nameOf(countries: readonly string[] | null): string {
  if (countries === null) return 'world';
  if (countries.length <= MAX_NAMED_COUNTRIES) return countries.join('-');
  return createHash('sha256').update(countries.join()).digest('hex').slice(0, 16);
}

function keep(path: string): PackagedSnapshot {
  return { path, release() {} };
}

async function compile(
  kept: string,
  countries: readonly string[] | null,
  listener: CompilationListener,
  stopping: AbortSignal | undefined,
): Promise<PackagedSnapshot> {
  const chosen = countries === null ? [] : ['--countries', countries.join()];
  const build = async (path: string): Promise<void> => {
    const names = ['--site-url', PACKAGED_SITE_URL, '--json'];
    const onProgress = (progress: ProgressMessage): void => listener.onProgress?.(progress);
    await runCommand(['build', packagedRelease(), '--out', path, ...chosen, ...names], { stopping, onProgress });
  };
  const reason = whyUnwritable(dirname(kept));
  if (reason === undefined) {
    await build(kept);
    return keep(kept);
  }
  const temporary = makeTemporaryFolder();
  const path = join(temporary, basename(kept));
  const release = (): void => rmSync(temporary, { recursive: true, force: true });
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

/** Undefined where files can be written; makes the folder. */
function whyUnwritable(folder: string): string | undefined {
  try {
    mkdirSync(folder, { recursive: true });
    rmSync(mkdtempSync(join(folder, '.probe-')), { recursive: true });
    return undefined;
  } catch (error) {
    return messageOf(error);
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

/** Of the user, as the system's own programs choose it: https://specifications.freedesktop.org/basedir-spec/ */
function cacheFolder({ XDG_CACHE_HOME, LOCALAPPDATA }: Environment): string {
  if (XDG_CACHE_HOME !== undefined && isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  if (process.platform === 'win32') return LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local');
  return join(homedir(), ...(process.platform === 'darwin' ? ['Library', 'Caches'] : ['.cache']));
}
