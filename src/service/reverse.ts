/**
 * Endpoint 9: the nearest locality to a point, within 80 km; one whose coordinates are not sure, or a recipient, only
 * where no other is near.
 */
import { parsePlaceAnswer } from '../format/place-answers.js';
import { POINT_TIERS, pointTier } from '../format/point-index.js';
import { type ByteString, decodeUtf8 } from '../store/byte-string.js';
import { nearestCentre } from '../store/country-centres.js';
import { countriesAround } from '../store/country-grid.js';
import { placeJsonAndComma } from '../store/place-answers.js';
import { isPlace } from '../store/place-tree.js';
import { findNearest, type NearestPoint } from '../store/point-index.js';
import type { Country, CountryStructures, Snapshot } from '../store/snapshot.js';
import { DomainError } from './domain-error.js';
import { findCountry, structuresOf } from './find-country.js';
import { renderPlaceDetail } from './place-detail.js';

export const REVERSE_RADIUS_KM = 80;

interface ReverseRequest {
  readonly lat: number;
  readonly lng: number;
  /** Undefined: the country whose centre is nearest, or all of them where it has nothing near. ANY_COUNTRY: all of them. */
  readonly country: string | undefined;
}

/** Stands for every country. */
export const ANY_COUNTRY = 'any';

interface Found {
  readonly structures: CountryStructures;
  readonly point: NearestPoint;
}

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or NO_NEARBY_PLACE. */
export function reverse(snapshot: Snapshot, request: ReverseRequest): ByteString {
  const { lat, lng, country } = request;
  const found = findNear(snapshot, request);
  if (found === undefined) {
    const where = country === undefined || country === ANY_COUNTRY ? '' : ` in ${country}`;
    throw new DomainError(
      'NO_NEARBY_PLACE',
      `There is no place within ${REVERSE_RADIUS_KM} km of ${lat}, ${lng}${where}.`,
    );
  }
  const { structures, point } = found;
  return `{"place":${renderPlaceDetail(structures, point.place)},"distanceKm":${roundToMetres(point.distanceKm)}}`;
}

function findNear(snapshot: Snapshot, request: ReverseRequest): Found | undefined {
  const { country } = request;
  if (country !== undefined && country !== ANY_COUNTRY) {
    return findIn([[findCountry(snapshot, country)]], request);
  }
  const inferred = country === undefined ? nearestCountry(snapshot, request) : [];
  return findIn([inferred, () => around(snapshot, request)], request);
}

/** Asks the countries of each group only where those of the groups before have nothing, tier by tier. */
function findIn(
  groups: readonly (readonly Country[] | (() => readonly Country[]))[],
  request: ReverseRequest,
): Found | undefined {
  for (let tier = 0; tier < POINT_TIERS.length; tier++) {
    for (const group of groups) {
      const countries = typeof group === 'function' ? group() : group;
      const found = firstOfEquals(findAll(countries.map(structuresOf), tier, request));
      if (found !== undefined && isPlace(found.structures.tree, found.point.place)) return found;
    }
  }
  return undefined;
}

/** The countries that have anything near. */
function around({ countryGrid, countries }: Snapshot, { lat, lng }: ReverseRequest): Country[] {
  return [...countriesAround(countryGrid, lat, lng, REVERSE_RADIUS_KM)].flatMap((number) => countries[number] ?? []);
}

/** The contract's rule to the letter: that of the nearest centre; none where it has no data. */
function nearestCountry({ centreVectors, countries }: Snapshot, { lat, lng }: ReverseRequest): Country[] {
  const country = countries[nearestCentre(centreVectors, lat, lng) ?? -1];
  return country?.structures === undefined ? [] : [country];
}

/** Every place of the least distance in a tier. */
function findAll(countries: readonly CountryStructures[], tier: number, { lat, lng }: ReverseRequest): Found[] {
  let nearest: Found[] = [];
  let nearestKm = Infinity;
  for (const structures of countries) {
    // A hair more than what is found already, so that rounding inside the search loses no equal.
    const radiusKm = Math.min(REVERSE_RADIUS_KM, nearestKm * (1 + 1e-9) + 1e-9);
    const points = findNearest(pointTier(structures.points, tier), { lat, lng, radiusKm });
    const distanceKm = points[0]?.distanceKm ?? Infinity;
    if (distanceKm > nearestKm || points.length === 0) continue;
    const found = points.map((point) => ({ structures, point }));
    nearest = distanceKm === nearestKm ? [...nearest, ...found] : found;
    nearestKm = distanceKm;
  }
  return nearest;
}

/** Of places at the same distance the one with the lowest code, then name, then id. Mostly there is just one. */
function firstOfEquals(nearest: readonly Found[]): Found | undefined {
  if (nearest.length < 2) return nearest[0];
  const keyed = nearest.flatMap((found) => {
    const json = decodeUtf8(placeJsonAndComma(found.structures.answers, found.point.place));
    const place = parsePlaceAnswer(json, 0)?.place;
    // In a damaged file an answer can be something else.
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

function roundToMetres(km: number): number {
  return Math.round(km * 1000) / 1000;
}
