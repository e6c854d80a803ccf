/**
 * Reads the answers of the API. What lacks a text that the elements need is left out and long lists are cut, so that
 * no proxy, captive portal or other version of the API breaks a form.
 */
import type { CheckedCode, Place, SuggestedCode, SuggestedPlace } from './places-client.js';

/** Maximum number of places of a code; the API gives as many. */
const PLACE_COUNT = 100;

const UNIT = ['name', 'localName', 'type'] as const;

export function readCodes(data: unknown, count: number): readonly SuggestedCode[] {
  return listOf(data, ['postalCode', 'placeName'], count);
}

export function readSuggestions(data: unknown, count: number): readonly SuggestedPlace[] {
  const places = listOf<SuggestedPlace>(data, [...UNIT, 'id', 'label'], count);
  return places.map((place) => ({ ...place, context: listOf(place.context, ['name'], count) }));
}

/** The code and its places. */
export function readPlaces(data: unknown): { readonly postcode: unknown; readonly places: readonly Place[] } {
  const { postcode, places } = Object(data);
  const read = listOf<Place>(places, [...UNIT, 'countryCode'], PLACE_COUNT);
  return {
    postcode,
    places: read.map((place) => ({ ...place, ancestors: listOf(place.ancestors, [...UNIT, 'id'], PLACE_COUNT) })),
  };
}

/** Undefined where it is no answer to the operation `checkPostcode`. */
export function readCheck(data: unknown): CheckedCode | undefined {
  const { match, postcode, hasKnownFormat } = Object(data);
  return typeof match === 'string'
    ? { match: match as CheckedCode['match'], postcode: typeof postcode === 'string' ? postcode : null, hasKnownFormat }
    : undefined;
}

/** The codes of a page, if there is no other one. */
export function readPage(data: unknown, count: number): readonly string[] {
  const { items, hasNextPage } = Object(data);
  return hasNextPage ? [] : listOf<{ postcode: string }>(items, ['postcode'], count).map(({ postcode }) => postcode);
}

/** The items that have these texts. */
function listOf<Item>(data: unknown, texts: readonly (keyof Item & string)[], count: number): readonly Item[] {
  const items: readonly unknown[] = Array.isArray(data) ? data : [];
  return items
    .filter((item) => texts.every((name) => typeof Object(item)[name] === 'string'))
    .slice(0, count) as Item[];
}
