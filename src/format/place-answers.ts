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
import { type Bundle, bufferOf, checkEnd, checkLength, decodeBundle } from './array-bundle.js';
import { ID_TEXT_LENGTH } from './place-id.js';

export const PLACE_ANSWERS_SCHEMA = { offsets: 'u32', cuts: 'u16', text: 'u8' } as const;

/** The cuts of one place, in order. Starts are at a value's first byte, ends behind its last; quotes are included. */
export const CUTS = { nameEnd: 0, pathStart: 1, pathEnd: 2, postalCodeEnd: 3, urlStart: 4 } as const;
const CUT_COUNT = 5;

/** An object longer than this has cuts that do not fit, so the builder refuses names that could make one. */
export const MAX_ANSWER_BYTES = 0xffff;

/** Where the value of `name` starts: all that stands before it has a fixed length. */
export const NAME_START = '{"id":"","countryCode":"XX","level":1,"name":'.length + ID_TEXT_LENGTH;

/** What stands between the value of `path` and the value of `postalCode`. */
export const POSTAL_CODE_KEY = ',"postalCode":';

/** What stands before the values of latitude, longitude and parentId, which follow the value of `postalCode`. */
export const LATITUDE_KEY = ',"latitude":';
export const LONGITUDE_KEY = ',"longitude":';
export const PARENT_ID_KEY = ',"parentId":';

export type PlaceAnswers = Omit<Bundle<typeof PLACE_ANSWERS_SCHEMA>, 'text'> & { readonly text: Buffer };

/** Room for the cuts of `placeCount` places. */
export function createCuts(placeCount: number): Uint16Array {
  return new Uint16Array(placeCount * CUT_COUNT);
}

/** One of the CUTS of a place. */
export function cutOf({ cuts }: Pick<PlaceAnswers, 'cuts'>, place: number, cut: number): number {
  return cuts[place * CUT_COUNT + cut] as number;
}

export function setCut(cuts: Uint16Array, place: number, cut: number, value: number): void {
  cuts[place * CUT_COUNT + cut] = value;
}

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
  const name = quote(place.name);
  const localName = place.localName === place.name ? name : quote(place.localName);
  const postalCode = place.postalCode === null ? 'null' : quote(place.postalCode);
  const parentId = place.parentId === null ? 'null' : `"${place.parentId}"`;
  return [
    `{"id":"${place.id}","countryCode":"${place.countryCode}","level":${place.level},"name":${name}`,
    `,"localName":${localName},"type":"${place.type}","slug":"${place.slug}","path":`,
    `"${place.path}"`,
    POSTAL_CODE_KEY + postalCode,
    `${LATITUDE_KEY}${place.latitude}${LONGITUDE_KEY}${place.longitude}${PARENT_ID_KEY}${parentId},"url":`,
    `"${place.url}"},`,
  ];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON text has none, and none may pass for it
const PLAIN_TEXT = /^[^"\\\u0000-\u001f]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** JSON.stringify of a text. Calling that for a text without escapes, which nearly all are, takes longer. */
function quote(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** The fields of an object in order: key, and the type that a value other than null has. */
const FIELDS = [
  ['id', 'string'],
  ['countryCode', 'string'],
  ['level', 'number'],
  ['name', 'string'],
  ['localName', 'string'],
  ['type', 'string'],
  ['slug', 'string'],
  ['path', 'string'],
  ['postalCode', 'string'],
  ['latitude', 'number'],
  ['longitude', 'number'],
  ['parentId', 'string'],
  ['url', 'string'],
] as const satisfies readonly (readonly [keyof PlaceAnswer, 'string' | 'number'])[];

const NULLABLE_FIELDS: readonly string[] = ['postalCode', 'parentId'];

/** What stands before each value, and behind the last. None can occur inside a value, where quotes are escaped. */
const SEPARATORS = [...FIELDS.map(([key], field) => `${field === 0 ? '{' : ','}"${key}":`), '},'];

/** A parsed object: the place, where in the text its cuts are (in the order of CUTS), and where the next one starts. */
interface ParsedPlaceAnswer {
  readonly place: PlaceAnswer;
  readonly cuts: readonly number[];
  readonly end: number;
}

/** The field whose value ends, or starts, at each of the CUTS. */
const CUT_AT_END = ['name', 'path', 'postalCode'];
const CUT_AT_START = ['path', 'url'];

/**
 * Reads the object that starts at `start` of `text`: the inverse of renderPlaceAnswer, at a third of the cost of
 * JSON.parse. Undefined where the text is not exactly what rendering a place gives.
 */
export function parsePlaceAnswer(text: string, start: number): ParsedPlaceAnswer | undefined {
  if (!text.startsWith(SEPARATORS[0] as string, start)) return undefined;
  const values: Record<string, string | number | null> = {};
  const cuts: number[] = [];
  let valueStart = start + (SEPARATORS[0] as string).length;
  for (let field = 0; field < FIELDS.length; field++) {
    const [key, type] = FIELDS[field] as (typeof FIELDS)[number];
    const separator = SEPARATORS[field + 1] as string;
    const valueEnd = text.indexOf(separator, valueStart);
    if (valueEnd === -1) return undefined;
    const value = parseScalar(text.slice(valueStart, valueEnd));
    if (value === null ? !NULLABLE_FIELDS.includes(key) : typeof value !== type) return undefined;
    values[key] = value as string | number | null;
    if (CUT_AT_START.includes(key)) cuts.push(valueStart);
    if (CUT_AT_END.includes(key)) cuts.push(valueEnd);
    valueStart = valueEnd + separator.length;
  }
  return { place: values as unknown as PlaceAnswer, cuts, end: valueStart };
}

/** The value of a JSON scalar in the form that JSON.stringify gives; undefined for any other text. */
function parseScalar(json: string): string | number | null | undefined {
  if (json === 'null') return null;
  if (json.startsWith('"')) {
    const inner = json.slice(1, -1);
    if (json.length > 1 && json.endsWith('"') && PLAIN_TEXT.test(inner)) return inner;
    return parseEscaped(json);
  }
  const value = Number(json);
  return `${value}` === json && Number.isFinite(value) ? value : undefined;
}

/** Text with escapes, which are rare. */
function parseEscaped(json: string): string | undefined {
  try {
    const value = JSON.parse(json) as string;
    return JSON.stringify(value) === json ? value : undefined;
  } catch {
    return undefined;
  }
}

export function decodePlaceAnswers(bytes: Uint8Array, where: string, placeCount: number): PlaceAnswers {
  const answers = decodeBundle(PLACE_ANSWERS_SCHEMA, bytes, where);
  checkLength(`${where}.offsets`, answers.offsets, placeCount + 1);
  checkLength(`${where}.cuts`, answers.cuts, placeCount * CUT_COUNT);
  checkEnd(`${where}.offsets`, answers.offsets, answers.text.length);
  return { ...answers, text: bufferOf(answers.text) };
}
