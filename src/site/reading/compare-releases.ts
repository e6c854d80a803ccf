/** Compares the manifests of two releases: their countries, and each country's counts. */
import type { CountryEntry, Manifest } from '../../format/manifest.js';

export interface ReleaseChanges {
  /** Of the release before. */
  readonly since: string;
  /** Countries with postal codes that had none; and those that have none any more. */
  readonly added: readonly CountryEntry[];
  readonly gone: readonly CountryEntry[];
  /** Countries in both releases whose counts differ, the largest change first. */
  readonly changed: readonly CountryChange[];
  /** Of all countries. */
  readonly total: Difference;
}

/** Negative if there are fewer than before. */
export interface Difference {
  readonly codes: number;
  readonly places: number;
}

export interface CountryChange extends Difference {
  readonly country: CountryEntry;
}

export function compareReleases(before: Manifest, now: Manifest): ReleaseChanges {
  const [old, current] = [coveredOf(before), coveredOf(now)];
  const missingIn = (others: ReadonlyMap<string, CountryEntry>) => (entry: CountryEntry) => !others.has(entry.code);
  const changed = [...current.values()]
    .flatMap((country) => {
      const then = old.get(country.code);
      return then === undefined ? [] : [{ country, ...difference([then], [country]) }];
    })
    .filter((change) => sizeOf(change) > 0)
    .sort((a, b) => sizeOf(b) - sizeOf(a) || (a.country.name < b.country.name ? -1 : 1));
  return {
    since: before.release,
    added: [...current.values()].filter(missingIn(old)),
    gone: [...old.values()].filter(missingIn(current)),
    changed,
    total: difference([...old.values()], [...current.values()]),
  };
}

/** Countries with postal codes, by code. */
function coveredOf({ countries }: Manifest): Map<string, CountryEntry> {
  return new Map(countries.filter(({ slices }) => slices.length > 0).map((entry) => [entry.code, entry]));
}

function difference(before: readonly CountryEntry[], now: readonly CountryEntry[]): Difference {
  const sum = (entries: readonly CountryEntry[], count: (entry: CountryEntry) => number): number =>
    entries.reduce((total, entry) => total + count(entry), 0);
  return {
    codes: sum(now, codeCount) - sum(before, codeCount),
    places: sum(now, placeCount) - sum(before, placeCount),
  };
}

function codeCount({ distinctPostcodes }: CountryEntry): number {
  return distinctPostcodes;
}

export function placeCount({ levelCounts }: CountryEntry): number {
  return levelCounts.reduce((total, count) => total + count, 0);
}

function sizeOf({ codes, places }: Difference): number {
  return Math.abs(codes) + Math.abs(places);
}
