/** What a bulk request and its answer hold, as JSON Schemas by name. */
import type { ErrorCode } from './error-codes.js';
import { errorObject } from './error-schema.js';
import { count, type JsonSchema, listOf, object, ref, text } from './json-schema.js';

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
const INCLUDE = text('Further fields of a place, separated by commas');
const COUNTRY = text('ISO 3166-1 alpha-2 code; where it is left out, that beside the lookups');

/** The kinds of lookups, by the names of their schemas. A value is what the parameter of that name may be. */
const lookupKinds = {
  LookupByPostcode: object({ country: COUNTRY, postcode: text('The postal code'), include: INCLUDE }, [
    'country',
    'include',
  ]),
  LookupByPosition: object({ lat: LATITUDE, lng: LONGITUDE, country: text('Likewise, or `any`'), include: INCLUDE }, [
    'country',
    'include',
  ]),
  LookupByPath: object({ country: COUNTRY, path: text('The path of a place'), include: INCLUDE }, [
    'country',
    'include',
  ]),
  LookupById: object({ country: COUNTRY, id: text('The id of a place'), include: INCLUDE }, ['country', 'include']),
  LookupByName: object(
    {
      q: text('The start of a name, or an address line'),
      country: COUNTRY,
      limit: count('How many suggestions there may be', 1),
      include: text('`place` for what identifies a suggestion'),
      kinds: text('What to suggest, separated by commas'),
      types: text('The types of places to suggest, separated by commas'),
      lat: { ...LATITUDE, description: 'The latitude of a point to favour, with `lng`' },
      lng: { ...LONGITUDE, description: 'The longitude of a point to favour, with `lat`' },
    },
    ['country', 'limit', 'include', 'kinds', 'types', 'lat', 'lng'],
  ),
};

export const bulkSchemas = {
  ...lookupKinds,
  BulkError: errorObject(LOOKUP_ERRORS),
  BulkEntry: object(
    {
      statusCode: count('The status of a request that asks for this alone: 200, or that of the error', 200),
      data: {
        anyOf: [ref('PostcodePlaces'), ref('NearestPlace'), ref('PlaceDetail'), listOf(ref('Suggestion'))],
        description: 'What a request that asks for this alone answers; only where `statusCode` is 200',
      },
      error: { ...ref('BulkError'), description: 'Only where `statusCode` is not 200' },
    },
    ['data', 'error'],
  ),
} satisfies Readonly<Record<string, JsonSchema>>;

/** The body of a bulk request. */
export const bulkBody: JsonSchema = object(
  {
    lookups: {
      type: 'array',
      items: { anyOf: Object.keys(lookupKinds).map(ref) },
      minItems: 1,
      maxItems: MAX_LOOKUPS,
      description: 'What is asked for, each as a request of its own would be',
    },
    country: text('The country of every lookup that names none'),
  },
  ['country'],
);
