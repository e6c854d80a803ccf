/**
 * The bulk request: many lookups in one body. A lookup is the parameters of one of the routes in a JSON object, and its
 * keys say which route: one with `postcode` is a request for that postal code. It is made a target of that route, so
 * rules, messages and answers are those of the route, and so are parameters that the route gets later. A parameter beside
 * `lookups` in the body is the default for every lookup.
 */

import type { ResponseData } from '../../core/answers/response-data.js';
import type { Service } from '../../core/answers/service.js';
import { DomainError } from '../../core/lookup/domain-error.js';
import { FORMAT } from './answer-formats.js';
import { bindLookup, type LookUp, type Lookup, lookupHas } from './bind-lookup.js';
import type { Operation } from './define-route.js';
import type { ErrorCode } from './error-codes.js';
import { errorFieldSchema } from './field-schemas.js';
import { count, type JsonSchema, listOf, object, ref, text } from './json-schema.js';
import { wordRule } from './parameter-rules.js';
import { invalidParameter, optional, type Parameter, WrongValue } from './parameters.js';

/* What a bulk request and its answer hold, as JSON Schemas by name. */

/** Maximum number of lookups of a bulk request. */
export const MAX_LOOKUPS = 1_000;
/** Bytes of the largest body: a thousand lookups by name with room to spare. */
export const MAX_BULK_BYTES = 262_144;

/** The codes with which a lookup can end. */
const LOOKUP_ERRORS: readonly ErrorCode[] = [
  ...(['VALIDATION_FAILED', 'COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA', 'PLACE_NOT_FOUND'] as const),
  ...(['POSTCODE_NOT_FOUND', 'NO_NEARBY_PLACE', 'INTERNAL_ERROR'] as const),
];

const LATITUDE: JsonSchema = { type: 'number', description: 'The latitude' };
const LONGITUDE: JsonSchema = { type: 'number', description: 'The longitude' };
const INCLUDE = text('Fields to add to a place, separated by commas');
const LANG = text('The languages of names, separated by commas; if left out, those of the body');
const COUNTRY = text('ISO 3166-1 alpha-2 code; if left out, that of the body');

function placeLookup(fields: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return object({ ...fields, include: INCLUDE, lang: LANG }, ['country', 'include', 'lang']);
}

/** The kinds of lookups, by the names of their schemas. A value is what the parameter of that name may be. */
const lookupKinds = {
  LookupByPostcode: placeLookup({ country: COUNTRY, postcode: text('The postal code') }),
  LookupByPosition: placeLookup({
    lat: LATITUDE,
    lng: LONGITUDE,
    country: text('ISO 3166-1 alpha-2 code, or `any`; if left out, that of the body'),
  }),
  LookupByPath: placeLookup({ country: COUNTRY, path: text('The path of a place') }),
  LookupById: placeLookup({ country: COUNTRY, id: text('The id of a place') }),
  LookupByAddress: placeLookup({ country: COUNTRY, address: text('The address, in one line or in several') }),
  LookupByName: object(
    {
      q: text('The start of a name, or an address line'),
      country: COUNTRY,
      limit: count('How many suggestions there may be', 1),
      include: text('`place` adds fields to each suggestion, such as id, position and label'),
      kinds: text('What to suggest, separated by commas'),
      types: text('The types of places to suggest, separated by commas'),
      lat: { ...LATITUDE, description: 'The latitude of a point, near which places come first; needs `lng`' },
      lng: { ...LONGITUDE, description: 'The longitude of this point; needs `lat`' },
      lang: LANG,
    },
    ['country', 'limit', 'include', 'kinds', 'types', 'lat', 'lng', 'lang'],
  ),
};

export const bulkSchemas = {
  ...lookupKinds,
  BulkError: errorFieldSchema(LOOKUP_ERRORS),
  BulkEntry: object(
    {
      statusCode: count('The status that a request for this lookup alone would have', 200),
      data: {
        anyOf: [
          ...['PostcodePlaces', 'NearestPlace', 'PlaceDetail', 'AddressMatch'].map(ref),
          listOf(ref('Suggestion')),
        ],
        description: 'The `data` that a request for this lookup alone would have; only where `statusCode` is 200',
      },
      error: { ...ref('BulkError'), description: 'Only where `statusCode` is not 200' },
    },
    ['data', 'error'],
  ),
} satisfies Readonly<Record<string, JsonSchema>>;

/** The body of a bulk request. */
const bulkBody: JsonSchema = object(
  {
    lookups: {
      type: 'array',
      items: { anyOf: Object.keys(lookupKinds).map(ref) },
      minItems: 1,
      maxItems: MAX_LOOKUPS,
      description: 'The lookups, each with the parameters of its own request',
    },
    country: text('The country of every lookup without a `country` of its own'),
    lang: text('The languages of names for every lookup without a `lang` of its own'),
  },
  ['country', 'lang'],
);

export const BULK_PATH = '/v1/bulk';
export const BULK_METHODS = 'POST, OPTIONS';
/** Milliseconds in which the body must come, as long as for the headers of a request. */
export const BULK_BODY_TIMEOUT_MS = 10_000;

export const LINES_TYPE = 'application/x-ndjson';

const TARGET = /^\/v1\/bulk\/?(?:[?#]|$)/;

/** Whether the target of a request is that of bulk requests, as the routes see it. */
export function isBulkTarget(url: string | undefined): boolean {
  return url !== undefined && TARGET.test(url);
}

export type BulkFormat = 'json' | 'ndjson' | 'geojson';

const bulkFormat = optional(
  FORMAT,
  'The format of the answer, json if left out; ndjson streams one entry a line, without an envelope; geojson streams ' +
    'the places of all lookups as one collection of features, whose property lookup is the index of the lookup; of one ' +
    'that fails, a feature without a position has the error',
  wordRule<BulkFormat>(['json', 'ndjson', 'geojson']),
);

/** The format that the query string asks for; undefined for none. */
export function readBulkFormat(query: string): BulkFormat | undefined {
  const format = bulkFormat.read({ path: {}, query });
  if (!(format instanceof WrongValue)) return format;
  const fault = format.describe(() => undefined);
  throw new DomainError('VALIDATION_FAILED', fault.message, [fault]);
}

/** Refuses a format in the body: `format` in the URL is that of the whole answer. */
export function refuseFormat(values: Lookup): void {
  if (!lookupHas(values, FORMAT)) return;
  const expected = `a parameter of the URL: ${BULK_PATH}?${FORMAT}=geojson`;
  throw invalidParameter(FORMAT, `${FORMAT} must be ${expected}`, expected);
}

/** What the description of the API says of the bulk request. */
export interface BulkOperation extends Omit<Operation, 'example'> {
  readonly id: 'bulk';
  readonly path: string;
  readonly parameters: readonly Parameter<unknown>[];
  readonly body: JsonSchema;
  /** Of the body, such that the starter dataset has answers. */
  readonly example: { readonly lookups: readonly Lookup[] };
  /** A line of the streamed answer. */
  readonly line: JsonSchema;
}

export const bulkOperation: BulkOperation = {
  id: 'bulk',
  path: BULK_PATH,
  parameters: [bulkFormat],
  summary: 'Look up many things at once',
  description:
    `1 to ${MAX_LOOKUPS.toLocaleString('en-US')} lookups, answered in their order: postal codes, positions, paths, ids, ` +
    'addresses and names, each answered as a request of its own would be, with the same parameters. A lookup that fails has ' +
    'an entry with its error, and the others are answered. Each lookup costs one request of the quota, and as many of the ' +
    'rate as a request of its own would. All lookups are answered or none: if too few requests are left, the answer is 429 ' +
    'and nothing counts; if the lookups need more of the rate than the plan allows at once, it is 400 and nothing ' +
    `counts. The body has at most ${MAX_BULK_BYTES.toLocaleString('en-US')} bytes of JSON, not compressed. ` +
    'A body that is refused costs one request. With Transfer-Encoding: chunked it has at most 64 chunks and one more for ' +
    'each 64 bytes; a body with more is answered with 413 and counts nothing.',
  data: listOf(ref('BulkEntry'), { maxItems: MAX_LOOKUPS }),
  errors: ['VALIDATION_FAILED'],
  body: bulkBody,
  line: ref('BulkEntry'),
  example: {
    lookups: [
      { country: 'DE', postcode: '10115' },
      { lat: 52.53, lng: 13.38, country: 'DE' },
      { country: 'DE', path: '/berlin/nowhere' },
      { q: 'ber', country: 'DE', limit: 1 },
      { address: 'Unter den Linden 77\n10117 Berlin' },
    ],
  },
};

/** The answer to one lookup. */
export type BulkLookUp = (snapshot: Parameters<LookUp>[0], lookup: unknown, shared: Lookup) => ResponseData;

/** The routes of lookups, each with the keys that tell its lookups from others. */
const ROUTE_KEYS: readonly (readonly [id: keyof Service, keys: readonly string[]])[] = [
  ['findPostcode', ['postcode']],
  ['resolvePath', ['path']],
  ['getPlace', ['id']],
  ['match', ['address']],
  ['autocomplete', ['q']],
  ['reverse', ['lat', 'lng']],
];

const SHAPES =
  'an object with exactly one of postcode, lat and lng, path, id, address, q; beside q, lat and lng are a point to favour';

interface LookupRoute {
  readonly id: keyof Service;
  /** The keys of which its lookups have at least one. */
  readonly keys: readonly string[];
  readonly lookUp: LookUp;
}

/** Binds the routes of lookups to a service. */
export function bindBulkOperation(service: Service): BulkLookUp {
  const lookupRoutes = ROUTE_KEYS.map(([id, keys]): LookupRoute => ({ id, keys, lookUp: bindLookup(id, service) }));
  return (snapshot, lookup, shared) => {
    if (typeof lookup !== 'object' || lookup === null) throw misshapen();
    const own = lookup as Lookup;
    refuseFormat(own);
    let route: LookupRoute | undefined;
    for (const candidate of lookupRoutes) {
      if (!isMeant(candidate, own)) continue;
      // The point of a lookup by name is one that its suggestions favour.
      if (route?.id === 'autocomplete' && candidate.id === 'reverse') continue;
      if (route !== undefined) throw misshapen();
      route = candidate;
    }
    if (route === undefined) throw misshapen();
    return route.lookUp(snapshot, own, shared);
  };
}

function misshapen(): DomainError {
  return invalidParameter('lookups', `a lookup must be ${SHAPES}`, SHAPES);
}

function isMeant({ keys }: LookupRoute, own: Lookup): boolean {
  for (const key of keys) if (lookupHas(own, key)) return true;
  return false;
}
