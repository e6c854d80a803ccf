/**
 * Compares two snapshots country by country, see diff-country.ts, and lists the added and removed countries. Does not
 * check the contents, as `verify` does. Takes some seconds for a million places, and memory for the largest country of
 * both snapshots.
 */
import type { CountryEntry, Manifest } from '../../src/format/manifest.js';
import { SnapshotError } from '../../src/format/snapshot-error.js';
import { readContents, withFile } from '../../src/store/snapshot-reading.js';
import type { Progress } from '../reporting/progress.js';
import { type CountryDiff, type Counts, type Examples, lossPercent, pickExamples, sumCounts } from './changes.js';
import { readComparedCountry } from './compared-country.js';
import { diffCountry } from './diff-country.js';

export interface ComparedSnapshot {
  readonly path: string;
  readonly release: string;
  readonly sourceDate: string | null;
}

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

/** Throws SnapshotError if a file is not a snapshot. */
export function diffSnapshots(oldPath: string, newPath: string, progress: Progress): SnapshotDiff {
  return withFile(oldPath, (oldFile) =>
    withFile(newPath, (newFile) => {
      const [before, after] = [readManifest(oldPath, oldFile), readManifest(newPath, newFile)];
      const [oldEntries, newEntries] = [entriesWithData(before), entriesWithData(after)];
      const codes = [...new Set([...oldEntries.keys(), ...newEntries.keys()])].sort();
      progress.start('comparing', codes.length);
      const countries = codes.map((code) => {
        const diff = diffCountry(
          code,
          readComparedCountry(oldFile, before, oldEntries.get(code)),
          readComparedCountry(newFile, after, newEntries.get(code)),
        );
        progress.step(code);
        return diff;
      });
      // The sort is stable, so countries with equal losses stay sorted by code.
      countries.sort((a, b) => lossPercent(b.counts) - lossPercent(a.counts));
      return {
        before: { path: oldPath, release: before.release, sourceDate: before.sourceDate },
        after: { path: newPath, release: after.release, sourceDate: after.sourceDate },
        countriesAdded: codes.filter((code) => !oldEntries.has(code)),
        countriesRemoved: codes.filter((code) => !newEntries.has(code)),
        totals: sumCounts(countries.map(({ counts }) => counts)),
        countries,
        examples: pickExamples(countries.map(({ examples }) => examples)),
      };
    }),
  );
}

/** Throws SnapshotError that names the file. */
function readManifest(path: string, file: Parameters<typeof readContents>[0]): Manifest {
  try {
    return readContents(file).manifest;
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    const { code, expected, found, remedy } = error;
    throw new SnapshotError(code, `${path}: ${expected}`, found, remedy);
  }
}

function entriesWithData(manifest: Manifest): Map<string, CountryEntry> {
  return new Map(manifest.countries.filter(({ slices }) => slices.length > 0).map((entry) => [entry.code, entry]));
}
