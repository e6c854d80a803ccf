/**
 * A plain implementation of every lookup, to compare the store with: lists, maps and scans over the answers of a
 * snapshot, nothing clever, and nothing of the store's but the slice that an answer is. That the answers are those of
 * the rows is a test of its own (test/world/answers.world.ts).
 */

import { distance } from 'geokdbush';
import { decodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { compactPostcode } from '../../src/core/snapshot/postcode-spelling.js';
import { type PlaceResource, placeJson } from '../../src/core/snapshot/rendered-places.js';
import type { Country, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { listSuggestablePlaces, type SuggestablePlace } from '../fixtures/suggestable-places.js';

export interface OraclePlace extends PlaceResource {
  /** The number that the snapshot knows the place by. */
  readonly number: number;
}

export interface OracleCountry {
  readonly code: string;
  readonly country: Country;
  readonly places: readonly OraclePlace[];
  readonly placesById: ReadonlyMap<string | null, OraclePlace>;
  readonly childrenById: ReadonlyMap<string | null, readonly OraclePlace[]>;
  readonly leavesByCompactCode: ReadonlyMap<string | null, readonly OraclePlace[]>;
  readonly leavesByType: ReadonlyMap<string | null, readonly OraclePlace[]>;
  /** The places that can be suggested, best first. */
  readonly suggestable: readonly SuggestablePlace[];
}

const collator = new Intl.Collator('en');

export function createOracle(snapshot: Snapshot): OracleCountry[] {
  return snapshot.countries.flatMap((country): OracleCountry[] => {
    const { structures } = country;
    if (structures === undefined) return [];
    const places = Array.from({ length: structures.tree.placeCount }, (_, number): OraclePlace => {
      const json = decodeUtf8(placeJson(structures.renderedPlaces, number));
      return { ...(JSON.parse(json) as PlaceResource), number };
    });
    return [
      {
        code: country.entry.code,
        country,
        places,
        placesById: new Map(places.map((place) => [place.id, place])),
        childrenById: groupBy(places, ({ parentId }) => parentId),
        leavesByCompactCode: groupBy(places, ({ postalCode }) => postalCode && compactPostcode(postalCode)),
        leavesByType: groupBy(
          places.filter(({ postalCode }) => postalCode !== null),
          ({ type }) => type,
        ),
        suggestable: listSuggestablePlaces(snapshot, country, places),
      },
    ];
  });
}

function groupBy<T>(list: readonly T[], keyOf: (item: T) => string | null): Map<string | null, T[]> {
  const groups = new Map<string | null, T[]>();
  for (const item of list) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** By name then id: Unicode root collation, then code points, then the id. */
export function compareByName(a: PlaceResource, b: PlaceResource): number {
  return collator.compare(a.name, b.name) || compareText(a.name, b.name) || compareText(a.id, b.id);
}

export function oracleLevel({ places }: OracleCountry, level: number | undefined): OraclePlace[] {
  return places.filter((place) => level === undefined || place.level === level).sort(compareByName);
}

export function oracleChildren({ childrenById }: OracleCountry, id: string | null): OraclePlace[] {
  return [...(childrenById.get(id) ?? [])].sort(compareByName);
}

export function oracleAncestors(country: OracleCountry, place: OraclePlace): OraclePlace[] {
  const parent = country.placesById.get(place.parentId);
  return parent === undefined ? [] : [...oracleAncestors(country, parent), parent];
}

/** The places of exactly this code, or else of the lowest code that is the same without spaces and hyphens. */
export function oraclePostcode({ leavesByCompactCode }: OracleCountry, code: string): OraclePlace[] {
  const leaves = leavesByCompactCode.get(compactPostcode(code)) ?? [];
  const codes = leaves.map(({ postalCode }) => postalCode as string).sort(compareText);
  const spelling = codes.includes(code) ? code : codes[0];
  return leaves.filter(({ postalCode }) => postalCode === spelling).sort(compareByName);
}

export interface OracleNearest {
  readonly distanceKm: number;
  /** The numbers of every leaf at that distance. */
  readonly numbers: ReadonlySet<number>;
}

/** A little less than a degree of latitude has, in kilometres: 6371 km · π / 180 = 111.19 km on geokdbush's sphere. */
const LEAST_KM_OF_DEGREE = 111;

export function oracleNearest(
  { leavesByType }: OracleCountry,
  { lat, lng, radiusKm }: { readonly lat: number; readonly lng: number; readonly radiusKm: number },
): OracleNearest | undefined {
  // A recipient is an answer only where no locality is.
  for (const wanted of ['locality', 'recipient']) {
    let distanceKm = Number.POSITIVE_INFINITY;
    let numbers = new Set<number>();
    for (const { number, latitude, longitude } of leavesByType.get(wanted) ?? []) {
      // Most places are farther than that by their latitude alone, which spares nine tenths of the time.
      if (Math.abs(lat - latitude) * LEAST_KM_OF_DEGREE > radiusKm) continue;
      const km = distance(lng, lat, longitude, latitude);
      if (km > radiusKm || km > distanceKm) continue;
      if (km < distanceKm) numbers = new Set();
      numbers.add(number);
      distanceKm = km;
    }
    if (numbers.size > 0) return { distanceKm, numbers };
  }
  return undefined;
}
