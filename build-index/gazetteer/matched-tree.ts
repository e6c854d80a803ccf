import type { CountryTree } from '../tree/country-tree.js';

/** The fields of a tree that matching reads. Places may be renamed after matching, but not renumbered. */
export type MatchedTree = Pick<
  CountryTree,
  | 'placeCount'
  | 'parents'
  | 'childStarts'
  | 'types'
  | 'names'
  | 'localNames'
  | 'mergedNames'
  | 'codeOnly'
  | 'releaseCodes'
  | 'postalCodes'
  | 'latitudes'
  | 'longitudes'
>;
