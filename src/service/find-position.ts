/**
 * The position of a postal code or of a place, from which distances are measured. A code's position is the mean of its
 * places on the sphere; recipients and places with approximate coordinates count only if the code has no others. It
 * costs a microsecond for each place of the code.
 */
import { isCoarseAt } from '../format/place-positions.js';
import { type Position, SphericalMeans } from '../format/spherical-mean.js';
import { isRecipient, readPoint } from '../store/place-fields.js';
import { isPlace } from '../store/place-tree.js';
import type { CountryStructures, Snapshot } from '../store/snapshot.js';
import { DomainError } from './domain-error.js';
import { findStructures } from './find-country.js';
import { findPlace } from './find-place.js';
import { matchPostcode, postcodeNotFound } from './find-postcode.js';

/** A postal code, in the contract's normal form, of a country. */
export interface PostcodeRequest {
  readonly country: string;
  readonly postcode: string;
}

/** A place of a country by its id, a lower-case UUID. */
export interface PlaceRequest {
  readonly country: string;
  readonly id: string;
}

interface FoundCode {
  /** The code in the spelling of the dataset. */
  readonly postcode: string;
  readonly position: Position;
}

interface FoundPlace {
  readonly structures: CountryStructures;
  readonly place: number;
  readonly position: Position;
}

/** Maximum number of places whose mean is computed: more than any code of the world has (646), and under 2 ms. */
const MAX_MEAN_PLACES = 1_000;

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or POSTCODE_NOT_FOUND. */
export function findPostcodePosition(snapshot: Snapshot, request: PostcodeRequest): FoundCode {
  const { match, structures } = matchPostcode(snapshot, request);
  const places = Array.from(match.places.subarray(0, MAX_MEAN_PLACES)).filter((place) =>
    isPlace(structures.tree, place),
  );
  const reliable = places.filter((place) => isReliable(structures, place));
  const position = meanOf((reliable.length > 0 ? reliable : places).map((place) => readPoint(structures, place)));
  if (position === undefined) throw postcodeNotFound(request.country, request.postcode);
  return { postcode: match.postcode, position };
}

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or PLACE_NOT_FOUND. */
export function findPlacePosition(snapshot: Snapshot, { country, id }: PlaceRequest): FoundPlace {
  const structures = findStructures(snapshot, country);
  const place = findPlace(structures, country, id);
  const position = readPoint(structures, place);
  if (!isOnEarth(position)) throw new DomainError('PLACE_NOT_FOUND', `The place ${id} in ${country} has no position.`);
  return { structures, place, position };
}

function isReliable(structures: CountryStructures, place: number): boolean {
  return !isCoarseAt(structures.positions.sources, place) && !isRecipient(structures, place);
}

/** False for what only a damaged file contains. */
function isOnEarth({ latitude, longitude }: Position): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}

/** The mean on the sphere. The first point if all are the same or if the points cancel each other out. */
function meanOf(points: readonly Position[]): Position | undefined {
  const [first, ...others] = points.filter(isOnEarth);
  if (first === undefined) return undefined;
  if (others.every(({ latitude, longitude }) => latitude === first.latitude && longitude === first.longitude)) {
    return first;
  }
  const mean = new SphericalMeans(1);
  for (const { latitude, longitude } of [first, ...others]) mean.addPoint(0, latitude, longitude);
  return mean.get(0) ?? first;
}
