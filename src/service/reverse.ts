/** Endpoint 9: the nearest leaf to a point, within 80 km. */
import { distance } from 'geokdbush';
import { placeJson } from '../store/place-answers.js';
import { findNearest, type NearestPoint } from '../store/point-index.js';
import type { Country, CountryStructures, Snapshot } from '../store/snapshot.js';
import { DomainError } from './domain-error.js';
import { findCountry, structuresOf } from './find-country.js';
import type { JsonPieces } from './json-pieces.js';
import { appendPlaceDetail } from './place-detail.js';

export const REVERSE_RADIUS_KM = 80;

export interface ReverseRequest {
  readonly lat: number;
  readonly lng: number;
  /** Undefined: the country whose centre is nearest. */
  readonly country: string | undefined;
}

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or NO_NEARBY_PLACE. */
export function reverse(snapshot: Snapshot, { lat, lng, country: code }: ReverseRequest): JsonPieces {
  const country = code === undefined ? nearestCentre(snapshot, lat, lng) : findCountry(snapshot, code);
  const structures = structuresOf(country);
  const nearest = findNearest(structures.points, snapshot.pointPositions, { lat, lng, radiusKm: REVERSE_RADIUS_KM });
  const found = firstOfEquals(structures, nearest);
  if (found === undefined) {
    const where = `${lat}, ${lng} in ${country.entry.code}`;
    throw new DomainError('NO_NEARBY_PLACE', `There is no place within ${REVERSE_RADIUS_KM} km of ${where}.`);
  }
  const pieces: JsonPieces = ['{"place":'];
  appendPlaceDetail(pieces, structures, found.place);
  pieces.push(`,"distanceKm":${roundToMetres(found.distanceKm)}}`);
  return pieces;
}

/** The contract's rule to the letter: the nearest centre, even that of a country without data. */
function nearestCentre({ countries }: Snapshot, lat: number, lng: number): Country {
  let nearest: Country | undefined;
  let nearestKm = Infinity;
  for (const country of countries) {
    const { centre } = country.entry;
    if (centre === null) continue;
    const distanceKm = distance(lng, lat, centre.longitude, centre.latitude);
    if (distanceKm < nearestKm) {
      nearest = country;
      nearestKm = distanceKm;
    }
  }
  if (nearest === undefined) throw new DomainError('NO_NEARBY_PLACE', 'No country has a centre to be near to.');
  return nearest;
}

/** Of places at the same distance the one with the lowest code, then name, then id. Mostly there is just one. */
function firstOfEquals({ answers }: CountryStructures, nearest: readonly NearestPoint[]): NearestPoint | undefined {
  if (nearest.length < 2) return nearest[0];
  const keyed = nearest.map((point) => {
    const { postalCode, name, id } = JSON.parse(Buffer.from(placeJson(answers, point.place)).toString('utf8'));
    return { point, key: [postalCode, name, id] as [string, string, string] };
  });
  keyed.sort((a, b) => compareKeys(a.key, b.key));
  return keyed[0]?.point;
}

function compareKeys(a: readonly string[], b: readonly string[]): number {
  const difference = a.findIndex((part, index) => part !== b[index]);
  if (difference === -1) return 0;
  return Buffer.compare(Buffer.from(a[difference] as string), Buffer.from(b[difference] as string));
}

function roundToMetres(km: number): number {
  return Math.round(km * 1000) / 1000;
}
