/** Places and what is told of them on request, as JSON Schemas by name. */
import { LEVEL_COUNT, PLACE_TYPES } from '../format/place-levels.js';
import type { IncludedField } from '../service/place-detail.js';
import {
  COUNTRY_CODE,
  LATITUDE,
  LEVEL,
  LONGITUDE,
  PATH,
  POSTAL_CODE,
  pageOf,
  SLUG,
  UUID,
  WEB_PAGE,
} from './field-schemas.js';
import { count, type JsonSchema, listOf, nullable, object, ref, text } from './json-schema.js';

const Place = object({
  id: text('Stays the same from release to release', UUID),
  countryCode: COUNTRY_CODE,
  level: LEVEL,
  name: text('Name in Latin letters'),
  localName: text('Name in the local script'),
  type: text(
    'Kind of place: `region`, `district` and `municipality` are admin units, a `locality` is a place with a postal code, a ' +
      '`recipient` an organisation, post boxes or a delivery office with a code of its own. Recipients are answers to a ' +
      'position only where no locality is near, and no suggestions. Later versions may add kinds.',
    { enum: [...PLACE_TYPES] },
  ),
  slug: text('Slug of the place, the last segment of its path', { pattern: `^${SLUG}$` }),
  path: PATH,
  postalCode: POSTAL_CODE,
  latitude: LATITUDE,
  longitude: LONGITUDE,
  parentId: nullable(text('Id of the parent; null for level 1', UUID)),
  url: WEB_PAGE,
});

const PlaceCodes = object({
  iso3166_2: nullable(text('ISO 3166-2 code; null where the unit has none', { pattern: '^[A-Z]{2}-[A-Z0-9]{1,3}$' })),
  release: nullable(text('Code of the dataset; null where it has none')),
});

/** The fields of a place that `include` adds. */
const includedFields: Readonly<Record<IncludedField, JsonSchema>> = {
  codes: { ...ref('PlaceCodes'), description: 'Codes of the first-level unit that the place is or lies in' },
  timezone: text('IANA time zone'),
  population: nullable({
    ...count('People in the city that the place is', 1),
    description:
      'People in the city that the place is, as GeoNames has them: each place of the name of the city has it; null for ' +
      'other places, and for units wider than the city',
  }),
  bounds: nullable({
    ...listOf({ type: 'number', minimum: -180, maximum: 180 }, { maxItems: 4 }),
    minItems: 4,
    description:
      'West, south, east and north in decimal degrees of the localities in a unit whose coordinates are sure; west is ' +
      'greater than east across the antimeridian (RFC 7946). Null for a place with a postal code, and for a unit ' +
      'without such localities',
  }),
};

const PlaceDetail: JsonSchema = {
  allOf: [
    ref('Place'),
    object({
      ancestors: {
        ...listOf(ref('Place'), { maxItems: LEVEL_COUNT - 1 }),
        description: 'Root first; empty for level 1',
      },
      childCount: count('Direct children'),
    }),
    { type: 'object', description: 'Only those that `include` names', properties: includedFields },
  ],
};

const PlacePage = pageOf('Place', 'Places');

export const placeSchemas = { Place, PlaceCodes, PlaceDetail, PlacePage };
