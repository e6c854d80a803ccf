/**
 * The places or postal codes nearest to a point, in any country. A search stops at the distance of the last entry of a full
 * list, so the work grows with `limit` and hardly with the radius. Once enough are found in one country, the search of each
 * further country stops at the distance of the last of these: about 25 µs for eight places.
 *
 * Of the localities of a country at one point, and of its recipients there, one stands for all in a list of places: the
 * place with the lowest code, then name, then id. A list of codes has all their codes.
 */

import { countriesAround } from '../snapshot/country-grid.js';
import { codesOfFirstPart, type FullCode, fullCodeAt, listNearestCodes } from '../snapshot/full-codes.js';
import { listNearestInKdTree, visitKdTree } from '../snapshot/kd-tree.js';
import { isPlace } from '../snapshot/place-tree.js';
import { POINT_TIERS, type PointTier, pointCodes, pointTier } from '../snapshot/point-index.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import type { Circle, Position } from '../snapshot/sphere.js';

type TierName = (typeof POINT_TIERS)[number];

export interface NearPlace {
  readonly country: Country;
  readonly place: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly distanceKm: number;
}

export interface NearPostcode {
  readonly country: Country;
  readonly structures: CountryStructures;
  /** The code's number in the country's postcode index. Full codes are counted on from there, by their numbers. */
  readonly code: number;
  /** The full code, if the code is one. */
  readonly fullCode?: FullCode;
  /** Of the code's place that is nearest to the centre. */
  readonly latitude: number;
  readonly longitude: number;
  readonly distanceKm: number;
}

interface NearestRequest extends Circle {
  readonly limit: number;
  /** The countries that are searched; undefined for all. */
  readonly countries?: readonly Country[] | undefined;
  readonly tiers: readonly TierName[];
}

/** A tier of a country. */
interface SearchedTier {
  readonly country: Country;
  readonly structures: CountryStructures;
  readonly tier: TierName;
  readonly points: PointTier;
}

/** The nearest places, at most `limit`, the nearest first, then by country and place number. */
export function listNearbyPlaces(snapshot: Snapshot, request: NearestRequest): NearPlace[] {
  const { lat, lng, limit } = request;
  let found: NearPlace[] = [];
  for (const { country, structures, tier, points } of searchedTiers(snapshot, request)) {
    const circle = { lat, lng, radiusKm: found[limit - 1]?.distanceKm ?? request.radiusKm };
    for (const { point, place, distanceKm } of listNearestInKdTree(points, circle, limit)) {
      const near = { country, place, ...positionOf(points, point), distanceKm };
      const isListed = tier === 'coarse' && found.some((other) => isSamePoint(near, other));
      if (isPlace(structures.tree, place) && !isListed) found.push(near);
    }
    found.sort(compareNearPlaces);
    found = found.slice(0, limit);
  }
  return found;
}

/** The nearest codes, each once, at most `limit`, the nearest first, then by country and code. */
export function listNearbyPostcodes(snapshot: Snapshot, request: NearestRequest): NearPostcode[] {
  const { lat, lng, limit } = request;
  const found: NearPostcode[] = [];
  // The nearest entry of each code of a country so far: in some countries thousands of places share a few codes.
  const nearest = new Map<Country, Map<number, NearPostcode>>();
  let radiusKm = request.radiusKm;
  for (const { country, structures, tier, points } of searchedTiers(snapshot, request)) {
    const { fullCodes, postcodes } = structures;
    if (fullCodes !== undefined && tier === 'sure') {
      for (const { place: number, distanceKm } of listNearestCodes(fullCodes, { lat, lng, radiusKm }, limit)) {
        const fullCode = fullCodeAt(fullCodes, number);
        const { latitude, longitude } = fullCode;
        const code = postcodes.codeCount + number;
        insert(found, { country, structures, code, fullCode, latitude, longitude, distanceKm });
      }
      found.splice(limit);
      if (found.length === limit) radiusKm = (found[limit - 1] as NearPostcode).distanceKm;
    }
    const known = nearest.get(country) ?? new Map<number, NearPostcode>();
    nearest.set(country, known);
    visitKdTree(points, { lat, lng, radiusKm }, (point, distanceKm) => {
      // The codes of a point are equally far, so no code after the first `limit` codes is ever in the list.
      for (const code of pointCodes(points, point, limit)) {
        const near = { country, structures, code, ...positionOf(points, point), distanceKm };
        const last = found[limit - 1];
        if (last !== undefined && comparePostcodes(near, last) >= 0) break;
        const other = known.get(code);
        if ((other?.distanceKm ?? Infinity) <= distanceKm || code >= postcodes.codeCount) continue;
        // The full codes of this first part are listed instead.
        const own = fullCodes && codesOfFirstPart(fullCodes, code);
        if (own !== undefined && own.start < own.end) continue;
        known.set(code, near);
        insert(found, near, other);
        if (found.length > limit) found.pop();
      }
      if (found.length === limit) radiusKm = (found[limit - 1] as NearPostcode).distanceKm;
      return radiusKm;
    });
  }
  return found;
}

/** Inserts a code into the list in its order, in place of `other`, which is the same code farther away. */
function insert(found: NearPostcode[], code: NearPostcode, other?: NearPostcode): void {
  const replaced = other === undefined ? -1 : found.indexOf(other);
  if (replaced !== -1) found.splice(replaced, 1);
  let at = found.length;
  while (at > 0 && comparePostcodes(code, found[at - 1] as NearPostcode) < 0) at--;
  found.splice(at, 0, code);
}

/** The tiers of the countries that can have a place within the circle. */
function* searchedTiers(snapshot: Snapshot, { lat, lng, radiusKm, countries, tiers }: NearestRequest) {
  const around =
    countries ??
    [...countriesAround(snapshot.countryGrid, lat, lng, radiusKm)].map((number) => snapshot.countries[number]);
  for (const country of new Set(around)) {
    const structures = country?.structures;
    if (country === undefined || structures === undefined) continue;
    for (const tier of tiers) {
      const points = pointTier(structures.points, POINT_TIERS.indexOf(tier));
      yield { country, structures, tier, points } satisfies SearchedTier;
    }
  }
}

function positionOf({ coords }: PointTier, point: number): Position {
  return { latitude: coords[point * 2 + 1] as number, longitude: coords[point * 2] as number };
}

function isSamePoint(a: NearPlace, b: NearPlace): boolean {
  return a.country === b.country && a.latitude === b.latitude && a.longitude === b.longitude;
}

function compareNearPlaces(a: NearPlace, b: NearPlace): number {
  return a.distanceKm - b.distanceKm || a.country.number - b.country.number || a.place - b.place;
}

function comparePostcodes(a: NearPostcode, b: NearPostcode): number {
  return a.distanceKm - b.distanceKm || a.country.number - b.country.number || a.code - b.code;
}
