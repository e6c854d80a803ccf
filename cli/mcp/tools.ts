/**
 * The five tools: what each is for, its arguments, and how the API's answers become its answer. Arguments and their rules
 * are those of the table of routes. An answer is short: a model pays for every word.
 */

import type {
  NearbyPlace,
  NearbyPostcode,
  NearestPlace,
  PlaceCodes,
  PlaceDetail,
  PlacePostcodePage,
  PostcodeCheck,
  PostcodePlaces,
  Suggestion,
} from '../../clients/typescript/src/types.js';
import { COUNTRY_CODE, LATITUDE, LONGITUDE } from '../../src/api/description/field-schemas.js';
import { FORMAT } from '../../src/api/description/formats.js';
import { type JsonSchema, listOf, nullable, object, text } from '../../src/api/description/json-schema.js';
import { isGiven, type Lookup } from '../../src/api/description/lookup.js';
import { createMisspeltFinder } from '../../src/api/description/misspelt-parameters.js';
import { invalidParameter, type Parameter, quote } from '../../src/api/description/parameters.js';
import type { Route } from '../../src/api/description/route.js';
import { routeOf } from '../../src/api/description/routes.js';
import { escapeCell, escapeUnprintable } from '../../src/base/errors.js';
import { ANY_COUNTRY } from '../../src/core/use-cases/nearby.js';
import { distanceCell, position } from '../ask/question.js';

/*
 * What a tool tells of a place, a postal code or a country: one short form for all tools, as an object for programs and as
 * a row for models. Units around a place stand as in an address, the nearest first.
 */

export interface Entry {
  readonly countryCode: string;
  readonly postalCode: string | null;
  readonly name: string;
  readonly type: string;
  readonly within: readonly string[];
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly distanceKm?: number;
  readonly page?: string;
  readonly id?: string;
}

/** The answer of a tool. */
export interface ToolAnswer {
  readonly places: readonly Entry[];
  /** Sentences about the answer. */
  readonly notes: readonly string[];
}

/** Of every tool's answer: models read it with each tool, so only what the names don't say is described. */
export const ANSWER_SCHEMA: JsonSchema = object({
  places: listOf(
    object(
      {
        countryCode: { ...COUNTRY_CODE, description: 'ISO 3166-1' },
        postalCode: { type: ['string', 'null'] },
        name: { type: 'string' },
        type: text('Kind of place, or postcode or country'),
        within: listOf({ type: 'string' }),
        latitude: nullable(withoutDescription(LATITUDE)),
        longitude: nullable(withoutDescription(LONGITUDE)),
        distanceKm: { type: 'number' },
        page: text('Web page; link to it', { format: 'uri' }),
        id: text('For postal_place'),
      },
      ['distanceKm', 'page', 'id'],
    ),
  ),
  notes: listOf({ type: 'string' }),
});

function withoutDescription({ description: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

export function entryOfPlace(place: PlaceDetail): Entry {
  const { countryCode, postalCode, name, type, ancestors, latitude, longitude, url, id } = place;
  return { countryCode, postalCode, name, type, within: nearestFirst(ancestors), latitude, longitude, page: url, id };
}

export function entryOfSuggestion(suggestion: Suggestion): Entry {
  const { countryCode, postalCode, name, placeName, kind, type, context, latitude, longitude, url, id } = suggestion;
  return {
    countryCode,
    postalCode,
    name: placeName ?? name,
    type: type ?? kind,
    within: nearestFirst(context ?? []),
    latitude: latitude ?? null,
    longitude: longitude ?? null,
    page: url,
    ...(id === undefined ? {} : { id }),
  };
}

export function entryOfNearby(found: NearbyPlace | NearbyPostcode): Entry {
  const { distanceKm } = found;
  if ('place' in found) return { ...entryOfPlace(found.place), distanceKm };
  const { countryCode, postcode, latitude, longitude } = found;
  return {
    ...{ countryCode, postalCode: postcode, name: postcode, type: 'postcode', within: [] },
    ...{ latitude, longitude, distanceKm },
  };
}

function nearestFirst(units: readonly { readonly name: string }[]): string[] {
  return units.map(({ name }) => name).reverse();
}

/** The answer with nothing in it that nobody sees: models read its object too. */
export function escapeAnswer({ places, notes }: ToolAnswer): ToolAnswer {
  return {
    places: places.map((entry) => ({
      ...entry,
      postalCode: entry.postalCode === null ? null : escapeUnprintable(entry.postalCode),
      name: escapeUnprintable(entry.name),
      within: entry.within.map(escapeUnprintable),
    })),
    notes: notes.map(escapeUnprintable),
  };
}

/**
 * The answer of escapeAnswer for models that read text: a table where there are places, then the notes. A name can begin
 * neither a line nor a column of its own.
 */
export function answerText({ places, notes }: ToolAnswer): string {
  const hasDistance = places.some(({ distanceKm }) => distanceKm !== undefined);
  const rowOf = (entry: Entry): string =>
    [
      ...[entry.countryCode, entry.postalCode ?? '-', entry.name, entry.type, entry.within.join(', ') || '-'],
      position(entry.latitude, entry.longitude),
      ...(hasDistance ? [distanceCell(entry.distanceKm ?? 0)] : []),
      ...[entry.page ?? '-', entry.id ?? '-'],
    ]
      .map(escapeCell)
      .join(' | ');
  const columns = [
    'country',
    'code',
    'name',
    'type',
    'in',
    'position',
    ...(hasDistance ? ['distance'] : []),
    'page',
    'id',
  ];
  const table = places.length === 0 ? [] : [columns.join(' | '), ...places.map(rowOf)];
  return [...table, ...notes].join('\n');
}

/*
 * The arguments of a tool: the parameters of its route as one JSON Schema, and the faults that only tools have. A route
 * ignores unknown parameters; a tool refuses them, because a model takes an answer for the answer to all that it sent.
 */

export type Argument = Pick<Parameter<unknown>, 'name' | 'meaning' | 'schema' | 'isRequired'>;

/** Maximum length in characters of all arguments as JSON: several times what the rules of a route allow together. */
const MAX_ARGUMENTS_LENGTH = 4_096;

/** The parameters of a route without some, and without the format: a tool reads the JSON of its answers. */
export function argumentsOf(operation: Route['id'], without: readonly string[]): readonly Argument[] {
  return routeOf(operation).parameters.filter(({ name }) => name !== FORMAT && !without.includes(name));
}

/** The same with a default value of one argument. */
export function withDefault(list: readonly Argument[], name: string, value: unknown): readonly Argument[] {
  return list.map((one) => (one.name === name ? { ...one, schema: { ...one.schema, default: value } } : one));
}

export function schemaOf(list: readonly Argument[]): JsonSchema {
  const properties = list.map(({ name, meaning, schema }) => [name, { ...schema, description: meaning }] as const);
  const optional = list.filter(({ isRequired }) => !isRequired).map(({ name }) => name);
  return { ...object(Object.fromEntries(properties), optional), additionalProperties: false };
}

/** Whether the arguments have few enough characters as JSON. Those that are nested too deeply to be written have not. */
function isShort(given: Lookup): boolean {
  try {
    return JSON.stringify(given).length <= MAX_ARGUMENTS_LENGTH;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Throws DomainError for arguments that are too long, and for one that the tool does not have. */
export function checkArguments(list: readonly Argument[], given: Lookup): void {
  if (!isShort(given)) {
    const expected = `at most ${MAX_ARGUMENTS_LENGTH} characters of JSON`;
    throw invalidParameter('arguments', `The arguments must have ${expected}`, expected);
  }
  const names = list.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const expected = names.join(', ');
  const meant = /^[\w.-]+$/.test(unknown) ? createMisspeltFinder(names)(unknown)[0]?.expected : undefined;
  const question = meant === undefined ? '' : `; did you mean ${meant}?`;
  const sentence = `${quote(unknown)} is not an argument of this tool, which takes ${expected}${question}`;
  throw invalidParameter(unknown, sentence, expected);
}

/** Answers an operation of the API with its data. Throws DomainError. */
export type Ask = <Data>(operation: string, parameters: Lookup) => Data;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  /** Throws DomainError. */
  readonly answer: (ask: Ask, given: Lookup) => ToolAnswer;
}

/** Maximum number of places in the answer about a postal code: of 100, a model reads all and uses few. */
const MAX_CODE_PLACES = 20;
/** Maximum number of these of one country where several countries have the code. */
const MAX_PLACES_OF_EACH_COUNTRY = 4;
/** Maximum number of postal codes that the answer about a place lists. */
const MAX_PLACE_CODES = 20;

export const tools: readonly Tool[] = [
  {
    name: 'postal_lookup_code',
    title: 'Look up a postal code',
    description:
      'Finds the places of a postal code (ZIP code, postcode) in one country, in several, or in all. Case, spaces and ' +
      'hyphens make no difference.',
    arguments: argumentsOf('findPostcodes', ['include']),
    answer: lookUpCode,
  },
  {
    name: 'postal_suggest',
    title: 'Find places by name',
    description:
      'Finds places by the start of a name or by an address line, the best first. With kinds=postcode it completes ' +
      'postal codes, with kinds=country it finds the code of a country. Use it to get the id of a place.',
    arguments: argumentsOf('autocomplete', ['include']),
    answer: suggest,
  },
  {
    name: 'postal_reverse',
    title: 'Find the place at a position',
    description: 'Finds the nearest place with a postal code within 80 km of a latitude and longitude.',
    arguments: withDefault(argumentsOf('reverse', ['include']), 'country', ANY_COUNTRY),
    answer: reverse,
  },
  {
    name: 'postal_nearby',
    title: 'List what is near',
    description:
      'Lists places or, with by=postcode, postal codes around a centre, nearest first, across borders. The centre is lat ' +
      'and lng, or country with postcode, or country with place (an id).',
    arguments: argumentsOf('nearby', ['include']),
    answer: nearby,
  },
  {
    name: 'postal_place',
    title: 'Describe a place',
    description:
      'Describes one place by its country with its id or its path: the units that it lies in, time zone, population, ' +
      'ISO 3166-2 code and postal codes. Other tools tell the id.',
    arguments: [
      ...argumentsOf('getPlace', ['include']).map((one) => (one.name === 'id' ? { ...one, isRequired: false } : one)),
      ...argumentsOf('resolvePath', ['include', 'country']).map((one) => ({ ...one, isRequired: false })),
    ],
    answer: describePlace,
  },
];

function lookUpCode(ask: Ask, given: Lookup): ToolAnswer {
  const found = ask<PostcodePlaces[]>('findPostcodes', given);
  const most = found.length === 1 ? MAX_CODE_PLACES : MAX_PLACES_OF_EACH_COUNTRY;
  const shown = found.flatMap(({ places }) => places.slice(0, most)).slice(0, MAX_CODE_PLACES);
  const notes = found.flatMap(({ countryCode }) => {
    const { match, postcode, asked } = ask<PostcodeCheck>('checkPostcode', {
      country: countryCode,
      postcode: given.postcode,
    });
    return match === 'partial' ? `${countryCode}: ${postcode} is a partial match of ${asked}.` : [];
  });
  const total = found.reduce((count, { places }) => count + places.length, 0);
  if (total > shown.length) notes.push(`${total - shown.length} more places have this code.`);
  return { places: shown.map(entryOfPlace), notes };
}

function suggest(ask: Ask, given: Lookup): ToolAnswer {
  const found = ask<Suggestion[]>('autocomplete', { ...given, include: 'place' });
  const where = isGiven(given, 'country') ? ', or leave out country' : '';
  const notes = found.length > 0 ? [] : [`No results. Ask for a shorter start of the name${where}.`];
  return { places: found.map(entryOfSuggestion), notes };
}

function reverse(ask: Ask, given: Lookup): ToolAnswer {
  const country = isGiven(given, 'country') ? given.country : ANY_COUNTRY;
  return { places: [entryOfNearby(ask<NearestPlace>('reverse', { ...given, country }))], notes: [] };
}

function nearby(ask: Ask, given: Lookup): ToolAnswer {
  const found = ask<(NearbyPlace | NearbyPostcode)[]>('nearby', given);
  const notes = found.length > 0 ? [] : ['Nothing is that near. Ask with a greater radiusKm.'];
  return { places: found.map(entryOfNearby), notes };
}

interface DescribedPlace extends PlaceDetail {
  readonly codes: PlaceCodes;
  readonly timezone: string;
  readonly population: number | null;
}

function describePlace(ask: Ask, { country, id, path }: Lookup): ToolAnswer {
  const include = 'codes,timezone,population';
  if (id == null && path == null) throw invalidParameter('id', 'Either id or path is required', 'a place id');
  if (id != null && path != null) throw invalidParameter('path', 'Either id or path is required, not both', 'no path');
  const place =
    id == null
      ? ask<DescribedPlace>('resolvePath', { country, path, include })
      : ask<DescribedPlace>('getPlace', { country, id, include });
  const { items, totalCount } = ask<PlacePostcodePage>('listPostcodes', {
    ...{ country, id: place.id, pageSize: MAX_PLACE_CODES, recipients: place.type === 'recipient' },
  });
  // The codes of a place with a code are those of its city.
  const title = place.postalCode === null ? 'Postal codes' : 'Postal codes of its city';
  const count = totalCount > items.length ? `${totalCount}, the first ${items.length}` : totalCount;
  const notes = [
    `Time zone: ${place.timezone}.`,
    ...(place.population === null ? [] : [`Population: ${place.population}.`]),
    ...(place.codes.iso3166_2 === null ? [] : [`ISO 3166-2: ${place.codes.iso3166_2}.`]),
    `Places directly in it: ${place.childCount}.`,
    items.length === 0
      ? `${title}: none.`
      : `${title} (${count}): ${items.map(({ postcode }) => postcode).join(', ')}.`,
  ];
  return { places: [entryOfPlace(place)], notes };
}
