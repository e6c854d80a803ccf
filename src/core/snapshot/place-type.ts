/**
 * The types of places. The first three are those of admin units, by their column in the release, the largest first. A
 * row's own place, a leaf of the tree, is a locality or a recipient: an organisation, a set of post boxes or a delivery
 * office with a postal code of its own.
 */

export const PLACE_TYPES = ['region', 'district', 'municipality', 'locality', 'recipient'] as const;

export type PlaceType = (typeof PLACE_TYPES)[number];

/** Indexes into PLACE_TYPES. The types before LOCALITY_TYPE are those of admin columns 1 to 3. */
export const LOCALITY_TYPE = 3;
export const RECIPIENT_TYPE = 4;

/** Whether an index into PLACE_TYPES is the type of a row's own place: a leaf of the tree. */
export function isLeafType(type: number | undefined): boolean {
  return type === LOCALITY_TYPE || type === RECIPIENT_TYPE;
}
