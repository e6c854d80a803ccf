/** The release that ships with the package, data/starter, from which programs answer where SNAPSHOT names nothing. */

import { createHash } from 'node:crypto';
import { existsSync, fstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../base/logger.js';
import { packageProgramPath, packageRoot, packageVersion } from '../../base/package-root.js';
import { FORMAT_VERSION } from '../../core/snapshot/sections.js';
import { SnapshotError } from '../../core/snapshot/snapshot-error.js';
import { readFileBytes, readSnapshotContents, withFile } from '../../core/snapshot/snapshot-file.js';

/** The release name of its starter countries. */
export const STARTER_RELEASE = 'starter';

/** What `start` compiles before it answers: Germany, of which it prints a call, and countries that take no time. */
export const FIRST_COUNTRIES: readonly string[] = ['DE', 'IS', 'LI'];

/** What `npm run build` compiles in a checkout for tests: the United States, Germany and countries that take little time. */
export const STARTER_COUNTRIES: readonly string[] = [
  ...['AD', 'BE', 'CA', 'CH', 'DE', 'FO', 'IE', 'IS', 'LI', 'LU', 'MC', 'NL', 'PR', 'US'],
];

/** Where the site listens by default: the `url` fields point there. */
export const PACKAGED_SITE_URL = 'http://127.0.0.1:3001';

/** The release name of the world. */
export function worldRelease(): string {
  return `world-${packagedDigest()}`;
}

export function packagedRelease(): string {
  return join(packageRoot(), 'data', 'starter');
}

/** The file of the starter countries, which `npm run build` compiles in a checkout. */
export function packagedStarterFile(): string {
  return join(packageRoot(), 'data', 'starter.snapshot');
}

/** The codes of the countries that the package has; empty where it came without its release, as in the image. */
export function packagedCountries(): string[] {
  const release = packagedRelease();
  if (!existsSync(release)) return [];
  return readdirSync(release).flatMap((name) => /^([A-Z]{2})\.zip$/.exec(name)?.slice(1) ?? []);
}

/** The code of the country of `codes` with the least data. */
export function smallestPackaged(codes: readonly string[]): string {
  const bytesOf = (code: string): number => statSync(join(packagedRelease(), `${code}.zip`)).size;
  return codes.reduce((least, code) => (bytesOf(code) < bytesOf(least) ? code : least));
}

/** Logs that the package's own data are served, if SNAPSHOT names no source. */
export function tellPackagedData(source: string | null, logger: Logger): void {
  if (source !== null) return;
  logger.info({}, 'SNAPSHOT is not set: these are data of the package; docs/building.md tells how to get newer ones');
}

/** Tables of data that only the site reads. */
const SITE_TABLES = ['address-metadata.tsv', 'map-features.tsv', 'outlines.tsv', 'unit-terms.tsv'];

/**
 * Names what a build of the release gives: 12 hexadecimal digits of the tables that a build reads, of the program's version,
 * of the builder as it was compiled (scripts/build.js) and of the format of snapshots. A zip is read at its end alone, where
 * its directory has the checksums of its tables, so every command can afford the digest.
 */
export function packagedDigest(): string {
  const data = join(packageRoot(), 'data');
  const hash = createHash('sha256').update(`${packageVersion()} ${FORMAT_VERSION} ${PACKAGED_SITE_URL}`);
  hash.update(readFileSync(packageProgramPath('builder.sha256')));
  const tables = readdirSync(data).filter((name) => name.endsWith('.tsv') && !SITE_TABLES.includes(name));
  const files = readdirSync(packagedRelease()).map((name) => join('starter', name));
  for (const name of [...tables, ...files].sort()) hash.update(name).update(readToName(join(data, name)));
  return hash.digest('hex').slice(0, 12);
}

/** What a snapshot file says of itself; undefined where it can't be read, is damaged or has another format. */
export function tryContents(path: string): ReturnType<typeof readSnapshotContents> | undefined {
  try {
    return withFile(path, readSnapshotContents);
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

/** Length of the end of a zip with three files, in bytes: more than its directory takes. */
const ZIP_END_BYTES = 512;

/** The bytes of a table that tell it from another one. */
function readToName(path: string): Buffer {
  if (!path.endsWith('.zip')) return readFileSync(path);
  return withFile(path, (fd) => {
    const { size } = fstatSync(fd);
    const length = Math.min(size, ZIP_END_BYTES);
    return Buffer.from(readFileBytes(fd, size - length, length));
  });
}
