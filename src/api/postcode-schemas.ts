/** Postal codes, as JSON Schemas by name. */
import { POSTCODE_MATCHES } from '../service/check-postcode.js';
import { MAX_POSTCODE_PLACES } from '../service/find-postcode.js';
import { COUNTRY_CODE, LATITUDE, LONGITUDE, pageOf } from './field-schemas.js';
import { count, listOf, nullable, object, ref, text } from './json-schema.js';

const PlacePostcode = object({
  postcode: text('Postal code as the dataset writes it'),
  latitude: {
    ...LATITUDE,
    description: 'Latitude of one of its places here, one with sure coordinates if there is any',
  },
  longitude: { ...LONGITUDE, description: 'Longitude of the same place' },
  placeCount: count('Places here that have the code', 1),
});

const PlacePostcodePage = pageOf('PlacePostcode', 'Codes');

const PostcodeCheck = object({
  countryCode: COUNTRY_CODE,
  asked: text('The postal code as it was sent'),
  postcode: nullable(text('The code that was found, as the dataset writes it; null if none was found')),
  match: text(
    'How the code was found. `exact`: as it was sent. `normalised`: in another spelling. `partial`: the dataset has only ' +
      'the first part of the code, or only a part of the code was sent. `none`: the dataset does not have it',
    { enum: [...POSTCODE_MATCHES] },
  ),
  hasKnownFormat: {
    type: 'boolean',
    description:
      'Whether what was sent, apart from case, spaces and hyphens, fits `format` or is a code of the dataset; true of ' +
      'first parts too where the dataset has only these',
  },
  format: nullable(text('`postalCodeFormat` of the country; null where unknown')),
  example: text('A code of the country'),
});

const PostcodePlaces = object({
  countryCode: COUNTRY_CODE,
  postcode: text('The postal code that was found, as the dataset writes it'),
  places: listOf(ref('PlaceDetail'), { maxItems: MAX_POSTCODE_PLACES }),
});

export const postcodeSchemas = { PostcodePlaces, PlacePostcode, PlacePostcodePage, PostcodeCheck };
