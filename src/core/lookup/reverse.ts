/**
 * Reverse geocoding: the nearest locality to a point, within 80 km, in the country that contains the point unless the
 * request names another or all. A locality with approximate coordinates, or a recipient, is the result only if no other
 * locality is near.
 */

import { decodeUtf8 } from '../snapshot/byte-string.js';
import { nearestCentre } from '../snapshot/country-centres.js';
import { countriesAround } from '../snapshot/country-grid.js';
import { findNearestInKdTree, type NearestPoint } from '../snapshot/kd-tree.js';
import { isPlace } from '../snapshot/place-tree.js';
import { POINT_TIERS, pointTier } from '../snapshot/point-index.js';
import { parsePlace, placeJsonAndComma } from '../snapshot/rendered-places.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import type { Circle } from '../snapshot/sphere.js';
import { findCountry, structuresOf } from './countries.js';
import { findCountryAt } from './country-at-point.js';

/** Maximum distance of the result in kilometres: the contract's limit. */
export const REVERSE_RADIUS_KM = 80;

export interface ReverseGeocodeRequest {
  readonly lat: number;
  readonly lng: number;
  /** Undefined: the country that contains the point, see listCountriesAt. ANY_COUNTRY: all countries. */
  readonly country: string | undefined;
}

/** Stands for every country. */
export const ANY_COUNTRY = 'any';

interface Found {
  readonly structures: CountryStructures;
  readonly point: NearestPoint;
}

/** Countries that are searched only if those before them have no place near. */
type CountryGroup = readonly Country[];

/** The nearest place; undefined if there is none near. A country without data is the error NO_POSTCODE_DATA. */
export function reverseGeocode(snapshot: Snapshot, request: ReverseGeocodeRequest): Found | undefined {
  const { lat, lng, country } = request;
  const circle = { lat, lng, radiusKm: REVERSE_RADIUS_KM };
  if (country === undefined) return findIn(listCountriesAt(snapshot, circle), circle);
  return findIn([country === ANY_COUNTRY ? around(snapshot, circle) : [findCountry(snapshot, country)]], circle);
}

/**
 * The countries in which the place nearest to the middle of a circle is looked for: the country that contains this point,
 * with or without data; at sea the country with the nearest centre, then all around.
 */
export function listCountriesAt(snapshot: Snapshot, circle: Circle): CountryGroup[] {
  const country = findCountryAt(snapshot, circle.lat, circle.lng);
  return country === undefined ? [nearestCountry(snapshot, circle), around(snapshot, circle)] : [[country]];
}

/** The nearest place, tier by tier. */
function findIn(groups: readonly CountryGroup[], circle: Circle): Found | undefined {
  for (let tier = 0; tier < POINT_TIERS.length; tier++) {
    for (const countries of groups) {
      const found = breakTie(findAll(countries.map(structuresOf), tier, circle));
      if (found !== undefined && isPlace(found.structures.tree, found.point.place)) return found;
    }
  }
  return undefined;
}

/** The countries that can have a place in the circle. */
function around({ countryGrid, countries }: Snapshot, { lat, lng, radiusKm }: Circle): Country[] {
  return [...countriesAround(countryGrid, lat, lng, radiusKm)].flatMap((number) => countries[number] ?? []);
}

/** The country with the nearest centre; none if that country has no data. */
function nearestCountry({ centreVectors, countries }: Snapshot, { lat, lng }: Circle): Country[] {
  const country = countries[nearestCentre(centreVectors, lat, lng) ?? -1];
  return country?.structures === undefined ? [] : [country];
}

/** All places of a tier at the least distance. */
function findAll(
  countries: readonly CountryStructures[],
  tier: number,
  { lat, lng, radiusKm: mostKm }: Circle,
): Found[] {
  let nearest: Found[] = [];
  let nearestKm = Infinity;
  for (const structures of countries) {
    // Slightly more than the least distance so far, so that rounding inside the search excludes no equal distance.
    const radiusKm = Math.min(mostKm, nearestKm * (1 + 1e-9) + 1e-9);
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
