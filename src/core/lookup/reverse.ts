/**
 * Reverse geocoding: the nearest locality to a point, within 80 km. A locality with approximate coordinates, or a
 * recipient, is the result only if no other locality is near.
 */

import { decodeUtf8 } from '../snapshot/byte-string.js';
import { nearestCentre } from '../snapshot/country-centres.js';
import { countriesAround } from '../snapshot/country-grid.js';
import { findNearestInKdTree, type NearestPoint } from '../snapshot/kd-tree.js';
import { isPlace } from '../snapshot/place-tree.js';
import { POINT_TIERS, pointTier } from '../snapshot/point-index.js';
import { parsePlace, placeJsonAndComma } from '../snapshot/rendered-places.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { findCountry, structuresOf } from './countries.js';

/** Maximum distance of the result in kilometres: the contract's limit. */
export const REVERSE_RADIUS_KM = 80;

export interface ReverseGeocodeRequest {
  readonly lat: number;
  readonly lng: number;
  /**
   * Undefined: the country with the nearest centre, or all countries if it has no place near. ANY_COUNTRY: all
   * countries.
   */
  readonly country: string | undefined;
}

/** Stands for every country. */
export const ANY_COUNTRY = 'any';

interface Found {
  readonly structures: CountryStructures;
  readonly point: NearestPoint;
}

/** The nearest place; undefined if there is none near. */
export function reverseGeocode(snapshot: Snapshot, request: ReverseGeocodeRequest): Found | undefined {
  const { country } = request;
  if (country !== undefined && country !== ANY_COUNTRY) {
    return findIn([[findCountry(snapshot, country)]], request);
  }
  const inferred = country === undefined ? nearestCountry(snapshot, request) : [];
  return findIn([inferred, () => around(snapshot, request)], request);
}

/**
 * The nearest place, tier by tier. A group of countries is searched only if the groups before it have no place near.
 */
function findIn(
  groups: readonly (readonly Country[] | (() => readonly Country[]))[],
  request: ReverseGeocodeRequest,
): Found | undefined {
  for (let tier = 0; tier < POINT_TIERS.length; tier++) {
    for (const group of groups) {
      const countries = typeof group === 'function' ? group() : group;
      const found = breakTie(findAll(countries.map(structuresOf), tier, request));
      if (found !== undefined && isPlace(found.structures.tree, found.point.place)) return found;
    }
  }
  return undefined;
}

/** The countries that can have a place near the point. */
function around({ countryGrid, countries }: Snapshot, { lat, lng }: ReverseGeocodeRequest): Country[] {
  return [...countriesAround(countryGrid, lat, lng, REVERSE_RADIUS_KM)].flatMap((number) => countries[number] ?? []);
}

/** The contract's rule: the country with the nearest centre; none if that country has no data. */
function nearestCountry({ centreVectors, countries }: Snapshot, { lat, lng }: ReverseGeocodeRequest): Country[] {
  const country = countries[nearestCentre(centreVectors, lat, lng) ?? -1];
  return country?.structures === undefined ? [] : [country];
}

/** All places of a tier at the least distance. */
function findAll(countries: readonly CountryStructures[], tier: number, { lat, lng }: ReverseGeocodeRequest): Found[] {
  let nearest: Found[] = [];
  let nearestKm = Infinity;
  for (const structures of countries) {
    // Slightly more than the least distance so far, so that rounding inside the search excludes no equal distance.
    const radiusKm = Math.min(REVERSE_RADIUS_KM, nearestKm * (1 + 1e-9) + 1e-9);
    const points = findNearestInKdTree(pointTier(structures.points, tier), { lat, lng, radiusKm });
    const distanceKm = points[0]?.distanceKm ?? Infinity;
    if (distanceKm > nearestKm || points.length === 0) continue;
    const found = points.map((point) => ({ structures, point }));
    nearest = distanceKm === nearestKm ? [...nearest, ...found] : found;
    nearestKm = distanceKm;
  }
  return nearest;
}

/**
 * Of places at the same distance the place with the lowest code, then name, then id. Usually there is only one place.
 */
function breakTie(nearest: readonly Found[]): Found | undefined {
  if (nearest.length < 2) return nearest[0];
  const keyed = nearest.flatMap((found) => {
    // The order is that of the places' own names in every language.
    const rendered = { ...found.structures.renderedPlaces, otherNames: undefined };
    const json = decodeUtf8(placeJsonAndComma(rendered, found.point.place));
    const place = parsePlace(json, 0)?.place;
    // In a damaged file a rendered place can be invalid.
    return place === undefined ? [] : { found, key: [place.postalCode ?? '', place.name, place.id] };
  });
  keyed.sort((a, b) => compareKeys(a.key, b.key));
  return keyed[0]?.found;
}

function compareKeys(a: readonly string[], b: readonly string[]): number {
  const difference = a.findIndex((part, index) => part !== b[index]);
  if (difference === -1) return 0;
  return Buffer.compare(Buffer.from(a[difference] as string), Buffer.from(b[difference] as string));
}
