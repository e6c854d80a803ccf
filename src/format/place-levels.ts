/** The levels that the places of a country lie on, one in another, and the types that places are of. */

/** Levels count from 1, the roots. */
export const LEVEL_COUNT = 4;

/** An admin unit has the type of its column in the release, from the outside in; a row's own place is a locality. */
export const PLACE_TYPES = ['region', 'district', 'municipality', 'locality'] as const;

/** The index of a leaf's type in PLACE_TYPES; the indexes before it are those of admin columns 1 to 3. */
export const LEAF_TYPE = 3;
