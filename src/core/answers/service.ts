/**
 * The table of use cases, which the HTTP layer calls, with the type of each input. Every use case is a pure function of
 * a snapshot and parsed, normalised input. It returns the response's data or throws DomainError. `country` is always
 * two upper-case letters, `id` a lower-case UUID.
 */

import type { ParameterFault } from '../lookup/domain-error.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { autocomplete, findAutocompleteFaults } from './autocomplete.js';
import { listChanges } from './changes.js';
import { checkPostcode } from './check-postcode.js';
import { getCountry, listCountries } from './countries.js';
import { measureDistance } from './distance.js';
import { match } from './match.js';
import { findNearbyFaults, nearby } from './nearby.js';
import { listPostcodes } from './place-postcodes.js';
import { getPlace, listChildren, listPlaces, resolvePath } from './places.js';
import { findPostcode, findPostcodes } from './postcodes.js';
import type { ResponseData } from './response-data.js';
import { reverse } from './reverse.js';

export type UseCase<Input> = (snapshot: Snapshot, input: Input) => ResponseData;

export const service = {
  listCountries,
  getCountry,
  listPlaces,
  getPlace,
  listChildren,
  resolvePath,
  findPostcode,
  autocomplete,
  reverse,
  nearby,
  distance: measureDistance,
  listPostcodes,
  checkPostcode,
  findPostcodes,
  match,
  listChanges,
};

/** Every use case by its name, with the type of its input. */
export type Service = {
  readonly [Name in keyof typeof service]: UseCase<Parameters<(typeof service)[Name]>[1]>;
};

/**
 * What a use case demands of its input beyond the rules of each parameter. The input holds whatever was read, also of
 * parameters that are wrong; undefined is one that was not sent.
 */
export type InputRule = (input: Readonly<Record<string, unknown>>) => ParameterFault[];

/** The rules by which use cases refuse an input with VALIDATION_FAILED. */
export const inputRules: Readonly<Partial<Record<keyof Service, InputRule>>> = {
  autocomplete: findAutocompleteFaults,
  nearby: findNearbyFaults,
};
