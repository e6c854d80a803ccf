/** What the site computes of a snapshot before the snapshot is served. */

import { expect, test } from '@jest/globals';
import { runSync } from '../../src/base/cooperative.js';
import type { CountryStructures, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { citiesOf } from '../../src/site/reading/country-cities.js';
import { canonicalPlace, findChain } from '../../src/site/reading/unit-parts.js';
import { type CoveredCountry, isCovered, prepareInSteps, siteSnapshotOf } from '../../src/site/site-snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS, type RowsByCountry } from '../fixtures/hand-made-release.js';

/** The same snapshot with structures that can be taken away. */
function copyOf(snapshot: Snapshot): Snapshot {
  const countries = snapshot.countries.map((country) =>
    isCovered(country) ? { ...country, structures: { ...country.structures } } : country,
  );
  return { ...snapshot, countries };
}

function takeAway({ structures }: CoveredCountry): void {
  for (const name of Object.keys(structures)) Reflect.deleteProperty(structures, name);
}

test('after it, the cities and maps of all countries are read without the snapshot', async () => {
  const snapshot = copyOf(await openFixture(HAND_MADE_ROWS));
  const unprepared = copyOf(snapshot);
  runSync(prepareInSteps(snapshot));
  const covered = snapshot.countries.filter(isCovered);
  expect(covered.length).toBeGreaterThan(1);
  for (const country of covered) {
    takeAway(country);
    expect(citiesOf(country.structures).ranks.length).toBeGreaterThan(0);
    expect(siteSnapshotOf(snapshot).mapOf(country).svg).toMatch(/^<svg /);
  }
  for (const country of unprepared.countries.filter(isCovered)) {
    takeAway(country);
    expect(() => citiesOf(country.structures)).toThrow(TypeError);
    expect(() => siteSnapshotOf(unprepared).mapOf(country)).toThrow(TypeError);
  }
});

test('where every code of a damaged file claims all places, no more are read than the file has', async () => {
  const [country] = (await openFixture(HAND_MADE_ROWS)).countries.filter(isCovered) as [CoveredCountry];
  const { postcodes } = country.structures;
  const placeCount = postcodes.places.length;
  let readCount = 0;
  const places = new Proxy(postcodes.places, {
    get(target, name) {
      if (name === 'length') return placeCount;
      readCount++;
      return target[Number(name)];
    },
  });
  const placeStarts = postcodes.placeStarts.map((_, code) => (code % 2 === 0 ? 0 : placeCount));
  const structures = { ...country.structures, postcodes: { ...postcodes, placeStarts, places } };
  expect(postcodes.codeCount).toBeGreaterThan(2);
  expect(citiesOf(structures).codes).toHaveLength(1);
  expect(readCount).toBe(placeCount);
});

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
  expect(canonicalPlace(structures, lastOfPair)).toBe(citiesOf(structures).cities[lastOfPair]);
});
