/**
 * The endpoints that need a key in one list, the contract's nine first: path, use case, parameters, and what the description of the API says
 * of them. Parameters are read, and their faults reported, in the order they stand here. The compiler
 * checks that they add up to the input of the use case. A trailing slash is tolerated, another spelling of the fixed
 * parts (`/V1`) is another, unknown, route.
 */

import { LEVEL_COUNT, PLACE_TYPES } from '../format/place-levels.js';
import { SUGGESTION_PARTS } from '../service/autocomplete.js';
import { MAX_POSTCODE_PLACES } from '../service/find-postcode.js';
import { MAX_FOUND_COUNTRIES } from '../service/find-postcodes.js';
import { MAX_NEARBY, MAX_NEARBY_RADIUS_KM, NEARBY_ENTRIES, NEARBY_TYPES } from '../service/nearby.js';
import { REVERSE_RADIUS_KM } from '../service/reverse.js';
import { inputRules, type Service, type UseCase } from '../service/service.js';
import { SUGGESTION_KINDS } from '../service/suggest/suggested-items.js';
import { MAX_PAGE_SIZE, MAX_SUGGESTIONS, ref } from './answer-schemas.js';
import { bindUseCase } from './binding.js';
import type { ErrorCode } from './error-codes.js';
import { type JsonSchema, listOf } from './json-schema.js';
import { inPath, optional, type Parameter, required, type Target } from './params.js';
import {
  countryCode,
  countryCodeOrAny,
  countryCodeOrSeveral,
  countryCodes,
  decimal,
  includedFields,
  integer,
  oneOf,
  placeId,
  placePath,
  postcodeAsSent,
  postcodeOrPlace,
  postcodeText,
  searchText,
  someOf,
  trueOrFalse,
} from './rules.js';

/** What the description of the API says of a route beside its path and parameters. */
export interface Operation {
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** Of `data` on success. */
  readonly data: JsonSchema;
  /**
   * The codes that this route's own parameters and use case can end with; docs/openapi.json adds those of all routes.
   */
  readonly errors: readonly ErrorCode[];
  /** Values of parameters by name, such that the starter dataset has an answer. */
  readonly example: Readonly<Record<string, string | number | boolean>>;
}

export interface Route extends Operation {
  /** The name of the use case, and of the operation in the description. */
  readonly id: keyof Service;
  readonly path: string;
  readonly parameters: readonly Parameter<unknown>[];
  /** Binds the route to a service: the result reads the parameters, then runs the use case. */
  readonly bind: (service: Service) => UseCase<Target>;
}

const country = inPath('country', 'The country', countryCode);
const id = inPath('id', 'The place', placeId);
const page = optional(
  'page',
  'The number of the page (a page past the last is empty)',
  integer(1, Number.MAX_SAFE_INTEGER),
  1,
);
const pageSize = optional('pageSize', 'How many places a page has', integer(1, MAX_PAGE_SIZE), 50);

const include = optional('include', 'Further fields of the place', includedFields);

const OF_COUNTRY = ['VALIDATION_FAILED', 'COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA'] as const;
const OF_PLACE = [...OF_COUNTRY, 'PLACE_NOT_FOUND'] as const;

export const routes: readonly Route[] = [
  route(
    'listCountries',
    '/v1/countries',
    {
      hasPostcodes: optional('hasPostcodes', 'Whether countries without postcode data are left out', trueOrFalse),
    },
    {
      summary: 'List countries',
      description: 'All countries, ascending by code.',
      data: listOf(ref('Country')),
      errors: ['VALIDATION_FAILED'],
      example: { hasPostcodes: true },
    },
  ),
  route(
    'getCountry',
    '/v1/countries/:country',
    { country },
    {
      summary: 'Get a country',
      description: 'One country, with counts of its places and postal codes where it has postcode data.',
      data: ref('CountryDetail'),
      errors: ['VALIDATION_FAILED', 'COUNTRY_NOT_FOUND'],
      example: { country: 'DE' },
    },
  ),
  route(
    'listPlaces',
    '/v1/countries/:country/places',
    {
      country,
      level: optional('level', 'The administrative level, all if left out', integer(1, LEVEL_COUNT)),
      page,
      pageSize,
    },
    {
      summary: 'List places of a country',
      description: 'A page of the places of a country, ordered by name then id.',
      data: ref('PlacePage'),
      errors: OF_COUNTRY,
      example: { country: 'DE', level: 1, pageSize: 2 },
    },
  ),
  route(
    'getPlace',
    '/v1/countries/:country/places/:id',
    { country, id, include },
    {
      summary: 'Get a place',
      description: 'One place with its ancestors. An id of another country is `PLACE_NOT_FOUND`.',
      data: ref('PlaceDetail'),
      errors: OF_PLACE,
      example: { country: 'DE', id: '9a4c075d-07c8-5f9c-bf7e-b1cb64fff754' },
    },
  ),
  route(
    'listChildren',
    '/v1/countries/:country/places/:id/children',
    { country, id, page, pageSize },
    {
      summary: 'List children of a place',
      description: 'A page of the places directly below a place, ordered by name then id.',
      data: ref('PlacePage'),
      errors: OF_PLACE,
      example: { country: 'DE', id: 'f4307371-e91a-5726-a1ca-ecd92c1d9c02', pageSize: 2 },
    },
  ),
  route(
    'resolvePath',
    '/v1/countries/:country/resolve',
    {
      country,
      segments: required('path', 'What stands behind the slug of the country in the address of a page', placePath),
      include,
    },
    {
      summary: 'Resolve the path of a page',
      description:
        'The place of a page on the website. Segments are compared as slugs: `/Île-de-France` is `/ile-de-france`. ' +
        'A path that a place had in the release before leads to it too, unless another place has it now.',
      data: ref('PlaceDetail'),
      errors: OF_PLACE,
      example: { country: 'DE', path: '/berlin/berlin-stadt' },
    },
  ),
  route(
    'findPostcode',
    '/v1/countries/:country/postcodes/:postcode',
    { country, postcode: inPath('postcode', 'The postal code', postcodeText), include },
    {
      summary: 'Find the places of a postal code',
      description:
        `At most ${MAX_POSTCODE_PLACES} places, ordered by name then id. Case, spaces and hyphens make no difference; ` +
        '`postcode` of the answer is the spelling of the dataset.',
      data: ref('PostcodePlaces'),
      errors: [...OF_COUNTRY, 'POSTCODE_NOT_FOUND'],
      example: { country: 'DE', postcode: '10115' },
    },
  ),
  route(
    'autocomplete',
    '/v1/autocomplete',
    {
      query: required('q', 'The start of a name, with a letter or digit in it', searchText),
      country: optional('country', 'The country to suggest places of', countryCodeOrSeveral),
      limit: optional('limit', 'How many suggestions there may be', integer(1, MAX_SUGGESTIONS), 10),
      include: optional('include', 'Further fields: place for what identifies a suggestion', someOf(SUGGESTION_PARTS)),
      kinds: optional('kinds', 'What to suggest, place if left out', someOf(SUGGESTION_KINDS)),
      types: optional('types', 'The types of places to suggest, all if left out', someOf(PLACE_TYPES)),
      lat: optional('lat', 'The latitude of a point to favour, with lng', decimal(-90, 90)),
      lng: optional('lng', 'The longitude of a point to favour, with lat', decimal(-180, 180)),
    },
    {
      summary: 'Suggest places',
      description:
        'Places for the start of a name, the best first. Case, accents and script make no difference. With `kinds` also ' +
        'postal codes, each once for each country, and countries, by name and ISO code. With `include=place` no two ' +
        'suggestions look the same. `lat` and `lng` put the nearest first of places that match alike and are alike in ' +
        'importance: a near village never comes before a city.',
      data: listOf(ref('Suggestion'), { maxItems: MAX_SUGGESTIONS }),
      errors: OF_COUNTRY,
      example: { q: 'ber', country: 'DE', limit: 5 },
    },
  ),
  route(
    'reverse',
    '/v1/reverse',
    {
      lat: required('lat', 'The latitude', decimal(-90, 90)),
      lng: required('lng', 'The longitude', decimal(-180, 180)),
      country: optional('country', 'The country to look at', countryCodeOrAny),
      include,
    },
    {
      summary: 'Find the nearest place',
      description:
        `The nearest place within ${REVERSE_RADIUS_KM} km of a point. Without \`country\` it is looked for in the country ` +
        'whose centre is nearest, which near borders is often a neighbour, and in all countries where that one has ' +
        'nothing near: send `country` where you know it.',
      data: ref('NearestPlace'),
      errors: [...OF_COUNTRY, 'NO_NEARBY_PLACE'],
      example: { lat: 52.53, lng: 13.38, country: 'DE' },
    },
  ),
  route(
    'nearby',
    '/v1/nearby',
    {
      lat: optional('lat', 'The latitude of the centre', decimal(-90, 90)),
      lng: optional('lng', 'The longitude of the centre', decimal(-180, 180)),
      country: optional('country', 'The country of the postcode or place that is the centre', countryCode),
      postcode: optional('postcode', 'The postal code that is the centre', postcodeText),
      place: optional('place', 'The place that is the centre', placeId),
      radiusKm: optional('radiusKm', 'The radius in kilometres', decimal(0, MAX_NEARBY_RADIUS_KM), 25),
      limit: optional('limit', 'How many entries there may be', integer(1, MAX_NEARBY), 10),
      countries: optional('countries', 'The countries to look at, all if left out', countryCodes),
      types: optional('types', 'The types of places to look at, locality if left out', someOf(NEARBY_TYPES)),
      by: optional('by', 'What an entry is, place if left out', oneOf(NEARBY_ENTRIES)),
      include,
    },
    {
      summary: 'List what is nearby',
      description:
        'The places, or with `by=postcode` the postal codes, around a centre, nearest first, across borders. The centre ' +
        'is `lat` and `lng`, or `country` with `postcode` or `place`. Of several localities at one point a list of places ' +
        'has only the one with the lowest code, and a list of codes has all their codes; a code is as far as its ' +
        'nearest place.',
      data: listOf({ anyOf: [ref('NearbyPlace'), ref('NearbyPostcode')] }, { maxItems: MAX_NEARBY }),
      errors: [...OF_PLACE, 'POSTCODE_NOT_FOUND'],
      example: { lat: 47.66, lng: 9.18, limit: 2 },
    },
  ),
  route(
    'distance',
    '/v1/distance',
    {
      from: required('from', 'Where the distance starts', postcodeOrPlace),
      to: required('to', 'Where the distance ends', postcodeOrPlace),
    },
    {
      summary: 'Measure a distance',
      description: 'The great-circle distance between two postal codes or places, each of any country.',
      data: ref('Distance'),
      errors: [...OF_PLACE, 'POSTCODE_NOT_FOUND'],
      example: { from: 'US:90210', to: 'DE:10115' },
    },
  ),
  route(
    'listPostcodes',
    '/v1/countries/:country/places/:id/postcodes',
    {
      country,
      id,
      recipients: optional('recipients', 'Whether codes that only recipients have are listed too', trueOrFalse),
      page,
      pageSize: optional('pageSize', 'How many codes a page has', integer(1, MAX_PAGE_SIZE), 50),
    },
    {
      summary: 'List postal codes of a place',
      description:
        'A page of the codes of all places in a unit, or of the city that a place with a code belongs to: the places of ' +
        'its name in its unit. Each code once, in natural order: `SW2` comes before `SW10`. Recipients do not count ' +
        'without `recipients=true`.',
      data: ref('PlacePostcodePage'),
      errors: OF_PLACE,
      example: { country: 'DE', id: '9a4c075d-07c8-5f9c-bf7e-b1cb64fff754', pageSize: 2 },
    },
  ),
  route(
    'checkPostcode',
    '/v1/countries/:country/postcodes/:postcode/check',
    { country, postcode: inPath('postcode', 'The postal code', postcodeAsSent) },
    {
      summary: 'Check a postal code',
      description:
        'What a form needs to know of a code that somebody typed: whether the country has it, as what, and the format of ' +
        'its codes. A code that is not found is no error here.',
      data: ref('PostcodeCheck'),
      errors: OF_COUNTRY,
      example: { country: 'DE', postcode: 'd-10115' },
    },
  ),
  route(
    'findPostcodes',
    '/v1/postcodes/:postcode',
    {
      postcode: inPath('postcode', 'The postal code', postcodeText),
      country: optional('country', 'The countries to look at, all if left out', countryCodes),
      include,
    },
    {
      summary: 'Find a postal code in all countries',
      description:
        `The places of a postal code in each country that has it, at most ${MAX_FOUND_COUNTRIES}, the likeliest country ` +
        'first: countries that spell the code as it was sent, then those where spaces and hyphens differ, then those ' +
        'where only a part of the code or the code without the country before it is found; of these the one with more ' +
        'inhabitants.',
      data: listOf(ref('PostcodePlaces'), { maxItems: MAX_FOUND_COUNTRIES }),
      errors: [...OF_COUNTRY, 'POSTCODE_NOT_FOUND'],
      example: { postcode: '10115', country: 'DE,US' },
    },
  ),
];

/** A route's path as OpenAPI writes it. */
export function templateOf({ path }: Pick<Route, 'path'>): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

type InputOf<Id extends keyof Service> = Parameters<Service[Id]>[1];

function route<Id extends keyof Service>(
  id: Id,
  path: string,
  parameters: { readonly [Name in keyof InputOf<Id>]: Parameter<InputOf<Id>[Name]> },
  operation: Operation,
): Route {
  const entries = Object.entries(parameters) as [string, Parameter<unknown>][];
  return {
    ...operation,
    id,
    path,
    parameters: entries.map(([, parameter]) => parameter),
    bind: (service) => bindUseCase(service[id] as UseCase<InputOf<Id>>, entries, inputRules[id]),
  };
}
