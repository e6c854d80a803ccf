/**
 * The places or postal codes around a point, a code or a place, across borders. A search stops at the distance of the
 * last entry of a full list, so the work grows with `limit` and hardly with the radius.
 */

import type { Position } from '../format/spherical-mean.js';
import { type ByteString, encodeUtf8 } from '../store/byte-string.js';
import { codeText } from '../store/postcode-index.js';
import type { CountryStructures, Snapshot } from '../store/snapshot.js';
import { roundToMetres } from './distance-km.js';
import { DomainError } from './domain-error.js';
import { findCountry, structuresOf } from './find-country.js';
import { findPlacePosition, findPostcodePosition } from './find-position.js';
import { listNearest, listNearestPostcodes, type NearPlace, type NearPostcode } from './list-nearest.js';
import { CENTRE, findCentreFaults } from './nearby-centre.js';
import { type Include, renderPlaceDetail } from './place-detail.js';

/** Maximum radius in kilometres. */
export const MAX_NEARBY_RADIUS_KM = 200;
/** Maximum number of entries of a list. */
export const MAX_NEARBY = 100;
/** Maximum number of countries of `countries`. */
export const MAX_NEARBY_COUNTRIES = 10;

/** The types of places that can be listed, with the tiers of points that have them. */
const TIERS_BY_TYPE = { locality: ['sure', 'coarse'], recipient: ['recipient'] } as const;

export type NearbyType = keyof typeof TIERS_BY_TYPE;
export const NEARBY_TYPES: readonly NearbyType[] = ['locality', 'recipient'];

export const NEARBY_ENTRIES = ['place', 'postcode'] as const;
export type NearbyEntry = (typeof NEARBY_ENTRIES)[number];

/** The centre: a point, or a postcode or a place of a country. */
interface Centre {
  readonly lat: number | undefined;
  readonly lng: number | undefined;
  readonly country: string | undefined;
  /** In the contract's normal form. */
  readonly postcode: string | undefined;
  /** A UUID. */
  readonly place: string | undefined;
}

interface NearbyRequest extends Centre {
  /** 0 to 200. */
  readonly radiusKm: number;
  /** 1 to 100. */
  readonly limit: number;
  /** Undefined for all countries. */
  readonly countries: readonly string[] | undefined;
  /** Undefined for localities. */
  readonly types: readonly NearbyType[] | undefined;
  /** Undefined for places. */
  readonly by: NearbyEntry | undefined;
  /** Of places; postal codes have none of the fields. */
  readonly include?: Include;
}

/**
 * Throws DomainError VALIDATION_FAILED, COUNTRY_NOT_FOUND, NO_POSTCODE_DATA, PLACE_NOT_FOUND or POSTCODE_NOT_FOUND.
 */
export function nearby(snapshot: Snapshot, request: NearbyRequest): ByteString {
  const { latitude: lat, longitude: lng } = findCentre(snapshot, request);
  const { radiusKm, limit, types = ['locality'], by, include } = request;
  const countries = request.countries?.map((code) => {
    const country = findCountry(snapshot, code, 'countries');
    structuresOf(country);
    return country;
  });
  const tiers = NEARBY_TYPES.filter((type) => types.includes(type)).flatMap((type) => TIERS_BY_TYPE[type]);
  const search = { lat, lng, radiusKm, limit, countries, tiers };
  const entries =
    by === 'postcode'
      ? listNearestPostcodes(snapshot, search).map(renderPostcode)
      : listNearest(snapshot, search).map((near) => renderPlace(near, include));
  return `[${entries.join(',')}]`;
}

function findCentre(snapshot: Snapshot, centre: Centre): Position {
  const faults = findCentreFaults(centre);
  if (faults.length > 0) throw new DomainError('VALIDATION_FAILED', `the centre must be ${CENTRE}`, faults);
  const { lat, lng, country, postcode, place } = centre;
  if (lat !== undefined && lng !== undefined) return { latitude: lat, longitude: lng };
  if (postcode !== undefined) return findPostcodePosition(snapshot, { country: country as string, postcode }).position;
  return findPlacePosition(snapshot, { country: country as string, id: place as string }).position;
}

function renderPlace({ country, place, distanceKm }: NearPlace, include: Include): ByteString {
  // Only countries with data are searched.
  const detail = renderPlaceDetail(country.structures as CountryStructures, place, include);
  return `{"place":${detail},"distanceKm":${roundToMetres(distanceKm)}}`;
}

function renderPostcode({ country, structures, code, latitude, longitude, distanceKm }: NearPostcode): ByteString {
  const postcode = encodeUtf8(JSON.stringify(codeText(structures.postcodes, code)));
  const position = `"latitude":${latitude},"longitude":${longitude}`;
  return `{"countryCode":"${country.entry.code}","postcode":${postcode},${position},"distanceKm":${roundToMetres(distanceKm)}}`;
}
