/** Points to look for places near to: at data and around it, at borders, at the ends of the map, and where nothing is. */

import { ANY_COUNTRY } from '../../src/core/lookup/reverse.js';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import { createRandom } from '../fixtures/random.mjs';
import { pick } from './world.js';

export interface PointQuery {
  readonly kind: string;
  readonly lat: number;
  readonly lng: number;
  /** Undefined: to be inferred; or ANY_COUNTRY. */
  readonly country: string | undefined;
}

type Point = Pick<PlaceResource, 'latitude' | 'longitude'>;

const DEGREES = Math.PI / 180;
const BORDER_CELL_DEGREES = 0.25;
/** Latitude and longitude of points far from any coast. */
const MID_OCEAN = [
  ...([
    [0, -140],
    [0, -25],
    [-30, 80],
    [30, -45],
    [-45, -120],
    [40, -160],
  ] as const),
  ...([
    [-25, -10],
    [10, 65],
    [-55, 100],
    [85, 0],
    [20, 160],
    [-35, -25],
  ] as const),
] as const;

/** 20,000 of them, seeded; `leaves` are those of each country. */
export function makePointQueries(leaves: ReadonlyMap<string, readonly Point[]>): PointQuery[] {
  const random = createRandom(3);
  const countries = [...leaves.keys()];
  const borders = findBorders(leaves);
  const around = (spread: number): number => (random() - 0.5) * 2 * spread;
  const sometimes = (country: string): string | undefined => {
    const chance = random();
    return chance < 0.55 ? country : chance < 0.9 ? undefined : ANY_COUNTRY;
  };
  const oneOf = (codes: readonly string[]): string =>
    pick(
      random,
      codes.filter((code) => leaves.has(code)),
    );
  const near = (kind: string, { latitude, longitude }: Point, spread: number, country: string): PointQuery => {
    const [lat, lng] = [clamp(latitude + around(spread), 90), clamp(longitude + around(spread), 180)];
    return { kind, lat, lng, country: sometimes(country) };
  };
  const nearData = (kind: string, spread: number): PointQuery => {
    const country = pick(random, countries);
    return near(kind, pick(random, leaves.get(country) ?? []), spread, country);
  };
  const atBorder = (): PointQuery => {
    const [one, other] = shuffleTwo(random, pick(random, borders));
    const share = random();
    const between = (a: number, b: number): number => a + share * (b - a);
    const latitude = between(one.point.latitude, other.point.latitude);
    const longitude = between(one.point.longitude, other.point.longitude);
    return near('border', { latitude, longitude }, 0.05, one.country);
  };
  const kinds: [number, () => PointQuery][] = [
    [3_000, () => nearData('at data', 0)],
    [5_000, () => nearData('near data', 0.2)],
    [2_000, () => nearData('about data', 2)],
    [3_000, atBorder],
    [
      3_000,
      () => ({
        kind: 'anywhere',
        lat: Math.asin(around(1)) / DEGREES,
        lng: around(180),
        country: random() < 0.2 ? sometimes(pick(random, countries)) : undefined,
      }),
    ],
    [
      1_000,
      () => {
        const [latitude, longitude] = pick(random, MID_OCEAN);
        return near('mid-ocean', { latitude, longitude }, 5, pick(random, countries));
      },
    ],
    [
      2_000,
      () => ({
        kind: 'antimeridian',
        lat: pick(random, [around(90), 52 + around(3), 66 + around(4), -17 + around(4), -44 + around(3)]),
        lng: pick(random, [1, -1]) * (180 - pick(random, [0, random(), 6 * random()])),
        country: sometimes(oneOf(['NZ', 'RU', 'US', 'AS', 'WF', 'MH'])),
      }),
    ],
    [
      1_000,
      () => ({
        kind: 'pole',
        lat: pick(random, [1, -1]) * (90 - pick(random, [0, random(), 12 * random()])),
        lng: pick(random, [0, 180, -180, around(180)]),
        country: sometimes(oneOf(['SJ', 'NO', 'RU', 'GL', 'CA', 'HM', 'GS', 'FK'])),
      }),
    ],
  ];
  return kinds.flatMap(([times, make]) => Array.from({ length: times }, make));
}

interface CountryPoint {
  readonly country: string;
  readonly point: Point;
}

/** A leaf of each of the countries that have one in the same small cell, for every cell with several. */
function findBorders(leaves: ReadonlyMap<string, readonly Point[]>): CountryPoint[][] {
  const cells = new Map<string, Map<string, CountryPoint>>();
  for (const [country, points] of leaves) {
    for (const point of points) {
      const key = [point.latitude, point.longitude].map((degrees) => Math.floor(degrees / BORDER_CELL_DEGREES)).join();
      const cell = cells.get(key) ?? new Map<string, CountryPoint>();
      cells.set(key, cell);
      if (!cell.has(country)) cell.set(country, { country, point });
    }
  }
  return [...cells.values()].map((cell) => [...cell.values()]).filter(({ length }) => length > 1);
}

function shuffleTwo(random: () => number, list: readonly CountryPoint[]): [CountryPoint, CountryPoint] {
  const one = Math.floor(random() * list.length);
  const other = (one + 1 + Math.floor(random() * (list.length - 1))) % list.length;
  return [list[one] as CountryPoint, list[other] as CountryPoint];
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}
