/** Parameters that many routes share, and the error codes with which requests that have them can end. */

import { MAX_PAGE_SIZE } from './field-schemas.js';
import { countryCode, includedFields, integerRule, languageTags, placeId } from './parameter-rules.js';
import { inPath, optional } from './parameters.js';

/** The parameter and the field of an input with the languages of names, of which no use case knows. */
export const LANGUAGES = 'lang';

export const country = inPath('country', 'The country', countryCode);
export const id = inPath('id', 'The place', placeId);
export const page = optional(
  'page',
  'The number of the page (a page past the last is empty)',
  integerRule(1, Number.MAX_SAFE_INTEGER),
  1,
);
export const pageSize = optional('pageSize', 'How many places a page has', integerRule(1, MAX_PAGE_SIZE), 50);
export const include = optional('include', 'Fields to add to the place', includedFields);
export const lang = optional(LANGUAGES, 'The languages of names, in order of preference', languageTags);

/** The errors of a request about a country that must have postcode data, and about a place of it. */
export const OF_COUNTRY = ['VALIDATION_FAILED', 'COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA'] as const;
export const OF_PLACE = [...OF_COUNTRY, 'PLACE_NOT_FOUND'] as const;
