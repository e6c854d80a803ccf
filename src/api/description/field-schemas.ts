/** Fields that several resources have, as JSON Schemas, and the sizes of lists. */

import { LEVEL_COUNT } from '../../core/snapshot/place-tree.js';
import { codesWithDetails, type ErrorCode } from './error-codes.js';
import { count, type JsonSchema, listOf, nullable, object, ref, text } from './json-schema.js';

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
were probably meant for it. Of \`COUNTRY_NOT_FOUND\`, and of \`POSTCODE_NOT_FOUND\` of \`findPostcode\`: the code that was probably \
meant, if there is one. Of \`POSTCODE_NOT_FOUND\` of \`findPostcode\` and \`findPostcodes\`: with \`withdrawn\`, the code that an \
earlier release has; with \`inferred\`, the town whose block of codes has the one that the dataset lacks`;

/** An error with one of these codes. */
export function errorFieldSchema(codes: readonly ErrorCode[]): JsonSchema {
  const fields = {
    message: text('For people; its wording may change'),
    code: text('For programs', { enum: [...codes] }),
  };
  const details = { ...listOf(ref('ParameterFault')), minItems: 1, description: DETAILS };
  const hasDetails = codes.some((code) => codesWithDetails.includes(code));
  return hasDetails ? object({ ...fields, details }, ['details']) : object(fields);
}
