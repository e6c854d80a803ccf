/**
 * The position of a postal code, from which distances are measured: the mean of its places on the sphere. Recipients and
 * places with approximate coordinates count only if the code has no others, and so do places that share a point with
 * another code of their city, since it is the city's point: 75008 is where Paris 08 is, and not in the middle of Paris. It
 * costs two microseconds for each place of the code.
 */

import { isRecipient, readListFields, readPointField } from '../snapshot/place-fields.js';
import { isCoarsePositionAt } from '../snapshot/place-positions.js';
import { isPlace } from '../snapshot/place-tree.js';
import { placeNameJson } from '../snapshot/rendered-places.js';
import type { CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { isOnEarth, type Position, SphericalMeans } from '../snapshot/sphere.js';
import { findCountryWithData } from './countries.js';
import { lookUpPostcode, postcodeNotFound } from './postcode-lookup.js';

/** A postal code, in the contract's normal form, of a country. */
export interface PostcodeRequest {
  readonly country: string;
  readonly postcode: string;
}

interface FoundCode {
  /** The code in the spelling of the dataset. */
  readonly postcode: string;
  readonly position: Position;
}

/** Maximum number of places whose mean is computed: more than any code of the world has (646), and under 2 ms. */
const MAX_MEAN_PLACES = 1_000;

export function findPostcodePosition(snapshot: Snapshot, request: PostcodeRequest): FoundCode {
  const { country, postcode } = request;
  const found = lookUpPostcode(snapshot, findCountryWithData(snapshot, country), postcode);
  const position = found?.fullCode ?? (found && positionOfCode(found.structures, found.match.places));
  if (found === undefined || position === undefined) throw postcodeNotFound(country, postcode);
  return { postcode: found.match.postcode, position };
}

/** The position of a code, given the code's places; undefined only in a damaged file. */
export function positionOfCode(structures: CountryStructures, codePlaces: Uint32Array): Position | undefined {
  return meanOf(listPointsOfCode(structures, codePlaces));
}

/** The points that say where a code is, given the code's places. */
export function listPointsOfCode(structures: CountryStructures, codePlaces: Uint32Array): Position[] {
  const places = Array.from(codePlaces.subarray(0, MAX_MEAN_PLACES)).filter((place) => isPlace(structures.tree, place));
  const reliable = places.filter((place) => isReliable(structures, place));
  const own = reliable.length > 1 ? reliable.filter((place) => !hasPointOfCity(structures, place)) : reliable;
  const chosen = [own, reliable, places].find(({ length }) => length > 0) ?? [];
  return chosen.map((place) => readPointField(structures, place));
}

/** Whether a place of the same name in the same unit has the same point and another code: neighbours in the order. */
function hasPointOfCity(structures: CountryStructures, place: number): boolean {
  const { tree, renderedPlaces } = structures;
  const { latitude, longitude } = readPointField(structures, place);
  return [place - 1, place + 1].some((other) => {
    if (!isPlace(tree, other) || other < 0 || tree.parents[other] !== tree.parents[place]) return false;
    if (placeNameJson(renderedPlaces, other) !== placeNameJson(renderedPlaces, place)) return false;
    if (readListFields(structures, other).postalCode === readListFields(structures, place).postalCode) return false;
    const point = readPointField(structures, other);
    const isSame = point.latitude === latitude && point.longitude === longitude;
    // The offices of a district have its name, its point and codes of their own, and say nothing of its code.
    return isSame && !isRecipient(structures, other);
  });
}

function isReliable(structures: CountryStructures, place: number): boolean {
  return !isCoarsePositionAt(structures.positions.sources, place) && !isRecipient(structures, place);
}

/** The mean on the sphere. The first point if all are the same or if the points cancel each other out. */
export function meanOf(points: readonly Position[]): Position | undefined {
  const [first, ...others] = points.filter(isOnEarth);
  if (first === undefined) return undefined;
  if (others.every(({ latitude, longitude }) => latitude === first.latitude && longitude === first.longitude)) {
    return first;
  }
  const mean = new SphericalMeans(1);
  for (const { latitude, longitude } of [first, ...others]) mean.addPoint(0, latitude, longitude);
  return mean.get(0) ?? first;
}
