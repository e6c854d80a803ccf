/** Finds the place of a request by its id, and its position. */

import { readPointField } from '../snapshot/place-fields.js';
import { parsePlaceId } from '../snapshot/place-id.js';
import { findById } from '../snapshot/place-id-index.js';
import type { CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { isOnEarth, type Position } from '../snapshot/sphere.js';
import { findCountryStructures } from './countries.js';
import { DomainError } from './domain-error.js';

/** A place of a country by its id, a lower-case UUID. */
export interface PlaceRequest {
  readonly country: string;
  readonly id: string;
}

interface FoundPlace {
  readonly structures: CountryStructures;
  readonly place: number;
  readonly position: Position;
}

/** The number of the place with this UUID. */
export function findPlace({ ids, tree }: CountryStructures, country: string, id: string): number {
  const bytes = parsePlaceId(id);
  if (bytes === undefined) throw new DomainError('VALIDATION_FAILED', 'id must be a UUID.');
  const place = findById(ids, tree, bytes);
  if (place === undefined)
    throw new DomainError('PLACE_NOT_FOUND', `There is no place with the id ${id} in ${country}.`);
  return place;
}

export function findPlacePosition(snapshot: Snapshot, { country, id }: PlaceRequest): FoundPlace {
  const structures = findCountryStructures(snapshot, country);
  const place = findPlace(structures, country, id);
  const position = readPointField(structures, place);
  if (!isOnEarth(position)) throw new DomainError('PLACE_NOT_FOUND', `The place ${id} in ${country} has no position.`);
  return { structures, place, position };
}
