/** Countries and the release, as JSON Schemas by name. */
import { LEVEL_COUNT } from '../format/place-levels.js';
import { COUNTRY_CODE, LATITUDE, LEVEL, LONGITUDE, SLUG, WEB_PAGE } from './field-schemas.js';
import { count, type JsonSchema, listOf, nullable, object, ref, text } from './json-schema.js';

const COUNTRY_CENTRE = 'Centre of the country in decimal degrees; null where it has none';

const Country = object({
  code: COUNTRY_CODE,
  alpha3: text('ISO 3166-1 alpha-3 code', { pattern: '^[A-Z]{3}$' }),
  name: text('English short name'),
  slug: text('Slug of the country in website addresses', { pattern: `^${SLUG}$` }),
  region: text('Continent: AF, AN, AS, EU, NA, OC or SA'),
  subRegion: nullable(text('Sub-region, as UN M49 calls it')),
  currencyCode: text('ISO 4217 code; empty for Antarctica'),
  timezone: text('IANA time zone of the capital, in area/city form'),
  latitude: nullable({ ...LATITUDE, description: COUNTRY_CENTRE }),
  longitude: nullable({ ...LONGITUDE, description: COUNTRY_CENTRE }),
  postalCodeFormat: nullable(
    text('Pattern of the postal codes: `#` is a digit, `@` a letter, any other character itself; null where unknown'),
  ),
  hasPostcodes: { type: 'boolean', description: 'Whether the country has postcode data' },
  url: WEB_PAGE,
});

const LevelCount = object({ level: LEVEL, count: count('Places of this level', 1) });

const CountryStats = object({
  totalPlaces: count('Places of all levels'),
  distinctPostcodes: count('Different postal codes'),
  levels: {
    ...listOf(ref('LevelCount'), { maxItems: LEVEL_COUNT }),
    description: 'One entry for each level that has places, ascending',
  },
});

const CountryDetail: JsonSchema = {
  allOf: [
    ref('Country'),
    {
      type: 'object',
      properties: { stats: { ...ref('CountryStats'), description: 'Only where the country has postcode data' } },
    },
  ],
};
const ReleaseCountry = object({
  code: COUNTRY_CODE,
  totalPlaces: count('Places of all levels'),
  distinctPostcodes: count('Different postal codes'),
});

const Release = object({
  name: text('Name of the release, as the header x-dataset-release has it'),
  sourceDate: nullable(text('Date of the newest file of the release; null where unknown', { format: 'date' })),
  previousRelease: nullable(text('Name of the release before; null where the snapshot does not know it')),
  totalPlaces: count('Places of all countries'),
  distinctPostcodes: count('Postal codes of all countries; a code of two countries counts twice'),
  countries: {
    ...listOf(ref('ReleaseCountry')),
    description: 'The countries with postcode data, ascending by code',
  },
  formatVersion: count('Version of the format of the snapshot', 1),
  foldingVersion: count('Version of the rules by which names are compared'),
  builderVersion: nullable(text('Version of the builder of the snapshot; null where the snapshot does not know it')),
});

export const countrySchemas = { Country, LevelCount, CountryStats, CountryDetail, ReleaseCountry, Release };
