/** The main place of a postal code: of the city that most places belong to, then by people, then by name. */

import { expect, test } from '@jest/globals';
import { mainPlaceOf } from '../../src/core/lookup/main-place.js';
import { readPlace } from '../../src/core/snapshot/place-fields.js';
import { findPostcode, type PostcodeMatch } from '../../src/core/snapshot/postcode-index.js';
import type { CountryStructures } from '../../src/core/snapshot/snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { cityOf } from '../fixtures/gazetteer.js';

test('over half of the places decide on the city; else the place or the city with most people, or the first by name', async () => {
  const snapshot = await openFixture(
    {
      GB: [
        ['BS1', 'Bristol', 'England', '', '', 51.45, -2.59],
        ['BS8', 'Leigh Woods', 'England', '', '', 51.455, -2.63],
        ['BS8', 'Clifton', 'England', '', '', 51.46, -2.62],
        ['BS8', 'Failand', 'England', '', '', 51.44, -2.9],
        ['BS9', 'Sneyd Park', 'England', '', '', 51.47, -2.62],
        ['BS9', 'Failand', 'England', '', '', 51.44, -2.9],
        ['BS10', 'Hotwells', 'England', '', '', 51.45, -2.61],
        ['BS10', 'Abbots Leigh', 'England', '', '', 51.47, -2.95],
        ['ZE1', 'Sound', 'Scotland', '', '', 60.15, -1.17],
        ['ZE1', 'Gulberwick', 'Scotland', '', '', 60.12, -1.2],
      ],
    },
    [
      cityOf('GB', 'Bristol', 51.45, -2.59, { population: 467_000 }),
      cityOf('GB', 'Failand', 51.44, -2.9, { population: 691 }),
    ],
  );
  const structures = snapshot.countryByCode.get('GB')?.structures as CountryStructures;
  const mainOf = (code: string): string => {
    const match = findPostcode(structures.postcodes, code) as PostcodeMatch;
    return readPlace(structures, mainPlaceOf(structures, match) as number).name;
  };
  expect(['BS8', 'BS9', 'BS10', 'ZE1'].map(mainOf)).toEqual(['Clifton', 'Failand', 'Hotwells', 'Gulberwick']);
});
