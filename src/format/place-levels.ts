/** The levels that the places of a country lie on, one in another, and the types that places are of. */

/** Levels count from 1, the roots. */
export const LEVEL_COUNT = 4;

/**
 * An admin unit has the type of its column in the release, from the outside in; a row's own place is a locality, or a
 * recipient: an organisation, a set of post boxes or a delivery office that has a postal code of its own.
 */
export const PLACE_TYPES = ['region', 'district', 'municipality', 'locality', 'recipient'] as const;

/** Indexes into PLACE_TYPES. Those before LOCALITY_TYPE are the types of admin columns 1 to 3. */
export const LOCALITY_TYPE = 3;
export const RECIPIENT_TYPE = 4;

/** Whether an index into PLACE_TYPES is the type of a row's own place: a leaf of the tree. */
export function isLeafType(type: number | undefined): boolean {
  return type === LOCALITY_TYPE || type === RECIPIENT_TYPE;
}
