/**
 * The localities nearest to a point, in any country, for the site's list of nearby places. Once enough are found in one
 * country, the search of each further country stops at the distance of the last of these: about 25 µs if the country
 * with most of them is searched first.
 */
import { POINT_TIERS, pointTier } from '../format/point-index.js';
import { countriesAround } from '../store/country-grid.js';
import { isPlace } from '../store/place-tree.js';
import { listNearest as listNearestIn } from '../store/point-index.js';
import type { Country, Snapshot } from '../store/snapshot.js';

const SURE = POINT_TIERS.indexOf('sure');

export interface NearPlace {
  readonly country: Country;
  readonly place: number;
  readonly distanceKm: number;
}

interface NearestRequest {
  readonly lat: number;
  readonly lng: number;
  readonly radiusKm: number;
  readonly limit: number;
  /** The country that is searched first: the country with the most of these localities, as far as the caller knows. */
  readonly home: Country;
}

/** The nearest localities, one for each point, at most `limit`, the nearest first. */
export function listNearest(snapshot: Snapshot, request: NearestRequest): NearPlace[] {
  const { lat, lng, radiusKm, limit, home } = request;
  const around = [...countriesAround(snapshot.countryGrid, lat, lng, radiusKm)].map(
    (number) => snapshot.countries[number],
  );
  let found: NearPlace[] = [];
  for (const country of new Set([home, ...around])) {
    const structures = country?.structures;
    if (country === undefined || structures === undefined) continue;
    const last = found[limit - 1];
    const circle = { lat, lng, radiusKm: last?.distanceKm ?? radiusKm };
    for (const { place, distanceKm } of listNearestIn(pointTier(structures.points, SURE), circle, limit)) {
      if (isPlace(structures.tree, place)) found.push({ country, place, distanceKm });
    }
    found = found.sort((a, b) => a.distanceKm - b.distanceKm).slice(0, limit);
  }
  return found;
}
