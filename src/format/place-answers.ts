/**
 * Each place's JSON object, rendered by the builder and sent by the server as it is. The objects stand in the order of
 * the places with one comma behind each, so the objects of consecutive places are one slice that is a JSON list but
 * for its brackets. Cuts tell where in an object the parts lie that an autocomplete result is made of.
 *
 *   offsets  u32[n+1]  start of each object; its comma is the byte before the next start
 *   cuts     u16[5n]   for each place, from the start of its object: see CUTS
 *   text     u8[]      UTF-8
 *
 *   {"id":"…","countryCode":"AD","level":2,"name":"…","localName":"…","type":"…","slug":"…","path":"…","postalCode":…,
 *                                         ^NAME    ^nameEnd                      pathStart^  ^pathEnd  postalCodeEnd^
 *    "latitude":…,"longitude":…,"parentId":…,"url":"…"},
 *                                      urlStart^
 */
import { type Bundle, checkEnd, checkLength, decodeBundle } from './array-bundle.js';
import { ID_TEXT_LENGTH } from './place-id.js';

export const PLACE_ANSWERS_SCHEMA = { offsets: 'u32', cuts: 'u16', text: 'u8' } as const;

/** The cuts of one place, in order. Starts are at a value's first byte, ends behind its last; quotes are included. */
export const CUTS = { nameEnd: 0, pathStart: 1, pathEnd: 2, postalCodeEnd: 3, urlStart: 4 } as const;
export const CUT_COUNT = 5;

/** An object longer than this has cuts that do not fit, so the builder refuses names that could make one. */
export const MAX_ANSWER_BYTES = 0xffff;

/** Where the value of `name` starts: all that stands before it has a fixed length. */
export const NAME_START = '{"id":"","countryCode":"XX","level":1,"name":'.length + ID_TEXT_LENGTH;

/** What stands between the value of `path` and the value of `postalCode`. */
export const POSTAL_CODE_KEY = ',"postalCode":';

export type PlaceAnswers = Bundle<typeof PLACE_ANSWERS_SCHEMA>;

export interface PlaceAnswer {
  readonly id: string;
  readonly countryCode: string;
  readonly level: number;
  readonly name: string;
  readonly localName: string;
  readonly type: string;
  readonly slug: string;
  readonly path: string;
  readonly postalCode: string | null;
  readonly latitude: number;
  readonly longitude: number;
  readonly parentId: string | null;
  readonly url: string;
}

/**
 * A place's object and the comma behind it, in parts: each but the last ends at a cut, in the order of CUTS. Ids, slugs,
 * path and url are ASCII without quotes.
 */
export function renderPlaceAnswer(place: PlaceAnswer): readonly [string, string, string, string, string, string] {
  const name = JSON.stringify(place.name);
  const localName = place.localName === place.name ? name : JSON.stringify(place.localName);
  const postalCode = place.postalCode === null ? 'null' : JSON.stringify(place.postalCode);
  const parentId = place.parentId === null ? 'null' : `"${place.parentId}"`;
  return [
    `{"id":"${place.id}","countryCode":"${place.countryCode}","level":${place.level},"name":${name}`,
    `,"localName":${localName},"type":"${place.type}","slug":"${place.slug}","path":`,
    `"${place.path}"`,
    POSTAL_CODE_KEY + postalCode,
    `,"latitude":${place.latitude},"longitude":${place.longitude},"parentId":${parentId},"url":`,
    `"${place.url}"},`,
  ];
}

/** The keys of an object and what stands before them; a key cannot occur inside a value, where quotes are escaped. */
const KEYS = [
  '{"id":',
  ',"countryCode":',
  ',"level":',
  ',"name":',
  ',"localName":',
  ',"type":',
  ',"slug":',
  ',"path":',
  ',"postalCode":',
  ',"latitude":',
  ',"longitude":',
  ',"parentId":',
  ',"url":',
  '},',
] as const;

/**
 * The place whose object starts at `start` of `text`: the inverse of renderPlaceAnswer, at half the cost of JSON.parse.
 * It reads objects of that form only; of any other text it gives something that renders to another text.
 */
export function parsePlaceAnswer(text: string, start: number): PlaceAnswer {
  let valueStart = start;
  let key = 0;
  const next = (): string | number | null => {
    valueStart += (KEYS[key] as string).length;
    key++;
    const valueEnd = text.indexOf(KEYS[key] as string, valueStart);
    const json = text.slice(valueStart, valueEnd);
    valueStart = valueEnd;
    return parseScalar(json);
  };
  // Evaluated in the order written, which is the order of the text.
  return {
    id: next() as string,
    countryCode: next() as string,
    level: next() as number,
    name: next() as string,
    localName: next() as string,
    type: next() as string,
    slug: next() as string,
    path: next() as string,
    postalCode: next() as string | null,
    latitude: next() as number,
    longitude: next() as number,
    parentId: next() as string | null,
    url: next() as string,
  };
}

function parseScalar(json: string): string | number | null {
  if (json === 'null') return null;
  if (!json.startsWith('"')) return Number(json);
  return json.includes('\\') ? unescapeText(json) : json.slice(1, -1);
}

/** Text with escapes, which are rare; undone or, where it is no JSON, left as it is. */
function unescapeText(json: string): string {
  try {
    return JSON.parse(json) as string;
  } catch {
    return json;
  }
}

export function decodePlaceAnswers(bytes: Uint8Array, where: string, placeCount: number): PlaceAnswers {
  const answers = decodeBundle(PLACE_ANSWERS_SCHEMA, bytes, where);
  checkLength(`${where}.offsets`, answers.offsets, placeCount + 1);
  checkLength(`${where}.cuts`, answers.cuts, placeCount * CUT_COUNT);
  checkEnd(`${where}.offsets`, answers.offsets, answers.text.length);
  return answers;
}
