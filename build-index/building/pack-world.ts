/**
 * Builds the structures of the world for some countries of a snapshot: from their slices, which are in the new file
 * already, and from the prefix index of the snapshot, which has the order of the ranks and the names of countries and of
 * their big cities. Runs on a worker thread.
 */

import type { Section } from '../../src/core/snapshot/manifest.js';
import { decodeNameIndex } from '../../src/core/snapshot/name-index.js';
import { readSection, withFile } from '../../src/core/snapshot/snapshot-file.js';
import type { Task } from '../pool/pool.js';
import { orderWorldNamesAsIn } from '../structures/build-world-name-index.js';
import type { CountryContents } from '../structures/country-slices.js';
import { type BuiltWorld, buildWorldIn } from './build-world.js';

export interface PackWorldTask extends Task<BuiltWorld>, CountryContents {
  readonly kind: 'pack-world';
  /** The new file, with the sections of the countries. */
  readonly path: string;
  /** The snapshot, open: all threads of a process share its descriptors. A path could lead to another file by now. */
  readonly sourceFd: number;
  readonly sourceSections: readonly Section[];
}

export function packWorld({ path, countries, sections, sourceFd, sourceSections }: PackWorldTask): BuiltWorld {
  const where = 'world-name-index';
  const world = decodeNameIndex(readSection(sourceFd, sourceSections, where), where, 'world');
  const namesOfCountries = {
    bigCityNames: { hashes: world.bigCityNames, countries: world.bigCityCountries },
    countryNames: { hashes: world.countryNames, countries: world.namedCountries },
  };
  return withFile(path, (fd) =>
    buildWorldIn(fd, { countries, sections }, namesOfCountries, (parts) => {
      const order = orderWorldNamesAsIn(world, parts);
      return () => order;
    }),
  );
}
