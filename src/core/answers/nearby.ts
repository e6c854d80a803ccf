/** The places or postal codes around a point, a code or a place, across borders. */

import { findCountryWithData } from '../lookup/countries.js';
import { DomainError, type ParameterFault } from '../lookup/domain-error.js';
import { listNearbyPlaces, listNearbyPostcodes, type NearPlace, type NearPostcode } from '../lookup/nearby.js';
import { findPlacePosition } from '../lookup/places.js';
import { findPostcodePosition } from '../lookup/postcode-position.js';
import { type ByteString, encodeUtf8 } from '../snapshot/byte-string.js';
import { indexedPostcode } from '../snapshot/postcode-index.js';
import type { CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { type Position, roundToMetres } from '../snapshot/sphere.js';
import { type Include, renderPlaceDetail } from './place-detail.js';

/* The rule about the parameters of nearby's centre, which are optional one by one: three ways to give it, unmixed. */

const WAYS = [
  ['lat', 'lng'],
  ['country', 'postcode'],
  ['country', 'place'],
] as const;

/** All parameters of WAYS, in the order of the route. */
const PARAMS = ['lat', 'lng', 'country', 'postcode', 'place'] as const;

type CentreParam = (typeof PARAMS)[number];

/** What the centre must be. */
export const CENTRE = `${WAYS.map((way) => way.join(' and ')).join(', or ')}, and nothing beside these`;

/**
 * What is missing of, or must not stand beside, the way that most of the given parameters belong to; the first way of
 * several. A parameter is given unless it is undefined.
 */
export function findNearbyFaults(centre: Readonly<Partial<Record<CentreParam, unknown>>>): ParameterFault[] {
  const isGiven = (param: CentreParam): boolean => centre[param] !== undefined;
  const givenCounts = WAYS.map((way) => way.filter(isGiven).length);
  const way: readonly CentreParam[] = WAYS[givenCounts.indexOf(Math.max(...givenCounts))] as (typeof WAYS)[number];
  const begun = way.filter(isGiven).join(' and ');
  return PARAMS.filter((param) => isGiven(param) !== way.includes(param)).map((param) => {
    const problem = isGiven(param)
      ? `is not allowed with ${begun}`
      : `is required${begun === '' ? '' : ` with ${begun}`}`;
    return { param, message: `${param} ${problem}`, expected: CENTRE };
  });
}

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

export function nearby(snapshot: Snapshot, request: NearbyRequest): ByteString {
  const { latitude: lat, longitude: lng } = findCentre(snapshot, request);
  const { radiusKm, limit, types = ['locality'], by, include } = request;
  const countries = request.countries?.map((code) => findCountryWithData(snapshot, code, 'countries'));
  const tiers = NEARBY_TYPES.filter((type) => types.includes(type)).flatMap((type) => TIERS_BY_TYPE[type]);
  const search = { lat, lng, radiusKm, limit, countries, tiers };
  const entries =
    by === 'postcode'
      ? listNearbyPostcodes(snapshot, search).map(renderPostcode)
      : listNearbyPlaces(snapshot, search).map((near) => renderPlace(near, include));
  return `[${entries.join(',')}]`;
}

function findCentre(snapshot: Snapshot, centre: Centre): Position {
  const faults = findNearbyFaults(centre);
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

function renderPostcode(near: NearPostcode): ByteString {
  const { country, structures, code, fullCode, latitude, longitude, distanceKm } = near;
  const postcode = encodeUtf8(JSON.stringify(fullCode?.postcode ?? indexedPostcode(structures.postcodes, code)));
  const position = `"latitude":${latitude},"longitude":${longitude}`;
  return `{"countryCode":"${country.entry.code}","postcode":${postcode},${position},"distanceKm":${roundToMetres(distanceKm)}}`;
}
