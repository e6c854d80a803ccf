/** Of places of the same name within five kilometres one stands for the others. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { NearbyPlaces, SAME_NAME_KM } from '../../../build-index/suggesting/nearby-places.js';
import { findSameNameLeaves } from '../../../build-index/suggesting/same-name-leaves.js';
import { renderedPathOf } from '../../../src/core/snapshot/rendered-places.js';
import { type CountryStructures, openSnapshot, type Snapshot } from '../../../src/core/snapshot/snapshot.js';
import { kmBetween } from '../../../src/core/snapshot/sphere.js';
import { suggestedPaths } from '../../core/answer.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import { cityOf } from '../../fixtures/gazetteer.js';
import type { RowsByCountry } from '../../fixtures/hand-made-release.js';

const ROWS: RowsByCountry = {
  GB: [
    // Three kilometres apart, in two counties, with three codes together.
    ['A1', 'Aston', 'Avon', '', '', 51.5, -2],
    ['A2', 'Aston', 'Avon', '', '', 51.5, -2],
    ['B1', 'Aston', 'Bucks', '', '', 51.527, -2],
    ['C1', 'Astonbury', 'Avon', '', '', 51.6, -2],
    ['C2', 'Astonbury', 'Avon', '', '', 51.6, -2],
    // Eleven kilometres apart.
    ['D1', 'Dalton', 'Avon', '', '', 51.5, -2],
    ['D2', 'Dalton', 'Bucks', '', '', 51.6, -2],
    // Written apart by an accent only: another name.
    ['E1', 'Evan', 'Avon', '', '', 51.5, -2],
    ['E2', 'Évan', 'Bucks', '', '', 51.5, -2],
    // A chain: the middle lies within five kilometres of both ends, which are eight apart.
    ['F1', 'Fenton', 'Avon', '', '', 51.5, -2],
    ['F2', 'FENTON', 'Bucks', '', '', 51.536, -2],
    ['F3', 'Fenton', 'Cumbria', '', '', 51.572, -2],
    // A city in two counties.
    ['G1', 'Granton', 'Avon', '', '', 51.5, -2],
    ['G2', 'Granton', 'Bucks', '', '', 51.53, -2],
    ['G3', 'Granton', 'Bucks', '', '', 51.53, -2],
  ],
};
const granton = cityOf('GB', 'Granton', 51.5, -2, { population: 20_000 });

let fixture: FixtureSnapshot;
let snapshot: Snapshot;
beforeAll(async () => {
  fixture = await buildFixtureSnapshot(ROWS, { cities: [granton] });
  snapshot = openSnapshot(fixture.path);
});
afterAll(() => fixture?.cleanup());

const structuresOf = (): CountryStructures => snapshot.countryByCode.get('GB')?.structures as CountryStructures;
const rankedPaths = (): string[] =>
  [...structuresOf().names.places].map((place) => renderedPathOf(structuresOf().renderedPlaces, place));

/** The paths that end with a slug, ascending: of the places that are shown and of those that another place stands for. */
function pathsOf(slug: string): { shown: string[]; represented: string[] } {
  const [first = 0] = structuresOf().names.firstSameName;
  const isOfSlug = (one: string): boolean => one.endsWith(`/${slug}`);
  return {
    shown: rankedPaths().slice(0, first).filter(isOfSlug).sort(),
    represented: rankedPaths().slice(first).filter(isOfSlug).sort(),
  };
}

test.each([
  ['the place with more codes stands for the other', 'aston', ['/avon/aston'], ['/bucks/aston']],
  ['places eleven kilometres apart are two', 'dalton', ['/avon/dalton', '/bucks/dalton'], []],
  ['names with other accents are two', 'evan', ['/avon/evan', '/bucks/evan'], []],
  ['both ends of a chain are shown', 'fenton', ['/avon/fenton', '/cumbria/fenton'], ['/bucks/fenton']],
  ['the main place of a city stands for the city’s others', 'granton', ['/bucks/granton'], ['/avon/granton']],
])('%s', (_, slug, shown, represented) => {
  expect(pathsOf(slug)).toEqual({ shown, represented });
});

test('their codes count together: three come before two, and two before one', () => {
  const [aston, astonbury, dalton] = ['/avon/aston', '/avon/astonbury', '/avon/dalton'].map((one) =>
    rankedPaths().indexOf(one),
  ) as [number, number, number];
  expect(aston).toBeLessThan(astonbury);
  expect(astonbury).toBeLessThan(dalton);
});

test('a represented place is found by its code, and by its name in its unit', () => {
  expect(suggestedPaths(snapshot, 'B1', 'GB')[0]).toBe('GB/bucks/aston');
  expect(suggestedPaths(snapshot, 'B1 aston', 'GB')[0]).toBe('GB/bucks/aston');
  expect(suggestedPaths(snapshot, 'aston bucks', 'GB')).toEqual(['GB/bucks/aston']);
  expect(suggestedPaths(snapshot, 'aston avon', 'GB')).toEqual(['GB/avon/aston']);
});

describe('the nearest place', () => {
  const degrees = (limit: number) => fc.double({ min: -limit, max: limit, noNaN: true });
  /** Close together, at the poles, the antimeridian and elsewhere. */
  const points = fc
    .tuple(fc.constantFrom(-90, -45, 0, 52, 89.97, 90), fc.constantFrom(-180, 0, 7, 180))
    .chain(([latitude, longitude]) =>
      fc.array(
        fc.tuple(degrees(0.06), degrees(0.06)).map(([north, east]) => ({
          latitude: Math.max(-90, Math.min(90, latitude + north)),
          longitude: ((longitude + east + 540) % 360) - 180,
        })),
        { minLength: 2, maxLength: 12 },
      ),
    );

  test('is that of all places by distance', () => {
    fc.assert(
      fc.property(points, (all) => {
        const positions = {
          latitudes: Float64Array.from(all, ({ latitude }) => latitude),
          longitudes: Float64Array.from(all, ({ longitude }) => longitude),
        };
        const nearby = new NearbyPlaces(positions);
        const last = all.length - 1;
        for (let place = 0; place < last; place++) nearby.add(place);
        const here = all[last] as (typeof all)[number];
        const distances = all
          .slice(0, last)
          .map(({ latitude, longitude }) => kmBetween(here.latitude, here.longitude, latitude, longitude));
        const least = Math.min(...distances);
        expect(nearby.nearest(last)).toBe(least <= SAME_NAME_KM ? distances.indexOf(least) : undefined);
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});

describe('Leaves of the same name, which are one suggestion', () => {
  /** Each place is [parent, name, local name]; those without a parent are units. */
  function firstsOf(places: readonly (readonly [number | null, string, string?])[]): number[] {
    return [
      ...findSameNameLeaves({
        parents: Uint32Array.from(places, ([parent]) => parent ?? 0xffff_ffff),
        names: places.map(([, name]) => name),
        localNames: places.map(([, name, localName]) => localName ?? name),
        isLeaf: (place) => places[place]?.[0] !== null,
      }),
    ];
  }

  test('leaves of one parent have the same name if only case and punctuation differ', () => {
    expect(
      firstsOf([
        [null, 'Unit'],
        [0, 'Saint-Denis'],
        [0, 'SAINT DENIS'],
        [0, 'Saint-Dénis'],
        [0, 'saint denis'],
      ]),
    ).toEqual([0, 1, 1, 3, 1]);
  });

  test('leaves of different parents never have the same name, and neither do units', () => {
    expect(
      firstsOf([
        [null, 'A'],
        [null, 'A'],
        [0, 'B'],
        [0, 'B'],
        [1, 'B'],
        [1, 'B'],
      ]),
    ).toEqual([0, 1, 2, 2, 4, 4]);
  });

  test('both names count: two local names under one Latin name are two places', () => {
    expect(
      firstsOf([
        [null, 'Unit'],
        [0, 'Cheongdong', '청동'],
        [0, 'Cheongdong', '정동'],
        [0, 'Cheongdong', '청동'],
        [0, 'Cheongdong', 'cheongdong'],
        [0, 'Cheongdong'],
      ]),
    ).toEqual([0, 1, 2, 1, 4, 4]);
  });
});
