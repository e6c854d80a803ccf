/** Postal codes as light: what is bright, where it lies in the world, and which cities are named upon it. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { runSync } from '../../../src/base/cooperative.js';
import type { Snapshot } from '../../../src/core/snapshot/snapshot.js';
import { drawCountryFigure } from '../../../src/site/map/light-figures.js';
import { LightGrid, lightsOf } from '../../../src/site/map/lights.js';
import { drawWorldMap, locateInWorld, WORLD_SIZE } from '../../../src/site/map/world-map.js';
import { type CoveredCountry, isCovered } from '../../../src/site/reading/covered-country.js';
import { largestCitiesOf } from '../../../src/site/reading/largest-cities.js';
import { openFixture } from '../../fixtures/fixture-snapshot.js';
import { cityOf } from '../../fixtures/gazetteer.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';
import { cellsIn } from './light-cells.js';

let snapshot: Snapshot;
let countries: readonly CoveredCountry[];
beforeAll(async () => {
  snapshot = await openFixture(HAND_MADE_ROWS);
  countries = snapshot.countries.filter(isCovered);
});

/** The cells of each step, the darkest first, of a grid of 100 cells with these lights in its first cells. */
function stepsOf(light: readonly number[]): number[] {
  const coords = Float64Array.from(light.flatMap((_, at) => [at % 10, Math.floor(at / 10)]));
  const grid = new LightGrid(10, 10, 1).add({ coords, light: Float64Array.from(light) }, (point) => ({
    x: point.longitude,
    y: point.latitude,
  }));
  return [...grid.draw().matchAll(/<path [^>]+>/g)].map(([path]) => cellsIn(path).size);
}

describe('a grid of lights', () => {
  test('has steps by shares of the cells with light, however much light these have', () => {
    expect(stepsOf(Array.from({ length: 100 }, (_, at) => at + 1))).toEqual([100, 54, 29, 12, 3]);
    expect(stepsOf(Array.from({ length: 100 }, (_, at) => (at + 1) ** 4))).toEqual([100, 54, 29, 12, 3]);
    expect(stepsOf([1, 1, 1, 9, 0])).toEqual([4, 1]);
  });

  test('is bright where all cells are alike, dark without light, and leaves out what has no number', () => {
    const [alike] = [
      new LightGrid(4, 4, 1).add({ coords: new Float64Array(2), light: new Float64Array([1]) }, () => ({ x: 1, y: 1 })),
    ];
    expect(alike.draw()).toContain('stroke="#fff3d6"');
    expect(stepsOf([])).toEqual([]);
    expect(stepsOf([Number.NaN, 1])).toEqual([1]);
  });
});

test('the lights of the points of a country are its codes, without those of recipients', () => {
  for (const country of countries) {
    const { coords, light } = lightsOf(country);
    expect(coords).toHaveLength(2 * light.length);
    const codes = new Set(country.structures.points.codes);
    const sum = light.reduce((all, one) => all + one, 0);
    expect(sum).toBeCloseTo(Math.round(sum), 6);
    expect(sum).toBeLessThanOrEqual(codes.size);
    expect(sum).toBeGreaterThan(0);
  }
});

describe('the world', () => {
  test('is cut in the Bering Strait, and has Chukotka in the east and areas as they are', () => {
    const at = (longitude: number, latitude: number) => locateInWorld({ longitude, latitude });
    expect(at(-170.5, 66).x).toBeGreaterThan(at(150, 66).x);
    expect(at(-168, 66).x).toBeLessThan(at(-100, 66).x);
    expect(at(11, 0).x).toBeCloseTo(WORLD_SIZE.width / 2, 6);
    const areaAt = (latitude: number): number =>
      ((at(12, latitude).x - at(10, latitude).x) * (at(11, latitude - 1).y - at(11, latitude + 1).y)) /
      Math.cos((latitude * Math.PI) / 180);
    for (const latitude of [-50, 30, 60, 75]) expect(areaAt(latitude) / areaAt(0)).toBeCloseTo(1, 2);
  });

  test('has land in pieces, none across the map, and is drawn once for a snapshot', () => {
    const svg = runSync(drawWorldMap(snapshot));
    expect(runSync(drawWorldMap(snapshot))).toBe(svg);
    const [, land = ''] = /fill-rule="evenodd" d="([^"]+)"/.exec(svg) ?? [];
    const steps = land.split('z').flatMap((ring) => [...(ring.split('l')[1] ?? '').matchAll(/-?\d+/g)].map(Number));
    expect(steps.length).toBeGreaterThan(5_000);
    expect(Math.max(...steps.map(Math.abs))).toBeLessThan(WORLD_SIZE.width / 10);
    expect(cellsIn(svg).size).toBeGreaterThan(0);
  });
});

test('the figure of a country names its largest cities as links, not those beside a larger one, and says them', async () => {
  const places = [
    ['Großstadt', 48, 11],
    ['Nebenan', 48.02, 11.02],
    ['Norden', 50, 12],
    ['Dorf', 49, 10],
  ] as const;
  const rows = places.map(
    ([name, latitude, longitude], at) => [`8033${at}`, name, 'Bayern', '', '', latitude, longitude] as const,
  );
  const cities = places
    .slice(0, 3)
    .map(([name, latitude, longitude], at) =>
      cityOf('DE', name, latitude, longitude, { population: 900_000 / (at + 1) }),
    );
  const german = await openFixture({ DE: rows.map((row) => [...row]) }, cities);
  const [country] = german.countries.filter(isCovered) as [CoveredCountry];
  expect(largestCitiesOf(country).map(({ name, people }) => [name, people])).toEqual([
    ['Großstadt', 900_000],
    ['Nebenan', 450_000],
    ['Norden', 300_000],
  ]);
  const { text } = drawCountryFigure(german, country);
  expect(text).toContain(`<image href="/maps/${german.id}/DE.svg"`);
  const links = [...text.matchAll(/<a href="([^"]+)"><title>([^<]+)<\/title>/g)].map(([, href, title]) => [
    href,
    title,
  ]);
  expect(links).toEqual([
    ['/germany/bayern/grossstadt', 'Großstadt, 900,000 people'],
    ['/germany/bayern/norden', 'Norden, 300,000 people'],
  ]);
  expect(text).toContain('<dt>North-east</dt><dd dir="auto">Norden</dd>');
});
