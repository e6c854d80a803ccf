/** The names that options of enrich take. */

export const FORMATS = ['csv', 'tsv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

/** The fields that can be added to a row: names of --add, and of the added columns. */
export const FIELD_NAMES = [
  'city',
  'local_name',
  'type',
  'municipality',
  'district',
  'state',
  'state_code',
  'country_code',
  'country_alpha3',
  'country_name',
  'postcode',
  'place_count',
  'latitude',
  'longitude',
  'distance_km',
  'population',
  'timezone',
  'id',
  'municipality_id',
  'district_id',
  'state_id',
  'path',
  'url',
] as const;
export type FieldName = (typeof FIELD_NAMES)[number];
