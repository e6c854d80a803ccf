/** Fields that several resources have, as JSON Schemas, and the sizes of lists. */

import { LEVEL_COUNT } from '../../core/snapshot/place-tree.js';
import { codesWithDetails, type ErrorCode } from './error-codes.js';

/*
 * JSON Schema (2020-12) as plain objects, and the few forms that the description of the API is made of. Nothing here is
 * read when a request is answered. An object's fields are all required unless they are named as optional; fields that
 * are not described are allowed, so that a later version may add some.
 */

export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

export function object(properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties };
}

export function listOf(items: JsonSchema, limits: { readonly maxItems?: number } = {}): JsonSchema {
  return { type: 'array', items, ...limits };
}

/** A reference to a schema that the description has under its name. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Or null. */
export function nullable(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema.type ?? [], 'null'].flat() };
}

export function text(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'string', description, ...more };
}

export function count(description: string, minimum = 0): JsonSchema {
  return { type: 'integer', minimum, description };
}

/** Maximum number of resources on a page. */
export const MAX_PAGE_SIZE = 100;
/** Maximum number of suggestions of one request. */
export const MAX_SUGGESTIONS = 25;

export const SLUG = '[a-z0-9]+(-[a-z0-9]+)*';
export const UUID: JsonSchema = { format: 'uuid' };
export const WEB_PAGE = text(
  'Page on the website that the snapshot was built for; link to it where you show the data',
  {
    format: 'uri',
  },
);
export const COUNTRY_CODE = text('ISO 3166-1 alpha-2 code', { pattern: '^[A-Z]{2}$' });
export const LEVEL: JsonSchema = {
  type: 'integer',
  minimum: 1,
  maximum: LEVEL_COUNT,
  description: 'Administrative level; 1 is the top',
};
export const LATITUDE: JsonSchema = {
  type: 'number',
  minimum: -90,
  maximum: 90,
  description: 'Decimal degrees, WGS 84',
};
export const LONGITUDE: JsonSchema = {
  type: 'number',
  minimum: -180,
  maximum: 180,
  description: 'Decimal degrees, WGS 84',
};
export const PATH = text('Slugs of the ancestors and of the place, root first, each after a slash', {
  pattern: `^(/${SLUG}){1,${LEVEL_COUNT}}$`,
});
export const POSTAL_CODE = nullable(text('Postal code as the dataset writes it; null for an administrative unit'));

/** A page of resources of a schema; `plural` is what they are called. */
export function pageOf(name: string, plural: string): JsonSchema {
  return object({
    items: listOf(ref(name), { maxItems: MAX_PAGE_SIZE }),
    pageNumber: count('Number of this page, from 1', 1),
    pageSize: count(`${plural} on a full page`, 1),
    totalCount: count(`${plural} on all pages`),
    totalPages: count('Pages of this size'),
    hasPreviousPage: { type: 'boolean' },
    hasNextPage: { type: 'boolean' },
  });
}

/* What an error tells, as JSON Schema: that of a response, and that of a lookup of a bulk request. */

const DETAILS = `Of \`VALIDATION_FAILED\`: the faulty parameters in the order of the endpoint, then unknown parameters that \
look like a known one. Of \`COUNTRY_NOT_FOUND\`, and of \`POSTCODE_NOT_FOUND\` of \`findPostcode\`: the code that was probably \
meant, if there is one. Of \`POSTCODE_NOT_FOUND\` of \`findPostcode\` and \`findPostcodes\`: with \`withdrawn\`, the code that an \
earlier release has`;

/** An error with one of these codes. */
export function errorObject(codes: readonly ErrorCode[]): JsonSchema {
  const fields = {
    message: text('For people; its wording may change'),
    code: text('For programs', { enum: [...codes] }),
  };
  const details = { ...listOf(ref('ParameterFault')), minItems: 1, description: DETAILS };
  const hasDetails = codes.some((code) => codesWithDetails.includes(code));
  return hasDetails ? object({ ...fields, details }, ['details']) : object(fields);
}
