/**
 * The nine endpoints of the contract in one list: path, use case, parameters. Parameters are read in the order they
 * stand here, so the first wrong one is the one reported. The compiler checks that they add up to the input of the
 * use case. A trailing slash is tolerated, another spelling of the fixed parts (`/V1`) is another, unknown, route.
 */

import type { Service, UseCase } from '../service/service.js';
import {
  countryCode,
  countryCodeOrAny,
  decimal,
  inPath,
  integer,
  optional,
  type Parameter,
  placeId,
  placePath,
  postcodeText,
  required,
  searchText,
  type Target,
  trueOrFalse,
} from './params.js';

export interface Route {
  readonly path: string;
  /** Binds the route to a service: the result reads the parameters, then runs the use case. */
  readonly bind: (service: Service) => UseCase<Target>;
}

const country = inPath('country', countryCode);
const id = inPath('id', placeId);
const page = optional('page', integer(1, Number.MAX_SAFE_INTEGER), 1);
const pageSize = optional('pageSize', integer(1, 100), 50);

export const routes: readonly Route[] = [
  route('/v1/countries', (service) => service.listCountries, {
    hasPostcodes: optional('hasPostcodes', trueOrFalse),
  }),
  route('/v1/countries/:country', (service) => service.getCountry, { country }),
  route('/v1/countries/:country/places', (service) => service.listPlaces, {
    country,
    level: optional('level', integer(1, 4)),
    page,
    pageSize,
  }),
  route('/v1/countries/:country/places/:id', (service) => service.getPlace, { country, id }),
  route('/v1/countries/:country/places/:id/children', (service) => service.listChildren, {
    country,
    id,
    page,
    pageSize,
  }),
  route('/v1/countries/:country/resolve', (service) => service.resolvePath, {
    country,
    segments: required('path', placePath),
  }),
  route('/v1/countries/:country/postcodes/:postcode', (service) => service.findPostcode, {
    country,
    postcode: inPath('postcode', postcodeText),
  }),
  route('/v1/autocomplete', (service) => service.autocomplete, {
    query: required('q', searchText),
    country: optional('country', countryCode),
    limit: optional('limit', integer(1, 25), 10),
  }),
  route('/v1/reverse', (service) => service.reverse, {
    lat: required('lat', decimal(-90, 90)),
    lng: required('lng', decimal(-180, 180)),
    country: optional('country', countryCodeOrAny),
  }),
];

function route<Input>(
  path: string,
  select: (service: Service) => UseCase<Input>,
  parameters: { readonly [Name in keyof Input]: Parameter<Input[Name]> },
): Route {
  const entries = Object.entries(parameters) as [string, Parameter<unknown>][];
  const readInput = (target: Target): Input => {
    const input: Record<string, unknown> = {};
    for (const [name, parameter] of entries) input[name] = parameter.read(target);
    return input as Input;
  };
  return {
    path,
    bind: (service) => {
      const useCase = select(service);
      return (snapshot, target) => useCase(snapshot, readInput(target));
    },
  };
}
