/**
 * The package as a library: postal codes and places from a snapshot file, in the process that asks. No server, no key, no
 * network; lookups are synchronous.
 */
export type { ParameterFault } from '../../clients/typescript/src/error-codes.js';
export type * from '../../clients/typescript/src/types.js';
export { ClosedError, DamagedError, InvalidArgumentError, OpenError } from './errors.js';
export type {
  Centre,
  ChangesOptions,
  ChildrenOptions,
  CountriesOptions,
  CountryOptions,
  DistanceOptions,
  Feature,
  FeatureCollection,
  Format,
  Lookups,
  MatchOptions,
  NearbyOptions,
  OneOrSeveral,
  PlaceOptions,
  PlacesOptions,
  PostcodeOptions,
  PostcodesOfOptions,
  PostcodesOptions,
  ReverseOptions,
  SuggestOptions,
} from './lookups.js';
export { type OpenOptions, open } from './open.js';
export type { Places, PlacesEvents } from './places.js';
