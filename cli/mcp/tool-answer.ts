/**
 * What a tool tells of a place, a postal code or a country: one short form for all tools, as an object for programs and as
 * a row for models. Units around a place stand as in an address, the nearest first.
 */

import type { NearbyPlace, NearbyPostcode, PlaceDetail, Suggestion } from '../../clients/typescript/src/types.js';
import { COUNTRY_CODE, LATITUDE, LONGITUDE } from '../../src/api/description/field-schemas.js';
import { type JsonSchema, listOf, nullable, object, text } from '../../src/api/description/json-schema.js';
import { escapeCell, escapeUnprintable } from '../../src/base/escape-text.js';
import { formatRowDistance, formatRowPosition } from '../ask/place-rows.js';

export interface Entry {
  readonly countryCode: string;
  readonly postalCode: string | null;
  readonly name: string;
  /** The name of the city that the place belongs to. */
  readonly city: string | null;
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
        city: { type: ['string', 'null'], description: 'For an address' },
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

/** A place that includes its city. */
export function placeInToolAnswer(place: PlaceDetail): Entry {
  const { countryCode, postalCode, name, type, ancestors, latitude, longitude, url, id } = place;
  const city = place.city?.name ?? null;
  const within = nearestFirst(ancestors);
  return { countryCode, postalCode, name, city, type, within, latitude, longitude, page: url, id };
}

export function suggestionInToolAnswer(suggestion: Suggestion): Entry {
  const { countryCode, postalCode, name, placeName, kind, type, context, latitude, longitude, url, id } = suggestion;
  return {
    countryCode,
    postalCode,
    name: placeName ?? name,
    city: suggestion.city?.name ?? null,
    type: type ?? kind,
    within: nearestFirst(context ?? []),
    latitude: latitude ?? null,
    longitude: longitude ?? null,
    page: url,
    ...(id === undefined ? {} : { id }),
  };
}

export function nearbyInToolAnswer(found: NearbyPlace | NearbyPostcode): Entry {
  const { distanceKm } = found;
  if ('place' in found) return { ...placeInToolAnswer(found.place), distanceKm };
  const { countryCode, postcode, latitude, longitude } = found;
  return {
    ...{ countryCode, postalCode: postcode, name: postcode, city: null, type: 'postcode', within: [] },
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
      city: entry.city === null ? null : escapeUnprintable(entry.city),
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
      ...[entry.countryCode, entry.postalCode ?? '-', entry.name, entry.city ?? '-', entry.type],
      entry.within.join(', ') || '-',
      formatRowPosition(entry.latitude, entry.longitude),
      ...(hasDistance ? [formatRowDistance(entry.distanceKm ?? 0)] : []),
      ...[entry.page ?? '-', entry.id ?? '-'],
    ]
      .map(escapeCell)
      .join(' | ');
  const columns = [
    'country',
    'code',
    'name',
    'city',
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
