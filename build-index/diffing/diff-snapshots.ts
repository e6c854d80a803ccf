/**
 * Compares two snapshots country by country, and lists the added and removed countries. Does not check the contents, as
 * `verify` does. Takes some seconds for a million places, and memory for the largest country of both snapshots. The terms:
 *
 *   kept     The id is in both snapshots. (build-index/tree/place-identities.ts defines ids.)
 *   lost     The id is in the old snapshot only, so a client that stored it finds nothing: the place was removed, or
 *            renamed with a new id.
 *   moved    Kept, with a different path or parent.
 *   renamed  Kept, with a different name or localName. Or, since an id includes the name, with a new id: a leaf of the
 *            same code, or an admin unit of the same places, as matched-places.ts pairs them.
 *   retyped  Kept, with a different type.
 *   shifted  Kept, with coordinates more than 1 km away. A unit's position is the mean of its leaves, so added and
 *            removed leaves shift it.
 *   removed  An old place that is neither kept nor renamed.
 *   added    A new place that is neither kept nor renamed.
 *
 * Full codes are compared by their text: see compareFullCodes.
 */

import { closeSync } from 'node:fs';
import { runSync, type Steps } from '../../src/base/cooperative.js';
import { type CountryEntry, listManifestCountriesWithData, type Manifest } from '../../src/core/snapshot/manifest.js';
import { nameSnapshotInError } from '../../src/core/snapshot/snapshot-error.js';
import {
  openSnapshotFile,
  readSnapshotContents,
  type SnapshotContents,
} from '../../src/core/snapshot/snapshot-file.js';
import type { Progress } from '../reporting/progress.js';
import {
  type CountryDiff,
  type Counts,
  type Examples,
  lossPercent,
  pickChangeExamples,
  sumCounts,
} from './change-counts.js';
import { type CountryPair, readComparedCountry } from './compared-country.js';
import { type CountryComparison, compareCountry, describeComparison } from './country-comparison.js';

export interface ComparedSnapshot {
  readonly path: string;
  readonly release: string;
  readonly sourceDate: string | null;
  /** See Snapshot. */
  readonly id: string;
}

/** Is given each country, ascending by code, while its places are in memory. */
export type CountryVisitor = (pair: CountryPair, comparison: CountryComparison) => void;

export interface SnapshotDiff {
  readonly before: ComparedSnapshot;
  readonly after: ComparedSnapshot;
  /** Codes of the countries with postcode data in one snapshot only. */
  readonly countriesAdded: readonly string[];
  readonly countriesRemoved: readonly string[];
  readonly totals: Counts;
  /** Every country with postcode data in either snapshot: greatest loss first, then by code. */
  readonly countries: readonly CountryDiff[];
  readonly examples: Examples;
}

/** Throws SnapshotError if a file is not a snapshot, and what `visit` throws. */
export function diffSnapshots(
  oldPath: string,
  newPath: string,
  progress: Progress,
  visit?: CountryVisitor,
): SnapshotDiff {
  return runSync(diffInSteps(oldPath, newPath, progress, visit));
}

/** The same in steps of one country each. */
export function* diffInSteps(
  oldPath: string,
  newPath: string,
  progress: Progress,
  visit: CountryVisitor = () => {},
): Steps<SnapshotDiff> {
  const oldFile = openSnapshotFile(oldPath);
  try {
    const newFile = openSnapshotFile(newPath);
    try {
      const [before, after] = [readNamed(oldPath, oldFile), readNamed(newPath, newFile)];
      const [oldEntries, newEntries] = [entriesWithData(before.manifest), entriesWithData(after.manifest)];
      const codes = [...new Set([...oldEntries.keys(), ...newEntries.keys()])].sort();
      progress.start('comparing', codes.length);
      const countries: CountryDiff[] = [];
      for (const code of codes) {
        const pair = {
          code,
          before: readComparedCountry(oldFile, before.manifest, oldEntries.get(code)),
          after: readComparedCountry(newFile, after.manifest, newEntries.get(code)),
        };
        const comparison = compareCountry(pair);
        countries.push(describeComparison(pair, comparison));
        visit(pair, comparison);
        progress.step(code);
        yield;
      }
      // The sort is stable, so countries with equal losses stay sorted by code.
      countries.sort((a, b) => lossPercent(b.counts) - lossPercent(a.counts));
      return {
        before: describeSnapshot(oldPath, before),
        after: describeSnapshot(newPath, after),
        countriesAdded: codes.filter((code) => !oldEntries.has(code)),
        countriesRemoved: codes.filter((code) => !newEntries.has(code)),
        totals: sumCounts(countries.map(({ counts }) => counts)),
        countries,
        examples: pickChangeExamples(countries.map(({ examples }) => examples)),
      };
    } finally {
      closeSync(newFile);
    }
  } finally {
    closeSync(oldFile);
  }
}

function describeSnapshot(path: string, { manifest, id }: SnapshotContents): ComparedSnapshot {
  return { path, release: manifest.release, sourceDate: manifest.sourceDate, id };
}

function readNamed(path: string, fd: number): SnapshotContents {
  try {
    return readSnapshotContents(fd);
  } catch (error) {
    throw nameSnapshotInError(path, error);
  }
}

function entriesWithData(manifest: Manifest): Map<string, CountryEntry> {
  return new Map(listManifestCountriesWithData(manifest).map((entry) => [entry.code, entry]));
}
