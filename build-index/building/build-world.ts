/** The structures of the world, made of what all countries gave: the index of names, the grid, and the postal codes. */

import { decodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { FULL_CODES_SCHEMA } from '../../src/core/snapshot/full-codes.js';
import type { CountryEntry, Section } from '../../src/core/snapshot/manifest.js';
import { decodeNameIndex } from '../../src/core/snapshot/name-index.js';
import { decodePointIndex } from '../../src/core/snapshot/point-index.js';
import { readSlice, withFile } from '../../src/core/snapshot/snapshot-file.js';
import type { Pool, Task } from '../pool/pool.js';
import { buildCountryGrid } from '../structures/build-country-grid.js';
import {
  buildWorldNameIndex,
  type CountryNames,
  type OrderRanks,
  orderWorldNamesByKeys,
} from '../structures/build-world-name-index.js';
import { buildWorldPostcodes } from '../structures/build-world-postcodes.js';
import { type CountryContents, readCountrySlices } from '../structures/country-slices.js';
import type { NamesOfCountries } from '../structures/hashed-names.js';
import type { RankKeys } from '../suggesting/suggestion-order.js';

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

/** Runs a task that builds the world on a thread of the pool. */
export async function runWorldTask<T extends Task<BuiltWorld>>(pool: Pool, task: T): Promise<BuiltWorld> {
  for await (const world of pool.run([task])) return world;
  throw new Error('a pool gives a result for each task');
}

export function buildWorld({ path, rankKeys, namesOfCountries, ...contents }: BuildWorldTask): BuiltWorld {
  return withFile(path, (fd) =>
    buildWorldIn(fd, contents, namesOfCountries, (parts) =>
      orderWorldNamesByKeys(
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
  const points = Array.from(readCountrySlices(fd, contents, 'point-index'), ({ country, bytes, where }) => {
    return { country, points: decodePointIndex(bytes, where), fullPositions: fullPositionsOf(fd, contents, country) };
  });
  const names = Array.from(readCountrySlices(fd, contents, 'name-index'), ({ country, bytes, where }) => {
    return { country, index: decodeNameIndex(bytes, where, 'country') };
  });
  return {
    grid: buildCountryGrid(points),
    names: buildWorldNameIndex(names, orderOf(names), namesOfCountries),
    postcodes: buildWorldPostcodes(readCountrySlices(fd, contents, 'postcode-index')),
  };
}

/** The positions of a country's full codes; none if the country has none. */
function fullPositionsOf(fd: number, { countries, sections }: CountryContents, country: number): Int32Array {
  const entry = countries[country] as CountryEntry;
  const bytes = readSlice(fd, sections, entry, 'full-codes');
  if (bytes.length === 0) return new Int32Array(0);
  return decodeBundle(FULL_CODES_SCHEMA, bytes, `full-codes of ${entry.code}`).positions;
}
