/**
 * The endpoints that came after the contract: what is nearby, distances, postal codes of places and of the world, and
 * what changed since a release.
 */

import { MAX_NEARBY, MAX_NEARBY_RADIUS_KM, NEARBY_ENTRIES, NEARBY_TYPES } from '../../core/answers/nearby.js';
import { MAX_FOUND_COUNTRIES } from '../../core/answers/postcodes.js';
import { ENTRY_KINDS } from '../../core/snapshot/changes-file.js';
import { MAX_SEARCH_LENGTH } from '../../core/suggest/search-text.js';
import { listFormat, placeFormat } from './answer-formats.js';
import { type Route, route } from './define-route.js';
import { MAX_PAGE_SIZE } from './field-schemas.js';
import { listOf, ref } from './json-schema.js';
import {
  addressText,
  countryCode,
  countryCodes,
  decimalRule,
  integerRule,
  placeId,
  postcodeAsSent,
  postcodeOrPlace,
  postcodeText,
  releaseName,
  trueOrFalse,
  wordRule,
  wordsRule,
} from './parameter-rules.js';
import { inPath, optional, required } from './parameters.js';
import { RATE_COSTS } from './rate-costs.js';
import { country, id, include, lang, OF_COUNTRY, OF_PLACE, page } from './shared-parameters.js';

export const furtherRoutes: readonly Route[] = [
  route(
    'nearby',
    '/v1/nearby',
    {
      lat: optional('lat', 'The latitude of the centre', decimalRule(-90, 90)),
      lng: optional('lng', 'The longitude of the centre', decimalRule(-180, 180)),
      country: optional('country', 'The country of the postcode or place that is the centre', countryCode),
      postcode: optional('postcode', 'The postal code that is the centre', postcodeText),
      place: optional('place', 'The place that is the centre', placeId),
      radiusKm: optional('radiusKm', 'The radius in kilometres', decimalRule(0, MAX_NEARBY_RADIUS_KM), 25),
      limit: optional('limit', 'How many entries there may be', integerRule(1, MAX_NEARBY), 10),
      countries: optional('countries', 'The countries to search; all if left out', countryCodes),
      types: optional('types', 'The types of places to list; localities if left out', wordsRule(NEARBY_TYPES)),
      by: optional('by', 'What to list; places if left out', wordRule(NEARBY_ENTRIES)),
      include,
      lang,
      format: listFormat,
    },
    {
      summary: 'List what is nearby',
      description:
        'The places, or with `by=postcode` the postal codes, around a centre, nearest first, across borders. The centre ' +
        'is `lat` and `lng`, or `country` with `postcode` or `place`. Of several localities at one point, a list of places ' +
        'has the one with the lowest code, and a list of codes has all their codes. The distance of a code is that of its ' +
        'nearest place. Where the country has full codes, such as `SW1A 1AA`, the list has these, each with its own ' +
        `position. ${RATE_COSTS.nearby.told}`,
      data: listOf({ anyOf: [ref('NearbyPlace'), ref('NearbyPostcode')] }, { maxItems: MAX_NEARBY }),
      errors: [...OF_PLACE, 'POSTCODE_NOT_FOUND'],
      example: { lat: 47.66, lng: 9.18, limit: 2 },
    },
  ),
  route(
    'distance',
    '/v1/distance',
    {
      from: required('from', 'The start', postcodeOrPlace),
      to: required('to', 'The end', postcodeOrPlace),
      lang,
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
      full: optional(
        'full',
        'Whether full codes are listed, where the country has them, instead of their first parts',
        trueOrFalse,
      ),
      page,
      pageSize: optional('pageSize', 'How many codes a page has', integerRule(1, MAX_PAGE_SIZE), 50),
      format: listFormat,
    },
    {
      summary: 'List postal codes of a place',
      description:
        'A page of postal codes, each once, in natural order: `SW2` comes before `SW10`. A unit has the codes of all places ' +
        'in it and of places of its name beside it; a place with a code has those of its city. Codes that only recipients ' +
        'have are left out without `recipients=true`. With `full=true` the list has full codes, such as `SW1A 1AA`, where the country ' +
        `has them. ${RATE_COSTS.listPostcodes.told}`,
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
        'Tells a form whether the country has a code that somebody typed, in which spelling, and in which format its codes ' +
        'are. A code that is not found is no error here. `withdrawn` says of a code from an earlier release which release ' +
        'came without it, and which place had it. `inferred` names the town whose block of codes has a code that the ' +
        'dataset lacks.',
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
      country: optional('country', 'The countries to search; all if left out', countryCodes),
      include,
      lang,
      format: listFormat,
    },
    {
      summary: 'Find a postal code in all countries',
      description:
        `The places of a postal code, for at most ${MAX_FOUND_COUNTRIES} countries that have it: first those that spell the ` +
        'code as it was sent, then those with other spaces or hyphens, then those that have a part of it, or have it ' +
        'without the country before it. Of equal ones the country with more inhabitants comes first. ' +
        ` ${RATE_COSTS.findPostcodes.told}`,
      data: listOf(ref('PostcodePlaces'), { maxItems: MAX_FOUND_COUNTRIES }),
      errors: [...OF_COUNTRY, 'POSTCODE_NOT_FOUND'],
      example: { postcode: '10115', country: 'DE,US' },
    },
  ),
  route(
    'match',
    '/v1/match',
    {
      address: required('address', 'The address, in one line or in several separated by line breaks', addressText),
      country: optional('country', 'The country of the address', countryCode),
      include,
      lang,
      format: placeFormat,
    },
    {
      summary: 'Match an address',
      description:
        'The place that an address leads to: by the postal code in its last line if the rest of the line fits it, or else ' +
        'by the town at its end, with its state and country. A country or a telephone number may follow on lines below. Nothing ' +
        'is guessed: an address that leads to no place has the match `none`, and is no error. Lines of over ' +
        `${MAX_SEARCH_LENGTH} characters are not read. ${RATE_COSTS.match.told}`,
      data: ref('AddressMatch'),
      errors: ['VALIDATION_FAILED', 'COUNTRY_NOT_FOUND'],
      example: { address: 'Unter den Linden 77, 10117 Berlin', country: 'DE' },
    },
  ),
  route(
    'listChanges',
    '/v1/changes',
    {
      since: required('since', 'The release that you have', releaseName),
      country: optional('country', 'The country of the changes; all countries if left out', countryCode),
      change: optional('change', 'The kinds of changes; all changes of places if left out', wordsRule(ENTRY_KINDS)),
      page,
      pageSize: optional('pageSize', 'How many changes a page has', integerRule(1, MAX_PAGE_SIZE), 50),
      lang,
    },
    {
      summary: 'List what changed since a release',
      description:
        'A page of the places that were added, removed, moved or renamed from the release `since` to the one that is ' +
        'served: release by release, the oldest first, then by country, by kind of change and by path. Full codes that were ' +
        'added, removed or moved are listed by code, if `change` asks for them. `since` may be the served ' +
        'release: the list is empty then. Lists go back as far as the operator keeps them. A change of type or coordinates ' +
        'alone is not listed. Fetch all pages while `release` stays the same; if it changes, begin again.',
      data: ref('ChangePage'),
      errors: ['VALIDATION_FAILED', 'COUNTRY_NOT_FOUND', 'RELEASE_NOT_FOUND'],
      example: { since: 'starter', pageSize: 2 },
    },
  ),
];
