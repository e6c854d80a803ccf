/**
 * The table of use cases, which the HTTP layer calls, with the type of each input. Every use case is a pure function of
 * a snapshot and parsed, normalised input. It returns the response's data or throws DomainError. `country` is always
 * two upper-case letters, `id` a lower-case UUID.
 */

import type { ChangeKind } from '../snapshot/release-changes.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { type AutocompleteRequest, autocomplete, findQueryFaults } from '../suggest/autocomplete.js';
import { listChanges } from './changes.js';
import { getCountry, listCountries } from './countries.js';
import { measureDistance, type PostcodeOrPlace } from './distance.js';
import type { ParameterFault } from './domain-error.js';
import { findCentreFaults, type NearbyEntry, type NearbyType, nearby, reverse } from './nearby.js';
import { getPlace, listChildren, listPlaces, resolvePath } from './places.js';
import { checkPostcode } from './postcode-candidates.js';
import { findPostcode, findPostcodes, listPostcodes } from './postcodes.js';
import type { IncludedField, ResponseData } from './response-data.js';

export type UseCase<Input> = (snapshot: Snapshot, input: Input) => ResponseData;

export interface Service {
  readonly listCountries: UseCase<{ hasPostcodes: boolean | undefined }>;
  readonly getCountry: UseCase<{ country: string }>;
  readonly listPlaces: UseCase<{ country: string; level: number | undefined; page: number; pageSize: number }>;
  readonly getPlace: UseCase<{ country: string; id: string; include?: IncludedField[] | undefined }>;
  readonly listChildren: UseCase<{ country: string; id: string; page: number; pageSize: number }>;
  readonly resolvePath: UseCase<{ country: string; segments: string[]; include?: IncludedField[] | undefined }>;
  readonly findPostcode: UseCase<{ country: string; postcode: string; include?: IncludedField[] | undefined }>;
  readonly autocomplete: UseCase<AutocompleteRequest>;
  readonly reverse: UseCase<{
    lat: number;
    lng: number;
    country: string | undefined;
    include?: IncludedField[] | undefined;
  }>;
  readonly nearby: UseCase<{
    lat: number | undefined;
    lng: number | undefined;
    country: string | undefined;
    postcode: string | undefined;
    place: string | undefined;
    radiusKm: number;
    limit: number;
    countries: string[] | undefined;
    types: NearbyType[] | undefined;
    by: NearbyEntry | undefined;
    include?: IncludedField[] | undefined;
  }>;
  readonly distance: UseCase<{ from: PostcodeOrPlace; to: PostcodeOrPlace }>;
  readonly listPostcodes: UseCase<{
    country: string;
    id: string;
    recipients: boolean | undefined;
    page: number;
    pageSize: number;
  }>;
  readonly checkPostcode: UseCase<{ country: string; postcode: string }>;
  readonly findPostcodes: UseCase<{
    postcode: string;
    country: string[] | undefined;
    include?: IncludedField[] | undefined;
  }>;
  readonly listChanges: UseCase<{
    since: string;
    country: string | undefined;
    change: ChangeKind[] | undefined;
    page: number;
    pageSize: number;
  }>;
}

export const service: Service = {
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
  listChanges,
};

/**
 * What a use case demands of its input beyond the rules of each parameter. The input holds whatever was read, also of
 * parameters that are wrong; undefined is one that was not sent.
 */
export type InputRule = (input: Readonly<Record<string, unknown>>) => ParameterFault[];

/** The rules by which use cases refuse an input with VALIDATION_FAILED. */
export const inputRules: Readonly<Partial<Record<keyof Service, InputRule>>> = {
  autocomplete: findQueryFaults,
  nearby: findCentreFaults,
};
