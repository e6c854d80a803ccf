/**
 * Reverse lookup against brute force at 20,000 seeded points: near data and at it, anywhere on the globe, at the
 * antimeridian, at the poles, with the country given and inferred. Brute force looks at every leaf of the country; the
 * squared chord between unit vectors finds those that can be nearest, geokdbush's `distance` decides among them.
 */
import { expect, test } from '@jest/globals';
import { distance } from 'geokdbush';
import type { PlaceAnswer } from '../../src/format/place-answers.js';
import { DomainError } from '../../src/service/domain-error.js';
import { listCountries } from '../../src/service/list-countries.js';
import { reverse } from '../../src/service/reverse.js';
import type { Snapshot } from '../../src/store/snapshot.js';
import {
  count,
  countriesWithData,
  createRandom,
  Failures,
  openRelease,
  parsePieces,
  parsePlaces,
  pick,
  printFigures,
} from './world.js';

const RADIUS_KM = 80;
const DEGREES = Math.PI / 180;

interface Query {
  readonly kind: string;
  readonly lat: number;
  readonly lng: number;
  readonly country: string | undefined;
}

/** The leaves of a country: what ties are decided by, and coordinates as unit vectors, x, y, z in turn. */
interface Leaves {
  readonly places: readonly Pick<PlaceAnswer, 'id' | 'name' | 'postalCode' | 'latitude' | 'longitude'>[];
  readonly vectors: Float64Array;
}

test('20,000 points get the same nearest place as by brute force', () => {
  const snapshot = openRelease('2026-03');
  const leaves = collectLeaves(snapshot);
  const nearestCentre = createNearestCentre(snapshot);
  const failures = new Failures();
  const outcomes = new Map<string, number>();
  const queries = makeQueries(leaves);
  expect(queries).toHaveLength(20_000);
  for (const query of queries) {
    const country = query.country ?? nearestCentre(query.lat, query.lng);
    const ofCountry = leaves.get(country);
    const expected = ofCountry === undefined ? 'NO_POSTCODE_DATA' : findByBruteForce(ofCountry, query);
    const found = ask(snapshot, query);
    if (found !== expected)
      failures.add(`${JSON.stringify(query)} in ${country}: ${found}, by brute force ${expected}`);
    const outcome = /^NO_/.test(expected) ? expected : 'place found';
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  expect(failures.shown).toEqual([]);
  expect(outcomes.get('place found')).toBeGreaterThan(10_000);
  const summary = [...outcomes].map(([outcome, times]) => `${outcome} ${count(times)}`).join(', ');
  printFigures(`nearest: ${count(queries.length)} points agree with brute force (${summary})`);
});

function collectLeaves(snapshot: Snapshot): Map<string, Leaves> {
  return new Map(
    countriesWithData(snapshot).map(({ code, structures }) => {
      const places = parsePlaces(structures)
        .filter(({ type }) => type === 'locality')
        .map(({ id, name, postalCode, latitude, longitude }) => ({ id, name, postalCode, latitude, longitude }));
      const vectors = new Float64Array(places.length * 3);
      places.forEach(({ latitude, longitude }, index) => {
        vectors.set(unitVector(latitude, longitude), index * 3);
      });
      return [code, { places, vectors }];
    }),
  );
}

function createNearestCentre(snapshot: Snapshot): (lat: number, lng: number) => string {
  const countries = parsePieces<{ code: string; latitude: number | null; longitude: number | null }[]>(
    listCountries(snapshot, { hasPostcodes: undefined }),
  );
  return (lat, lng) => {
    let nearest = '';
    let nearestKm = Infinity;
    for (const { code, latitude, longitude } of countries) {
      const km = latitude === null || longitude === null ? Infinity : distance(lng, lat, longitude, latitude);
      if (km >= nearestKm) continue;
      nearest = code;
      nearestKm = km;
    }
    return nearest;
  };
}

/** Id and distance in metres of the nearest leaf; of several the one with the lowest code, then name, then id. */
function findByBruteForce({ places, vectors }: Leaves, { lat, lng }: Query): string {
  const [x, y, z] = unitVector(lat, lng);
  let least = Infinity;
  for (let at = 0; at < vectors.length; at += 3) {
    const chord =
      ((vectors[at] as number) - x) ** 2 +
      ((vectors[at + 1] as number) - y) ** 2 +
      ((vectors[at + 2] as number) - z) ** 2;
    if (chord < least) least = chord;
  }
  // Far wider than rounding: whatever could be nearest is among the candidates.
  const limit = least * (1 + 1e-6) + 1e-18;
  const candidates = places.filter((_, index) => {
    const at = index * 3;
    return (
      ((vectors[at] as number) - x) ** 2 +
        ((vectors[at + 1] as number) - y) ** 2 +
        ((vectors[at + 2] as number) - z) ** 2 <=
      limit
    );
  });
  const distances = candidates.map(({ latitude, longitude }) => distance(lng, lat, longitude, latitude));
  const nearestKm = Math.min(...distances);
  if (nearestKm > RADIUS_KM) return 'NO_NEARBY_PLACE';
  const [best] = candidates
    .filter((_, index) => distances[index] === nearestKm)
    .sort(
      (a, b) =>
        compareBytes(a.postalCode ?? '', b.postalCode ?? '') ||
        compareBytes(a.name, b.name) ||
        compareBytes(a.id, b.id),
    );
  return `${best?.id} ${Math.round(nearestKm * 1000) / 1000}`;
}

function ask(snapshot: Snapshot, { lat, lng, country }: Query): string {
  try {
    const { place, distanceKm } = parsePieces<{ place: PlaceAnswer; distanceKm: number }>(
      reverse(snapshot, { lat, lng, country }),
    );
    return `${place.id} ${distanceKm}`;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

function makeQueries(leaves: ReadonlyMap<string, Leaves>): Query[] {
  const random = createRandom(3);
  const countries = [...leaves.keys()];
  const around = (spread: number): number => (random() - 0.5) * 2 * spread;
  const sometimes = (country: string): string | undefined => (random() < 0.6 ? country : undefined);
  const nearData = (kind: string, spread: number): Query => {
    const country = pick(random, countries);
    const { latitude, longitude } = pick(random, leaves.get(country)?.places ?? []);
    const [lat, lng] = [clamp(latitude + around(spread), 90), clamp(longitude + around(spread), 180)];
    return { kind, lat, lng, country: sometimes(country) };
  };
  const kinds: [number, () => Query][] = [
    [4_000, () => nearData('at data', 0)],
    [7_000, () => nearData('near data', 0.2)],
    [2_000, () => nearData('about data', 2)],
    [
      4_000,
      () => ({
        kind: 'anywhere',
        lat: Math.asin(around(1)) / DEGREES,
        lng: around(180),
        country: random() < 0.2 ? pick(random, countries) : undefined,
      }),
    ],
    [
      2_000,
      () => ({
        kind: 'antimeridian',
        lat: pick(random, [around(90), 52 + around(3), 66 + around(4), -17 + around(4), -44 + around(3)]),
        lng: pick(random, [1, -1]) * (180 - pick(random, [0, random(), 6 * random()])),
        country: sometimes(
          pick(
            random,
            ['NZ', 'RU', 'US', 'AS', 'WF', 'MH'].filter((code) => leaves.has(code)),
          ),
        ),
      }),
    ],
    [
      1_000,
      () => ({
        kind: 'pole',
        lat: pick(random, [1, -1]) * (90 - pick(random, [0, random(), 12 * random()])),
        lng: pick(random, [0, 180, -180, around(180)]),
        country: sometimes(
          pick(
            random,
            ['SJ', 'NO', 'RU', 'GL', 'CA', 'HM', 'GS', 'FK'].filter((code) => leaves.has(code)),
          ),
        ),
      }),
    ],
  ];
  return kinds.flatMap(([times, make]) => Array.from({ length: times }, make));
}

function unitVector(lat: number, lng: number): [number, number, number] {
  const horizontal = Math.cos(lat * DEGREES);
  return [horizontal * Math.cos(lng * DEGREES), horizontal * Math.sin(lng * DEGREES), Math.sin(lat * DEGREES)];
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
