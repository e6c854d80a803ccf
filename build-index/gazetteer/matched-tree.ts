import type { CountryTree } from '../tree/country-tree.js';

/** The part of a tree that matching looks at. Places may still be renamed afterwards, but not renumbered. */
export type MatchedTree = Pick<
  CountryTree,
  | 'placeCount'
  | 'parents'
  | 'childStarts'
  | 'types'
  | 'names'
  | 'localNames'
  | 'mergedNames'
  | 'releaseCodes'
  | 'postalCodes'
  | 'latitudes'
  | 'longitudes'
>;
