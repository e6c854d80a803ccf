/**
 * The release that ships with the package, data/starter, and the program's own `build` as a process that compiles it. The
 * programs answer from it where SNAPSHOT names nothing.
 */

import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, fstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { ExpectedError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { packageRoot, packageVersion, programFile } from '../base/package-root.js';
import { NEWEST_VERSION } from '../core/snapshot/sections.js';
import { SnapshotError } from '../core/snapshot/snapshot-error.js';
import { readBytes, readContents, withFile } from '../core/snapshot/snapshot-file.js';

/** The release name of its starter countries. */
export const STARTER_RELEASE = 'starter';

/** What is compiled before the world is: the United States, Germany and countries that take little time. */
export const STARTER_COUNTRIES: readonly string[] = [
  ...['AD', 'BE', 'CA', 'CH', 'DE', 'FO', 'IE', 'IS', 'LI', 'LU', 'MC', 'NL', 'PR', 'US'],
];

/** Where the site listens by default: the `url` fields point there. */
export const PACKAGED_SITE_URL = 'http://127.0.0.1:3001';

/** The release name of the world. */
export function worldRelease(): string {
  return `world-${packagedDigest()}`;
}

export function packagedRelease(root = packageRoot()): string {
  return join(root, 'data', 'starter');
}

/** The file of the starter countries, which `npm run build` compiles in a checkout. */
export function starterSnapshot(root = packageRoot()): string {
  return join(root, 'data', 'starter.snapshot');
}

/** The codes of the countries that the package has; empty where it came without its release, as in the image. */
export function packagedCountries(root = packageRoot()): string[] {
  const release = packagedRelease(root);
  if (!existsSync(release)) return [];
  return readdirSync(release).flatMap((name) => /^([A-Z]{2})\.zip$/.exec(name)?.slice(1) ?? []);
}

/** The code of that country of `codes` whose rows take least. */
export function smallestPackaged(codes: readonly string[], root = packageRoot()): string {
  const bytesOf = (code: string): number => statSync(join(packagedRelease(root), `${code}.zip`)).size;
  return codes.reduce((least, code) => (bytesOf(code) < bytesOf(least) ? code : least));
}

/** Logs that the package's own data are served, if SNAPSHOT names no source. */
export function tellPackagedData(source: string | null, logger: Logger): void {
  if (source !== null) return;
  logger.info({}, 'SNAPSHOT is not set: these are data of the package; docs/building.md tells how to get newer ones');
}

/**
 * Names what a build of the release gives: 12 hexadecimal digits of the tables that a build reads, of the program's version
 * and of the format of snapshots; in a checkout also of what the builder makes of the starter countries. A zip's directory,
 * at its end, has the checksum of its table: so a command asks this at each call.
 */
export function packagedDigest(root = packageRoot()): string {
  const hash = createHash('sha256').update(`${packageVersion()} ${NEWEST_VERSION} ${PACKAGED_SITE_URL}`);
  hash.update(tryContents(starterSnapshot(root))?.id ?? '');
  const tables = readdirSync(join(root, 'data')).filter((name) => name.endsWith('.tsv') && name !== 'outlines.tsv');
  const files = readdirSync(packagedRelease(root)).map((name) => join('starter', name));
  for (const name of [...tables, ...files].sort()) hash.update(name).update(readToName(join(root, 'data', name)));
  return hash.digest('hex').slice(0, 12);
}

/** What a snapshot file says of itself; undefined where it can't be read, is damaged or has another format. */
export function tryContents(path: string): ReturnType<typeof readContents> | undefined {
  try {
    return withFile(path, readContents);
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

/** Length of the end of a zip with one file, in bytes: more than its directory takes. */
const ZIP_END_BYTES = 512;

/** The bytes of a table that tell it from another one. */
function readToName(path: string): Buffer {
  if (!path.endsWith('.zip')) return readFileSync(path);
  return withFile(path, (fd) => {
    const { size } = fstatSync(fd);
    const length = Math.min(size, ZIP_END_BYTES);
    return Buffer.from(readBytes(fd, size - length, length));
  });
}

/** Set for a build that `buildPackaged` runs. */
const OWN_COMMAND_VARIABLE = 'POSTAL_PLACES_OWN_COMMAND';

/** Whether this process is a build that `buildPackaged` runs. */
export function isOwnCommand(): boolean {
  return process.send !== undefined && process.env[OWN_COMMAND_VARIABLE] !== undefined;
}

export interface BuildOptions {
  /** Ends the build. */
  readonly stopping?: AbortSignal | undefined;
  /** Leaves the processors to everything else. */
  readonly isLowPriority?: boolean;
}

/**
 * Compiles the countries of the release, or all of them for null, to `out`, in a process that ends with this one. Rejects
 * with ExpectedError, whose message is that of `build`, and with the reason of `stopping`.
 */
export async function buildPackaged(
  out: string,
  countries: readonly string[] | null,
  { stopping, isLowPriority = false }: BuildOptions,
): Promise<void> {
  stopping?.throwIfAborted();
  const chosen = countries === null ? ['--release-name', worldRelease()] : ['--countries', countries.join()];
  const args = ['build', packagedRelease(), '--out', out, ...chosen, '--site-url', PACKAGED_SITE_URL, '--json'];
  // No options of this process: those of an evaluated script would not fit.
  const child = fork(programFile('cli/main.js'), args, {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, [OWN_COMMAND_VARIABLE]: 'yes' },
  });
  const stop = (): void => void child.kill();
  stopping?.addEventListener('abort', stop);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  try {
    if (isLowPriority && child.pid !== undefined) yieldToOthers(child.pid);
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    stopping?.throwIfAborted();
    if (code !== 0) throw new ExpectedError(signal === null ? lastLineOf(stderr) : describeKilled(signal));
  } finally {
    stopping?.removeEventListener('abort', stop);
  }
}

function yieldToOthers(pid: number): void {
  try {
    // The threads that it starts have its priority. With the lowest one it would come to nothing beside busy programs.
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
    // Where memory is short, Linux ends this process, and none that serves.
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // It has ended, and its end says why; or the system refuses, and it runs as every process.
  }
}

function describeKilled(signal: NodeJS.Signals): string {
  const isShort = ['SIGKILL', 'SIGABRT'].includes(signal);
  return `it was ended by ${signal}${isShort ? ', as happens where memory is short' : ''}`;
}

/** The message that a failed command ends with. */
function lastLineOf(stderr: string): string {
  const lines = stderr.trimEnd().split('\n');
  return (lines.findLast((line) => line.startsWith('postal-places: ')) ?? lines.at(-1) ?? '').replace(/^\S+: /, '');
}
