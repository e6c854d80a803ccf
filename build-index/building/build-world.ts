/**
 * The structures of the world, from the slices of the countries as they lie in the file: so nothing of the countries has
 * to be kept in memory but the keys by which their ranks are merged. Runs on a worker thread, while the countries are
 * verified on the others.
 */
import type { CountryEntry, Section } from '../../src/format/manifest.js';
import { decodeNameIndex } from '../../src/format/name-index.js';
import { decodePointIndex } from '../../src/format/point-index.js';
import { withFile } from '../../src/store/snapshot-reading.js';
import type { Task } from '../pool/pool.js';
import { buildCountryGrid } from '../structures/country-grid.js';
import { readCountrySlices } from '../structures/country-slices.js';
import type { RankKeys } from '../structures/name-index.js';
import { buildWorldNameIndex } from '../structures/world-name-index.js';

export interface BuildWorldTask extends Task<BuiltWorld> {
  readonly kind: 'build-world';
  /** A file that has the sections of the countries. */
  readonly path: string;
  readonly countries: readonly CountryEntry[];
  readonly sections: readonly Section[];
  /** Of each country with data, by code. */
  readonly rankKeys: ReadonlyMap<string, RankKeys>;
}

/** The chunks of each section. */
export interface BuiltWorld {
  readonly grid: readonly Uint8Array[];
  readonly names: readonly Uint8Array[];
}

export function buildWorld({ path, rankKeys, ...contents }: BuildWorldTask): BuiltWorld {
  return withFile(path, (fd) => {
    const points = readCountrySlices(fd, contents, 'point-index').map(({ country, bytes, where }) => {
      return { country, points: decodePointIndex(bytes, where) };
    });
    const names = readCountrySlices(fd, contents, 'name-index').map(({ country, bytes, where }) => {
      const keys = rankKeys.get(contents.countries[country]?.code ?? '');
      if (keys === undefined) throw new Error(`there are no rank keys for ${where}`);
      return { country, index: decodeNameIndex(bytes, where, 'country'), keys };
    });
    return { grid: buildCountryGrid(points), names: buildWorldNameIndex(names) };
  });
}
