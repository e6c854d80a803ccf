/**
 * What answers hold, as JSON Schemas by name: the resources and the two envelopes. The description of the API has them
 * under `components.schemas`, and the routes refer to them with `ref`. Limits and lists come from the code that keeps to
 * them.
 */

import { MAX_NEARBY_RADIUS_KM } from '../../core/answers/nearby.js';
import type { IncludedField } from '../../core/answers/place-detail.js';
import { MAX_POSTCODE_PLACES } from '../../core/answers/postcodes.js';
import { POSTCODE_MATCHES } from '../../core/lookup/postcode-lookup.js';
import { REVERSE_RADIUS_KM } from '../../core/lookup/reverse.js';
import { ENTRY_KINDS } from '../../core/snapshot/changes-file.js';
import { LEVEL_COUNT } from '../../core/snapshot/place-tree.js';
import { PLACE_TYPES } from '../../core/snapshot/place-type.js';
import { CONFLICT_REASONS } from '../../core/suggest/address-conflict.js';
import { ADDRESS_MATCHES } from '../../core/suggest/address-match.js';
import { SUGGESTION_KINDS } from '../../core/suggest/suggested-items.js';
import { formatSchemas } from './answer-formats.js';
import { bulkSchemas } from './bulk-operation.js';
import type { ErrorCode } from './error-codes.js';
import {
  COUNTRY_CODE,
  errorFieldSchema,
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
import { photonSchemas } from './photon-operations.js';

/* The changes since a release, as JSON Schemas by name. */

const PlaceChange = object(
  {
    release: text('Release that the change came with'),
    countryCode: COUNTRY_CODE,
    change: text(
      'What happened. `added`, `removed`: the place is new, or gone. `moved`: it has another path or parent. `renamed`: it ' +
        'has another name. A place that was moved and renamed has an entry for each. `fullCodeAdded`, `fullCodeRemoved`: the full ' +
        'code `postalCode` is new, or gone. `fullCodeMoved`: it is over 1 km from its old position, or of another place',
      { enum: [...ENTRY_KINDS] },
    ),
    id: text(
      'Id of the place. Of a removed place this and the fields below are as they were; of a full code, the id of the ' +
        'place that has it, or had it if it is removed',
      UUID,
    ),
    path: PATH,
    name: text('Name in Latin letters'),
    localName: text('Name in the local script'),
    type: text('Kind of place, as `type` of a place'),
    postalCode: POSTAL_CODE,
    oldId: text(
      'Id before, if a renamed place had another; of a moved full code, the id of the place that had it',
      UUID,
    ),
    oldPath: {
      ...PATH,
      description:
        'Path before. A moved place has it always, also if only its parent is another; a renamed place, and the place of a ' +
        'moved full code, if the path was another',
    },
    oldName: text('Name before; every renamed place has it'),
    oldLocalName: text('Local name before, if a renamed place had another'),
    movedKm: { type: 'number', minimum: 0, description: 'Kilometres from the old position of a moved full code' },
  },
  ['oldId', 'oldPath', 'oldName', 'oldLocalName', 'movedKm'],
);

const ChangePage = object({
  since: text('The release that was asked for'),
  release: text('The release that is served'),
  countriesNotListed: {
    ...listOf(COUNTRY_CODE),
    description:
      'Countries with so many changes that `items` has none of them, or whose full codes are new or gone as a whole; read ' +
      'these countries again as a whole',
  },
  ...pageOf('PlaceChange', 'Changes').properties,
});

const changeSchemas = { PlaceChange, ChangePage };

/* Countries and the release, as JSON Schemas by name. */

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

const SourceLicense = object({
  name: text('Name of the licence'),
  identifier: text('SPDX identifier of the licence'),
  url: text('Text of the licence', { format: 'uri' }),
});

const Source = object({
  name: text('Name of the source'),
  url: text('Web page of the source', { format: 'uri' }),
  license: ref('SourceLicense'),
  attribution: text('What to show where the data are shown'),
  fullCodesOf: {
    ...listOf(COUNTRY_CODE),
    description: 'The countries whose full postal codes are from it; empty for the source of all other data',
  },
});

const Release = object(
  {
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
    sources: {
      ...listOf(ref('Source')),
      description: 'Whom to credit, only where that is not GeoNames alone; the source of all other data comes first',
    },
  },
  ['sources'],
);

const countrySchemas = {
  Country,
  LevelCount,
  CountryStats,
  CountryDetail,
  ReleaseCountry,
  SourceLicense,
  Source,
  Release,
};

/* Places and what is told of them on request, as JSON Schemas by name. */

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

const City = object({
  id: text('Id of the place that is the city', UUID),
  name: text('Name of the city'),
  path: PATH,
  url: WEB_PAGE,
});

const CITY: JsonSchema = {
  anyOf: [ref('City'), { type: 'null' }],
  description:
    'The city that the place belongs to, as on an envelope: a town is its own city, a district or an office belongs to ' +
    'the city around it; null for units wider than a city',
};

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
  city: CITY,
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

const placeSchemas = { Place, PlaceCodes, City, PlaceDetail, PlacePage };

/* Postal codes, as JSON Schemas by name. */

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

const WithdrawnPostcode = object({
  postcode: text('The code as the earlier release writes it'),
  release: text('The release that came without the code'),
  countryCode: COUNTRY_CODE,
  placeId: text('Id of a place that had the code, as it was then', UUID),
  placeName: text('Name of this place'),
  placePath: PATH,
});

const InferredPostcode = object({
  countryCode: COUNTRY_CODE,
  placeId: text('Id of the town, or of the part of it, that has the codes around this one', UUID),
  placeName: text('Name of this place'),
  placePath: PATH,
  city: text('Name of its city; its own name where it has none'),
});

const PostcodeCheck = object(
  {
    countryCode: COUNTRY_CODE,
    asked: text('The postal code as it was sent'),
    postcode: nullable(text('The code that was found, as the dataset writes it; null if none was found')),
    match: text(
      'How the code was found. `exact`: as it was sent. `normalised`: in another spelling. `partial`: the dataset has only ' +
        'the first part of the code, or only a part of the code was sent. `inferred`: the dataset lacks the code, and the ' +
        'block of codes around it belongs to one town. `withdrawn`: an earlier release has it. `none`: the dataset does not ' +
        'have it',
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
    withdrawn: {
      ...ref('WithdrawnPostcode'),
      description: 'Only of a code that is not found, or only in part, and that an earlier release has',
    },
    inferred: { ...ref('InferredPostcode'), description: 'Only where `match` is `inferred`: the town of the block' },
  },
  ['withdrawn', 'inferred'],
);

const PostcodePlaces = object({
  countryCode: COUNTRY_CODE,
  postcode: text('The postal code that was found, as the dataset writes it'),
  places: listOf(ref('PlaceDetail'), { maxItems: MAX_POSTCODE_PLACES }),
});

const postcodeSchemas = {
  PostcodePlaces,
  PlacePostcode,
  PlacePostcodePage,
  WithdrawnPostcode,
  InferredPostcode,
  PostcodeCheck,
};

/* What searches find by a name, a position or two places, as JSON Schemas by name. */

const SuggestionContext = object({
  level: LEVEL,
  name: text('Name in Latin letters'),
  iso3166_2: nullable(text('ISO 3166-2 code of a first-level unit; null where there is none')),
});

/** The fields that a suggestion of the kind `postcode` has beside the contract's. */
const postcodeSuggestionFields: Readonly<Record<string, JsonSchema>> = {
  placeName: text('Only of a postal code: name of its main place'),
  placeCount: count('Only of a postal code: places that have it', 1),
};

/** The fields that `include=place` adds to a suggestion. */
const includedSuggestionFields: Readonly<Record<string, JsonSchema>> = {
  id: text('Only of a place: its id', UUID),
  level: LEVEL,
  type: text('Only of a place: its type', { enum: [...PLACE_TYPES] }),
  localName: text('Only of a place: name in the local script'),
  latitude: nullable({
    ...LATITUDE,
    description: 'Latitude of the place, of the main place of a code, or of the centre of a country',
  }),
  longitude: nullable({ ...LONGITUDE, description: 'Longitude of the same point' }),
  population: nullable(count('Only of a place: people in the city that the place is; null for other places', 1)),
  context: {
    ...listOf(ref('SuggestionContext'), { maxItems: LEVEL_COUNT - 1 }),
    description: 'Only of a place: the units that it lies in, root first',
  },
  label: text(
    'Text to show: the name, the city if it has another name, what tells it from other suggestions, the country',
  ),
  city: { ...CITY, description: 'City of the place, or of the main place of a code; null where there is none' },
};

const Suggestion = object(
  {
    kind: text('What is suggested: `place` unless `kinds` asks for more; later versions may add kinds', {
      enum: [...SUGGESTION_KINDS],
    }),
    name: text('Name in Latin letters; of a postal code the code'),
    countryCode: COUNTRY_CODE,
    countryName: text('English short name of the country'),
    postalCode: POSTAL_CODE,
    path: text('Path of the page after the slug of the country: of a place its `path`; of a country `/`', {
      pattern: '^/',
    }),
    url: WEB_PAGE,
    ...postcodeSuggestionFields,
    ...includedSuggestionFields,
  },
  [...Object.keys(postcodeSuggestionFields), ...Object.keys(includedSuggestionFields)],
);

const NearestPlace = object({
  place: ref('PlaceDetail'),
  distanceKm: {
    type: 'number',
    minimum: 0,
    maximum: REVERSE_RADIUS_KM,
    description: 'Distance from the point in kilometres; 0 for a place at the point',
  },
});

const NEARBY_DISTANCE: JsonSchema = {
  type: 'number',
  minimum: 0,
  maximum: MAX_NEARBY_RADIUS_KM,
  description: 'Distance from the centre in kilometres, rounded to metres',
};

const NearbyPlace = object({ place: ref('PlaceDetail'), distanceKm: NEARBY_DISTANCE });

const NearbyPostcode = object({
  countryCode: COUNTRY_CODE,
  postcode: text('Postal code as the dataset writes it'),
  latitude: { ...LATITUDE, description: 'Latitude of the place of the code that is nearest to the centre' },
  longitude: { ...LONGITUDE, description: 'Longitude of this place' },
  distanceKm: NEARBY_DISTANCE,
});

const DistanceSide = object({
  countryCode: COUNTRY_CODE,
  postcode: nullable(text('Postal code as the dataset writes it; null for a place')),
  id: nullable(text('Id of the place; null for a postal code', UUID)),
  name: nullable(text('Name of the place; null for a postal code')),
  latitude: { ...LATITUDE, description: 'Latitude of the place, or the mean of the places of the code' },
  longitude: { ...LONGITUDE, description: 'Longitude of the place, or the mean of the places of the code' },
});

const Distance = object({
  from: ref('DistanceSide'),
  to: ref('DistanceSide'),
  distanceKm: {
    type: 'number',
    minimum: 0,
    description: 'Great-circle distance in kilometres, rounded to metres',
  },
});

const AddressConflict = object({
  reason: text(
    'For programs. `postcode_elsewhere`: the code of the address is not one of its town. `country_without_data`: the ' +
      'address is in a country without postcode data. `town_better_known_elsewhere`: the town is best known in such a ' +
      'country. Later versions may add reasons',
    { enum: [...CONFLICT_REASONS] },
  ),
  message: text('For people; its wording may change'),
  countryCode: { ...COUNTRY_CODE, description: 'The country of the town, or the one without data' },
});

const AddressMatch = object({
  address: text('The address as it was sent, without surrounding white space'),
  match: text(
    'How the place was found. `exact`: the address has the code of the place. `normalised`: in another spelling. ' +
      '`partial`: the dataset has only the first part of the code, or the place was found by its town, without a code. ' +
      '`inferred`: the dataset lacks the code, which is in the block of this town. `none`: the address leads to no place',
    { enum: [...ADDRESS_MATCHES] },
  ),
  countryCode: nullable({
    ...COUNTRY_CODE,
    description: 'ISO 3166-1 alpha-2 code of the place; null where none is found',
  }),
  postcode: nullable(
    text('The code that was found, as the dataset writes it; null where the place was found by its town, or none is'),
  ),
  place: {
    anyOf: [ref('PlaceDetail'), { type: 'null' }],
    description:
      'Of several places of a code, the one that the address names, or else the main one. Of a town without a code, the ' +
      'place that stands for it, whatever its code. Null where none is found',
  },
  city: {
    anyOf: [ref('City'), { type: 'null' }],
    description: 'The city that the place belongs to, as on an envelope; the place itself where it is in no city',
  },
  conflict: {
    anyOf: [ref('AddressConflict'), { type: 'null' }],
    description: 'Why the address leads to no place although it names a town or a country; null where it does not',
  },
});

const searchSchemas = {
  SuggestionContext,
  Suggestion,
  NearestPlace,
  NearbyPlace,
  NearbyPostcode,
  DistanceSide,
  Distance,
  AddressConflict,
  AddressMatch,
};

const ParameterFault = object(
  {
    param: text('Name of the parameter as it was sent or should be sent'),
    message: text('What is wrong, for people; its wording may change'),
    expected: text('What is allowed'),
    withdrawn: { ...ref('WithdrawnPostcode'), description: 'Only of a postal code that an earlier release has' },
    inferred: {
      ...ref('InferredPostcode'),
      description: "Only of a postal code that the dataset lacks, in a town's block",
    },
  },
  ['withdrawn', 'inferred'],
);

const Metadata = object({ correlationId: text('Identifies the request; quote it to support', UUID) });

const Service = object({
  name: text('Name of the API'),
  summary: text('What the API is, in one sentence'),
  version: text('Version of the service'),
  description: text('Path of this description'),
  attribution: text('What to credit where the data are shown'),
  license: object({ name: text('Licence of the data'), identifier: text('SPDX identifier of the licence') }),
});

export const answerSchemas = {
  ...countrySchemas,
  ...placeSchemas,
  ...postcodeSchemas,
  ...changeSchemas,
  ...searchSchemas,
  ...bulkSchemas,
  ...formatSchemas,
  ...photonSchemas,
  ...{ Service, ParameterFault, Metadata },
};

/** What a success holds around its data. */
export function successAnswerSchema(data: JsonSchema): JsonSchema {
  return object({ statusCode: { const: 200 }, data, metadata: ref('Metadata') });
}

/** The envelope of an error of this status, with one of these codes. */
export function errorAnswerSchema(status: number, codes: readonly ErrorCode[]): JsonSchema {
  return object({ statusCode: { const: status }, error: errorFieldSchema(codes), metadata: ref('Metadata') });
}
