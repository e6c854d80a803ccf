/** What searches find by a name, a position or two places, as JSON Schemas by name. */
import { LEVEL_COUNT, PLACE_TYPES } from '../format/place-levels.js';
import { MAX_NEARBY_RADIUS_KM } from '../service/nearby.js';
import { REVERSE_RADIUS_KM } from '../service/reverse.js';
import { SUGGESTION_KINDS } from '../service/suggest/suggested-items.js';
import { COUNTRY_CODE, LATITUDE, LEVEL, LONGITUDE, POSTAL_CODE, UUID, WEB_PAGE } from './field-schemas.js';
import { count, type JsonSchema, listOf, nullable, object, ref, text } from './json-schema.js';

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
    description: 'Of the place, of the main place of a code, or of the centre of a country',
  }),
  longitude: nullable({ ...LONGITUDE, description: 'Of the same' }),
  population: nullable(count('Only of a place: people in the city that the place is; null for other places', 1)),
  context: {
    ...listOf(ref('SuggestionContext'), { maxItems: LEVEL_COUNT - 1 }),
    description: 'Only of a place: the units that it lies in, root first',
  },
  label: text('What to show: the name, what tells it from the other suggestions in the list, and the country'),
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
  latitude: { ...LATITUDE, description: 'Of the place of the code that is nearest to the centre' },
  longitude: { ...LONGITUDE, description: 'Of the place of the code that is nearest to the centre' },
  distanceKm: NEARBY_DISTANCE,
});

const DistanceSide = object({
  countryCode: COUNTRY_CODE,
  postcode: nullable(text('Postal code as the dataset writes it; null for a place')),
  id: nullable(text('Id of the place; null for a postal code', UUID)),
  name: nullable(text('Name of the place; null for a postal code')),
  latitude: { ...LATITUDE, description: 'Of the place, or the mean of the places of the code' },
  longitude: { ...LONGITUDE, description: 'Of the place, or the mean of the places of the code' },
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

export const searchSchemas = {
  SuggestionContext,
  Suggestion,
  NearestPlace,
  NearbyPlace,
  NearbyPostcode,
  DistanceSide,
  Distance,
};
