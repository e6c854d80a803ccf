/**
 * Builds the structures of the world from the countries' slices in the file, so that only the keys for merging ranks
 * stay in memory. Runs on a worker thread while the other threads verify the countries.
 */
import type { CountryEntry, Section } from '../../src/format/manifest.js';
import { decodeNameIndex } from '../../src/format/name-index.js';
import { decodePointIndex } from '../../src/format/point-index.js';
import { withFile } from '../../src/store/snapshot-reading.js';
import type { Task } from '../pool/pool.js';
import { buildCountryGrid } from '../structures/country-grid.js';
import { type CountryContents, readCountrySlices, streamCountrySlices } from '../structures/country-slices.js';
import type { RankKeys } from '../structures/rank-keys.js';
import { type CountryNames, type OrderRanks, orderByKeys } from '../structures/rank-orders.js';
import { buildWorldNameIndex, type NamesOfCountries } from '../structures/world-name-index.js';
import { buildWorldPostcodes } from '../structures/world-postcodes.js';

export interface BuildWorldTask extends Task<BuiltWorld> {
  readonly kind: 'build-world';
  /** A file with the sections of the countries. */
  readonly path: string;
  readonly countries: readonly CountryEntry[];
  readonly sections: readonly Section[];
  /** The keys of each country with data, by code. */
  readonly rankKeys: ReadonlyMap<string, RankKeys>;
  readonly namesOfCountries: NamesOfCountries;
}

/** The chunks of each section. */
export interface BuiltWorld {
  readonly grid: readonly Uint8Array[];
  readonly names: readonly Uint8Array[];
  readonly postcodes: readonly Uint8Array[];
}

export function buildWorld({ path, rankKeys, namesOfCountries, ...contents }: BuildWorldTask): BuiltWorld {
  return withFile(path, (fd) =>
    buildWorldIn(fd, contents, namesOfCountries, (parts) =>
      orderByKeys(
        parts.map(({ country }) => {
          const { code } = contents.countries[country] as CountryEntry;
          const keys = rankKeys.get(code);
          if (keys === undefined) throw new Error(`there are no rank keys for ${code}`);
          return keys;
        }),
      ),
    ),
  );
}

/** The structures of the world from the sections of the countries in the open file `fd`. */
export function buildWorldIn(
  fd: number,
  contents: CountryContents,
  namesOfCountries: NamesOfCountries,
  orderOf: (parts: readonly CountryNames[]) => OrderRanks,
): BuiltWorld {
  const points = readCountrySlices(fd, contents, 'point-index').map(({ country, bytes, where }) => {
    return { country, points: decodePointIndex(bytes, where) };
  });
  const names = readCountrySlices(fd, contents, 'name-index').map(({ country, bytes, where }) => {
    return { country, index: decodeNameIndex(bytes, where, 'country') };
  });
  return {
    grid: buildCountryGrid(points),
    names: buildWorldNameIndex(names, orderOf(names), namesOfCountries),
    postcodes: buildWorldPostcodes(streamCountrySlices(fd, contents, 'postcode-index')),
  };
}
