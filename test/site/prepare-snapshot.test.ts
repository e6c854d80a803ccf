/** What the site computes of a snapshot before the snapshot is served. */

import { expect, test } from '@jest/globals';
import { runSync } from '../../src/base/cooperative.js';
import { codeRanksOf } from '../../src/core/lookup/code-ranks.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { countryMapOf } from '../../src/site/map/country-map.js';
import { prepareInSteps } from '../../src/site/prepare-snapshot.js';
import { type CoveredCountry, isCovered } from '../../src/site/reading/covered-country.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';

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

test('after it, the ranks of codes and the maps of all countries are read without the snapshot', async () => {
  const snapshot = copyOf(await openFixture(HAND_MADE_ROWS));
  const unprepared = copyOf(snapshot);
  runSync(prepareInSteps(snapshot));
  const covered = snapshot.countries.filter(isCovered);
  expect(covered.length).toBeGreaterThan(1);
  for (const country of covered) {
    takeAway(country);
    expect(codeRanksOf(country.structures).ranks.length).toBeGreaterThan(0);
    expect(countryMapOf(country).svg).toMatch(/^<svg /);
  }
  for (const country of unprepared.countries.filter(isCovered)) {
    takeAway(country);
    expect(() => codeRanksOf(country.structures)).toThrow(TypeError);
    expect(() => countryMapOf(country)).toThrow(TypeError);
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
  expect(codeRanksOf(structures).codes).toHaveLength(1);
  expect(readCount).toBe(placeCount);
});
