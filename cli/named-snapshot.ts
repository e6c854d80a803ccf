/** Opens the snapshot that --snapshot or SNAPSHOT names, or else the package's own data. */

import { InvalidArgumentError, Option } from 'commander';
import { ExpectedError } from '../src/base/errors.js';
import type { Country } from '../src/core/snapshot/snapshot.js';
import { nameFile, SnapshotError } from '../src/core/snapshot/snapshot-error.js';
import { OpenError } from '../src/library/errors.js';
import { packagedSnapshot } from '../src/library/packaged-snapshot.js';
import { findSnapshot } from '../src/releases/find-snapshot.js';

/** Throws ExpectedError, SnapshotError that names the file, errors of the file system and of `open`. */
export function openNamed<T>(source: string | undefined, open: (path: string) => T): T {
  let path = '';
  try {
    path = isNamed(source) ? findSnapshot(source).path : packagedSnapshot();
    return open(path);
  } catch (error) {
    if (error instanceof SnapshotError) throw nameFile(path, error);
    if (!(error instanceof OpenError)) throw error;
    throw new ExpectedError(`${error.message} by --snapshot or SNAPSHOT`);
  }
}

/** "France and United Kingdom are not in this snapshot" */
export function describeAbsent(countries: readonly Country[]): string {
  const names = new Intl.ListFormat('en-GB').format(countries.map(({ entry }) => entry.name));
  return `${names} ${countries.length === 1 ? 'is' : 'are'} not in this snapshot`;
}

/** What follows such a sentence: where other countries come from, if the snapshot is the package's own. */
export function adviceOnMissingCountry(source: string | undefined): string {
  if (isNamed(source)) return '';
  return "; the package's own data have some countries only: name a snapshot by --snapshot or SNAPSHOT (postal-places build makes one)";
}

function isNamed(source: string | undefined): source is string {
  return source !== undefined && source !== '';
}

/* The option that names the snapshot of the commands that ask; named-snapshot.ts opens it. */

export function snapshotOption(): Option {
  return new Option('--snapshot <file or folder>', "default: SNAPSHOT, else the package's own data").argParser(
    parseSource,
  );
}

/** An empty name is mostly a variable that is not set: its caller must not get answers from other data. */
function parseSource(source: string): string {
  if (source === '') throw new InvalidArgumentError('It must be the name of a file or a folder.');
  return source;
}
