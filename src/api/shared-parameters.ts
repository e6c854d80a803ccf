/** Parameters and error codes that many routes share. */
import { MAX_PAGE_SIZE } from './field-schemas.js';
import { inPath, optional } from './params.js';
import { countryCode, includedFields, integer, placeId } from './rules.js';

export const country = inPath('country', 'The country', countryCode);
export const id = inPath('id', 'The place', placeId);
export const page = optional(
  'page',
  'The number of the page (a page past the last is empty)',
  integer(1, Number.MAX_SAFE_INTEGER),
  1,
);
export const pageSize = optional('pageSize', 'How many places a page has', integer(1, MAX_PAGE_SIZE), 50);
export const include = optional('include', 'Further fields of the place', includedFields);

/** The errors of a request about a country that must have postcode data, and about a place of it. */
export const OF_COUNTRY = ['VALIDATION_FAILED', 'COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA'] as const;
export const OF_PLACE = [...OF_COUNTRY, 'PLACE_NOT_FOUND'] as const;
