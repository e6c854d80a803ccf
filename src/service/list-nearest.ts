/** The localities nearest to a point, of whatever country: what the site shows beside a place. */
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
}

/** One place for each point, at most `limit`, the nearest first. */
export function listNearest(snapshot: Snapshot, request: NearestRequest): NearPlace[] {
  const { lat, lng, radiusKm, limit } = request;
  const found: NearPlace[] = [];
  for (const number of countriesAround(snapshot.countryGrid, lat, lng, radiusKm)) {
    const country = snapshot.countries[number];
    const structures = country?.structures;
    if (country === undefined || structures === undefined) continue;
    for (const { place, distanceKm } of listNearestIn(
      pointTier(structures.points, SURE),
      snapshot.pointPositions,
      request,
    )) {
      if (isPlace(structures.tree, place)) found.push({ country, place, distanceKm });
    }
  }
  return found.sort((a, b) => a.distanceKm - b.distanceKm).slice(0, limit);
}
