/**
 * Reverse lookup against brute force at 20,000 seeded points: at data and near it, at borders, in mid-ocean, at the
 * antimeridian, at the poles, with the country given, inferred, and any. Brute force looks at every leaf of the country,
 * or of all countries; the squared chord between unit vectors finds those that can be nearest, geokdbush's `distance`
 * decides among them.
 */

import { expect, test } from '@jest/globals';
import { distance } from 'geokdbush';
import { listCountries } from '../../src/core/answers/countries.js';
import { reverse } from '../../src/core/answers/reverse.js';
import { findCountryAt } from '../../src/core/lookup/country-at-point.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import { ANY_COUNTRY } from '../../src/core/lookup/reverse.js';
import { countriesAround } from '../../src/core/snapshot/country-grid.js';
import { isCoarsePosition, POSITION_SOURCES } from '../../src/core/snapshot/place-positions.js';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import type { Country, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { makePointQueries, type PointQuery } from './point-queries.js';
import { count, countriesWithData, Failures, openRelease, parseAnswer, parsePlaces, printFigures } from './world.js';

const RADIUS_KM = 80;
const DEGREES = Math.PI / 180;

/** Sure localities, others, recipients. */
const TIERS = [0, 1, 2];

/** Leaves of a tier: what ties are decided by, and coordinates as unit vectors, x, y, z in turn. */
interface Tier {
  readonly places: readonly Pick<PlaceResource, 'id' | 'name' | 'postalCode' | 'latitude' | 'longitude'>[];
  readonly vectors: Float64Array;
}

/** The leaves of a country, by tier. */
interface Leaves {
  readonly number: number;
  readonly tiers: readonly Tier[];
}

test('20,000 points get the same nearest place as by brute force', () => {
  const snapshot = openRelease('2026-03');
  const leaves = collectLeaves(snapshot);
  const nearestCentre = createNearestCentre(snapshot);
  const failures = new Failures();
  const outcomes = new Map<string, number>();
  const kinds = new Map<string, number>();
  const queries = makePointQueries(
    new Map([...leaves].map(([code, { tiers }]) => [code, tiers.flatMap(({ places }) => places)])),
  );
  expect(queries).toHaveLength(20_000);
  const everywhere = [...leaves.values()];
  for (const query of queries) {
    const asked = query.country ?? findCountryAt(snapshot, query.lat, query.lng)?.entry.code;
    const country = asked ?? nearestCentre(query.lat, query.lng);
    const named = country === ANY_COUNTRY ? everywhere : [leaves.get(country) ?? []].flat();
    const groups = asked === undefined ? [named, everywhere] : [named];
    const isAsked = (group: readonly Leaves[]): readonly Leaves[] => {
      // Of a country that has nothing but recipients around these are not found, unless it is asked by name.
      const around = new Set(countriesAround(snapshot.countryGrid, query.lat, query.lng, RADIUS_KM));
      return group.filter(({ number }) => group !== everywhere || around.has(number));
    };
    const answers = TIERS.flatMap((tier) =>
      groups.map((group) =>
        findByBruteForce(
          isAsked(group).map(({ tiers }) => tiers[tier] as Tier),
          query,
        ),
      ),
    );
    const isEmpty = asked !== undefined && named.length === 0;
    const expected = isEmpty
      ? 'NO_POSTCODE_DATA'
      : (answers.find((answer) => !/^NO_/.test(answer)) ?? 'NO_NEARBY_PLACE');
    const found = ask(snapshot, query);
    if (found !== expected)
      failures.add(`${JSON.stringify(query)} in ${country}: ${found}, by brute force ${expected}`);
    const outcome = /^NO_/.test(expected) ? expected : 'place found';
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const kind = query.country === ANY_COUNTRY ? 'any country' : query.kind;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  expect(failures.shown).toEqual([]);
  expect(outcomes.get('place found')).toBeGreaterThan(10_000);
  const list = (counts: ReadonlyMap<string, number>): string =>
    [...counts].map(([key, times]) => `${key} ${count(times)}`).join(', ');
  printFigures(`nearest: ${count(queries.length)} points agree with brute force (${list(outcomes)}; ${list(kinds)})`);
});

function collectLeaves(snapshot: Snapshot): Map<string, Leaves> {
  return new Map(
    countriesWithData(snapshot).map(({ code, structures }) => {
      const { number } = snapshot.countryByCode.get(code) as Country;
      const places = parsePlaces(structures);
      const tierOf = (place: number): number => {
        if (places[place]?.type === 'recipient') return 2;
        return isCoarsePosition(POSITION_SOURCES[structures.positions.sources[place] as number]) ? 1 : 0;
      };
      const tiers = TIERS.map((tier) =>
        withVectors(places.filter(({ postalCode }, place) => postalCode !== null && tierOf(place) === tier)),
      );
      return [code, { number, tiers }];
    }),
  );
}

function withVectors(places: readonly PlaceResource[]): Tier {
  const vectors = new Float64Array(places.length * 3);
  places.forEach(({ latitude, longitude }, index) => {
    vectors.set(unitVector(latitude, longitude), index * 3);
  });
  const kept = places.map(({ id, name, postalCode, latitude, longitude }) => {
    return { id, name, postalCode, latitude, longitude };
  });
  return { places: kept, vectors };
}

function createNearestCentre(snapshot: Snapshot): (lat: number, lng: number) => string {
  const countries = parseAnswer<{ code: string; latitude: number | null; longitude: number | null }[]>(
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
function findByBruteForce(searched: readonly Tier[], { lat, lng }: PointQuery): string {
  const [x, y, z] = unitVector(lat, lng);
  const chordAt = (vectors: Float64Array, at: number): number =>
    ((vectors[at] as number) - x) ** 2 +
    ((vectors[at + 1] as number) - y) ** 2 +
    ((vectors[at + 2] as number) - z) ** 2;
  const leastOf = searched.map(({ vectors }) => {
    let least = Infinity;
    for (let at = 0; at < vectors.length; at += 3) {
      const chord = chordAt(vectors, at);
      if (chord < least) least = chord;
    }
    return least;
  });
  // Far wider than rounding: whatever could be nearest is among the candidates.
  const limit = Math.min(...leastOf) * (1 + 1e-6) + 1e-18;
  const candidates = searched
    .filter((_, index) => (leastOf[index] as number) <= limit)
    .flatMap(({ places, vectors }) => places.filter((_, index) => chordAt(vectors, index * 3) <= limit));
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

function ask(snapshot: Snapshot, { lat, lng, country }: PointQuery): string {
  try {
    const { place, distanceKm } = parseAnswer<{ place: PlaceResource; distanceKm: number }>(
      reverse(snapshot, { lat, lng, country }),
    );
    return `${place.id} ${distanceKm}`;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

function unitVector(lat: number, lng: number): [number, number, number] {
  const horizontal = Math.cos(lat * DEGREES);
  return [horizontal * Math.cos(lng * DEGREES), horizontal * Math.sin(lng * DEGREES), Math.sin(lat * DEGREES)];
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
