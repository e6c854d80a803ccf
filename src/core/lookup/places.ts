/**
 * Finds the place of a request by its id, or by its path.
 */

import { findById, parsePlaceId } from '../snapshot/place-id.js';
import type { CountryStructures } from '../snapshot/snapshot.js';
import { DomainError } from './domain-error.js';

/**
 * The number of the place with this UUID. Throws DomainError PLACE_NOT_FOUND, or VALIDATION_FAILED if it isn't a UUID.
 */
export function findPlace({ ids, tree }: CountryStructures, country: string, id: string): number {
  const bytes = parsePlaceId(id);
  if (bytes === undefined) throw new DomainError('VALIDATION_FAILED', 'id must be a UUID.');
  const place = findById(ids, tree, bytes);
  if (place === undefined)
    throw new DomainError('PLACE_NOT_FOUND', `There is no place with the id ${id} in ${country}.`);
  return place;
}
