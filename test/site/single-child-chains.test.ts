/** Chains of units with one child each, which are one page: in large units and in damaged files. */

import { expect, test } from '@jest/globals';
import { readListFields } from '../../src/core/snapshot/place-fields.js';
import type { CountryStructures } from '../../src/core/snapshot/snapshot.js';
import { canonicalPlace, findChain } from '../../src/site/reading/single-child-chains.js';
import { standingPlace } from '../../src/site/reading/standing-place.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';

test('a unit with more than a thousand places has one page with its city if there is one city only', async () => {
  const rows = (region: string, city: string, first: number, count: number): RowsByCountry[string] =>
    Array.from({ length: count }, (_, at) => [String(first + at), city, region, '', '', 45, 25 + at / 1e4] as const);
  const snapshot = await openFixture({
    RO: [
      ...rows('Alone', 'Alone', 100_000, 1_100),
      ...rows('Pair', 'Pair', 200_000, 1_100),
      ...rows('Pair', 'Other', 300_000, 1),
    ],
  });
  const { structures } = snapshot.countryByCode.get('RO') as { readonly structures: CountryStructures };
  // Siblings are in the order of names: Alone, Pair; then the rows of Alone, Other, and the rows of Pair.
  const [alone, pair, firstOfAlone, lastOfPair] = [0, 1, 2, structures.tree.placeCount - 1];
  expect(findChain(structures, alone)).toEqual({ units: [alone], city: firstOfAlone });
  expect(canonicalPlace(structures, firstOfAlone + 5)).toBe(alone);
  expect(findChain(structures, pair)).toEqual({ units: [pair], city: undefined });
  expect(canonicalPlace(structures, lastOfPair)).toBe(standingPlace(structures, lastOfPair));
});

test('a unit of a damaged file that lies in itself, and units that lie in each other, end a chain', async () => {
  const snapshot = await openFixture({
    FR: [
      ['75001', 'Solo', 'Solo', 'Solo', '', 48.001, 9],
      ['80001', 'Far', 'Attica', 'Centre', '', 48.001, 9],
    ],
  });
  const { structures } = snapshot.countryByCode.get('FR') as { readonly structures: CountryStructures };
  const { tree } = structures;
  const names = Array.from({ length: tree.placeCount }, (_, place) => readListFields(structures, place).name);
  const [region, district] = [names.indexOf('Solo'), names.indexOf('Solo', names.indexOf('Solo') + 1)] as const;
  const damaged = (above: number, below: number): CountryStructures => {
    const [parents, childStarts] = [tree.parents.slice(), tree.childStarts.slice()];
    parents[below] = above;
    parents[above] = below;
    for (const [unit, child] of [
      [above, below],
      [below, above],
    ] as const) {
      childStarts[unit] = child;
      childStarts[unit + 1] = child + 1;
    }
    return { ...structures, tree: { ...tree, parents, childStarts } };
  };
  for (const [above, below] of [
    [region, region],
    [district, district],
    [region, district],
  ] as const) {
    const { units, city } = findChain(damaged(above, below), above);
    expect(units.length).toBeLessThan(10);
    expect(city).toBeUndefined();
    expect([above, below]).toContain(canonicalPlace(damaged(above, below), above));
  }
  expect(findChain(structures, region)).toMatchObject({ units: [region, district] });
});
