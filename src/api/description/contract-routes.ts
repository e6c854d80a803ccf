/** The nine endpoints of the contract. A request without parameters that came later is answered as the contract says. */

import { SUGGESTION_PARTS } from '../../core/answers/autocomplete.js';
import { MAX_POSTCODE_PLACES } from '../../core/answers/postcodes.js';
import { REVERSE_RADIUS_KM } from '../../core/lookup/reverse.js';
import { LEVEL_COUNT } from '../../core/snapshot/place-tree.js';
import { PLACE_TYPES } from '../../core/snapshot/place-type.js';
import { SUGGESTION_KINDS } from '../../core/suggest/suggested-items.js';
import { listFormat, placeFormat } from './answer-formats.js';
import { type Route, route } from './define-route.js';
import { MAX_SUGGESTIONS } from './field-schemas.js';
import { listOf, ref } from './json-schema.js';
import {
  countryCodeOrAny,
  countryCodeOrSeveral,
  decimalRule,
  integerRule,
  placePath,
  postcodeText,
  searchText,
  trueOrFalse,
  wordsRule,
} from './parameter-rules.js';
import { inPath, optional, required } from './parameters.js';
import { RATE_COSTS } from './rate-costs.js';
import { country, id, include, lang, OF_COUNTRY, OF_PLACE, page, pageSize } from './shared-parameters.js';

export const contractRoutes: readonly Route[] = [
  route(
    'listCountries',
    '/v1/countries',
    {
      hasPostcodes: optional('hasPostcodes', 'Whether countries without postcode data are left out', trueOrFalse),
      lang,
      format: listFormat,
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
    { country, lang },
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
      level: optional('level', 'The administrative level; all levels if left out', integerRule(1, LEVEL_COUNT)),
      page,
      pageSize,
      lang,
      format: listFormat,
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
    { country, id, include, lang, format: placeFormat },
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
    { country, id, page, pageSize, lang, format: listFormat },
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
      segments: required('path', 'The path of a page, without the slug of its country', placePath),
      include,
      lang,
      format: placeFormat,
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
    { country, postcode: inPath('postcode', 'The postal code', postcodeText), include, lang, format: listFormat },
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
      limit: optional('limit', 'How many suggestions there may be', integerRule(1, MAX_SUGGESTIONS), 10),
      include: optional(
        'include',
        'Fields to add to each suggestion, such as id, position and label',
        wordsRule(SUGGESTION_PARTS),
      ),
      kinds: optional('kinds', 'What to suggest; places if left out', wordsRule(SUGGESTION_KINDS)),
      types: optional('types', 'The types of places to suggest; all if left out', wordsRule(PLACE_TYPES)),
      lat: optional('lat', 'The latitude of a point, near which places come first; needs lng', decimalRule(-90, 90)),
      lng: optional('lng', 'The longitude of this point; needs lat', decimalRule(-180, 180)),
      lang,
      format: listFormat,
    },
    {
      summary: 'Suggest places',
      description:
        'Places for the start of a name, the best first. Case, accents and script make no difference. With `kinds` also ' +
        'postal codes, each once for each country, and countries, by name and ISO code. With `include=place` no two ' +
        'suggestions look the same. With `lat` and `lng`, of places that match equally well and are equally important ' +
        'the nearest comes first: a near village never comes before a city. If `q` names a country without data, or a ' +
        'large city there (`Tokyo`, `東京`), the header `x-country-without-data` has the code of that country. ' +
        RATE_COSTS.autocomplete.told,
      data: listOf(ref('Suggestion'), { maxItems: MAX_SUGGESTIONS }),
      errors: OF_COUNTRY,
      example: { q: 'ber', country: 'DE', limit: 5 },
    },
  ),
  route(
    'reverse',
    '/v1/reverse',
    {
      lat: required('lat', 'The latitude', decimalRule(-90, 90)),
      lng: required('lng', 'The longitude', decimalRule(-180, 180)),
      country: optional(
        'country',
        'The country to search; the country that contains the point if left out',
        countryCodeOrAny,
      ),
      include,
      lang,
      format: placeFormat,
    },
    {
      summary: 'Find the nearest place',
      description:
        `The nearest place within ${REVERSE_RADIUS_KM} km of a point. Without \`country\`, the API searches the country ` +
        'that contains the point; at sea, the country with the nearest centre, then all countries. A point in a country ' +
        'without data is `NO_POSTCODE_DATA`. `country=any` searches all countries.',
      data: ref('NearestPlace'),
      errors: [...OF_COUNTRY, 'NO_NEARBY_PLACE'],
      example: { lat: 52.53, lng: 13.38, country: 'DE' },
    },
  ),
];
