/**
 * The section `place-answers`: each place's JSON object, rendered by the builder and sent unchanged by the server. The
 * objects are in the order of the places, each followed by a comma, so the objects of consecutive places are one slice:
 * a JSON list without its brackets. Field offsets give the positions of some values within an object, so that they can
 * be read without parsing the object.
 *
 *   offsets       u32[n+1]  start of each object; its comma is the byte before the next start
 *   fieldOffsets  u16[5n]   five offsets for each place, from the start of its object: see FIELD_OFFSETS
 *   text          u8[]      UTF-8
 *
 *   {"id":"…","countryCode":"AD","level":2,"name":"…","localName":"…","type":"…","slug":"…","path":"…","postalCode":…,
 *                                         ^NAME    ^nameEnd                      pathStart^  ^pathEnd  postalCodeEnd^
 *    "latitude":…,"longitude":…,"parentId":…,"url":"…"},
 *                                      urlStart^
 */

import {
  arraySliceOf,
  type Bundle,
  bufferOfArray,
  checkBundledLength,
  checkBundledOffsets,
  decodeBundle,
} from './array-bundle.js';
import { type ByteSink, type ByteString, jsonByteString, readByteString } from './byte-string.js';
import type { FullCode } from './full-codes.js';
import { type BoundNames, findOtherName, forEachOtherName } from './names-by-language.js';
import { ID_TEXT_LENGTH } from './place-id.js';

export const RENDERED_PLACES_SCHEMA = { offsets: 'u32', fieldOffsets: 'u16', text: 'u8' } as const;

/**
 * The field offsets of a place by their index. A start is the position of a value's first byte, an end the position
 * after its last byte. A value's quotes belong to the value.
 */
export const FIELD_OFFSETS = { nameEnd: 0, pathStart: 1, pathEnd: 2, postalCodeEnd: 3, urlStart: 4 } as const;
const FIELD_OFFSET_COUNT = 5;

/**
 * Maximum length of a rendered place in bytes: the largest offset that fits a u16. The builder refuses names that could
 * lead to a longer object.
 */
export const MAX_RENDERED_BYTES = 0xffff;

/** The offset of the value of `name` in bytes, the same for every place: all the text before it has a fixed length. */
export const NAME_START = '{"id":"","countryCode":"XX","level":1,"name":'.length + ID_TEXT_LENGTH;

/** The texts before the values of type, slug and path. */
export const TYPE_KEY = ',"type":';
export const SLUG_KEY = ',"slug":';
export const PATH_KEY = ',"path":';

/** The text between the values of `path` and `postalCode`. */
export const POSTAL_CODE_KEY = ',"postalCode":';

/** The texts before the values of latitude, longitude and parentId, which follow the value of `postalCode`. */
export const LATITUDE_KEY = ',"latitude":';
export const LONGITUDE_KEY = ',"longitude":';
export const PARENT_ID_KEY = ',"parentId":';

export type RenderedPlaces = Omit<Bundle<typeof RENDERED_PLACES_SCHEMA>, 'text'> & {
  readonly text: Buffer;
  /** In a view of the snapshot in some languages (in-languages.ts): the names that objects have in place of their own. */
  readonly otherNames?: BoundNames | undefined;
};

/** An empty array for the field offsets of `placeCount` places. */
export function createRenderedFieldOffsets(placeCount: number): Uint16Array {
  return new Uint16Array(placeCount * FIELD_OFFSET_COUNT);
}

/** A field offset of a place; `field` is one of FIELD_OFFSETS. */
export function renderedFieldOffset(
  { fieldOffsets }: Pick<RenderedPlaces, 'fieldOffsets'>,
  place: number,
  field: number,
): number {
  return fieldOffsets[place * FIELD_OFFSET_COUNT + field] as number;
}

export function setRenderedFieldOffset(fieldOffsets: Uint16Array, place: number, field: number, value: number): void {
  fieldOffsets[place * FIELD_OFFSET_COUNT + field] = value;
}

/** A place as the API returns it. */
export interface PlaceResource {
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
 * A place's object and its comma in six parts. The first five parts end at the five FIELD_OFFSETS, in order. Ids,
 * slugs, path and url are ASCII without quotes.
 */
export function renderPlace(place: PlaceResource): readonly [string, string, string, string, string, string] {
  const name = quote(place.name);
  const localName = place.localName === place.name ? name : quote(place.localName);
  const postalCode = place.postalCode === null ? 'null' : quote(place.postalCode);
  const parentId = place.parentId === null ? 'null' : `"${place.parentId}"`;
  return [
    `{"id":"${place.id}","countryCode":"${place.countryCode}","level":${place.level},"name":${name}`,
    `,"localName":${localName}${TYPE_KEY}"${place.type}"${SLUG_KEY}"${place.slug}"${PATH_KEY}`,
    `"${place.path}"`,
    POSTAL_CODE_KEY + postalCode,
    `${LATITUDE_KEY}${place.latitude}${LONGITUDE_KEY}${place.longitude}${PARENT_ID_KEY}${parentId},"url":`,
    `"${place.url}"},`,
  ];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a JSON string with a control character is invalid
const PLAIN_TEXT = /^[^"\\\u0000-\u001f]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** JSON.stringify of a text, but faster for text without escapes, which is nearly all of it. */
function quote(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** The fields of an object in order: key, and the type of its values other than null. */
export const PLACE_FIELDS = [
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
] as const satisfies readonly (readonly [keyof PlaceResource, 'string' | 'number'])[];

export const NULLABLE_FIELDS: readonly string[] = ['postalCode', 'parentId'];

/**
 * The texts before each value, and after the last value. None occurs inside a value, because quotes are escaped there.
 */
const SEPARATORS = [...PLACE_FIELDS.map(([key], field) => `${field === 0 ? '{' : ','}"${key}":`), '},'];

interface ParsedPlace {
  readonly place: PlaceResource;
  /** Positions in the text, in the order of FIELD_OFFSETS. */
  readonly fieldOffsets: readonly number[];
  /** The position after the object and its comma. */
  readonly end: number;
}

/** The fields whose value ends, or starts, at a field offset. */
const OFFSET_AT_END = ['name', 'path', 'postalCode'];
const OFFSET_AT_START = ['path', 'url'];

/** Each field with the text behind its value. */
const PARSED_FIELDS = PLACE_FIELDS.map(([key, type], field) => ({
  type,
  isNullable: NULLABLE_FIELDS.includes(key),
  isOffsetAtStart: OFFSET_AT_START.includes(key),
  isOffsetAtEnd: OFFSET_AT_END.includes(key),
  separator: SEPARATORS[field + 1] as string,
}));

/** The values of PLACE_FIELDS in their order. */
type PlaceValues = readonly [
  ...[id: string, countryCode: string, level: number, name: string, localName: string, type: string, slug: string],
  ...[path: string, postalCode: string | null, latitude: number, longitude: number],
  ...[parentId: string | null, url: string],
];

/** A literal's keys take a fraction of the time of keys that are values. */
function placeOf(values: PlaceValues): PlaceResource {
  const [id, countryCode, level, name, localName, type, slug, path, postalCode, latitude, longitude, parentId, url] =
    values;
  return { id, countryCode, level, name, localName, type, slug, path, postalCode, latitude, longitude, parentId, url };
}

/**
 * Parses the object that starts at `start` of `text`: the inverse of renderPlace, in a third of the time of JSON.parse.
 * Undefined unless the text is exactly what renderPlace returns for a place.
 */
export function parsePlace(text: string, start: number): ParsedPlace | undefined {
  if (!text.startsWith(SEPARATORS[0] as string, start)) return undefined;
  const values: (string | number | null)[] = [];
  const fieldOffsets: number[] = [];
  let valueStart = start + (SEPARATORS[0] as string).length;
  for (const { type, isNullable, isOffsetAtStart, isOffsetAtEnd, separator } of PARSED_FIELDS) {
    const valueEnd = text.indexOf(separator, valueStart);
    if (valueEnd === -1) return undefined;
    const value = parseScalar(text.slice(valueStart, valueEnd));
    if (value === undefined || (value === null ? !isNullable : typeof value !== type)) return undefined;
    values.push(value);
    if (isOffsetAtStart) fieldOffsets.push(valueStart);
    if (isOffsetAtEnd) fieldOffsets.push(valueEnd);
    valueStart = valueEnd + separator.length;
  }
  return { place: placeOf(values as unknown as PlaceValues), fieldOffsets, end: valueStart };
}

/** The value of a JSON scalar in the form that JSON.stringify returns; undefined for any other text. */
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

/** A string with escapes, which are rare. */
function parseEscaped(json: string): string | undefined {
  try {
    const value = JSON.parse(json) as string;
    return JSON.stringify(value) === json ? value : undefined;
  } catch {
    return undefined;
  }
}

export function decodeRenderedPlaces(bytes: Uint8Array, where: string, placeCount: number): RenderedPlaces {
  const rendered = decodeBundle(RENDERED_PLACES_SCHEMA, bytes, where);
  checkPlaceOffsets(rendered, where, placeCount);
  checkBundledOffsets(`${where}.offsets`, rendered.offsets, rendered.text.length);
  return { ...rendered, text: bufferOfArray(rendered.text) };
}

/** Refuses arrays of offsets that do not have the lengths for `placeCount` places. */
function checkPlaceOffsets(
  { offsets, fieldOffsets }: Pick<RenderedPlaces, 'offsets' | 'fieldOffsets'>,
  where: string,
  placeCount: number,
): void {
  checkBundledLength(`${where}.offsets`, offsets, placeCount + 1);
  checkBundledLength(`${where}.fieldOffsets`, fieldOffsets, placeCount * FIELD_OFFSET_COUNT);
}

/** Positions of the fields before the name, which have a fixed length. */
const ID_END = '{"id":""'.length + ID_TEXT_LENGTH;
const NAME_KEY = ',"name":';
const LEVEL_START = NAME_START - NAME_KEY.length - '"level":1'.length;

/** A place's JSON object. */
export function placeJson(rendered: RenderedPlaces, place: number): ByteString {
  return objectOf(rendered, place, 1);
}

/** A place's JSON object and the comma after it, for another object to follow. */
export function placeJsonAndComma(rendered: RenderedPlaces, place: number): ByteString {
  return objectOf(rendered, place, 0);
}

/** Adds a place's JSON object without its closing brace, for more fields to follow. */
export function addOpenPlaceJson(out: ByteSink, rendered: RenderedPlaces, place: number): void {
  const { offsets, text } = rendered;
  let start = offsets[place] as number;
  const name = otherNameOf(rendered, place);
  if (name !== undefined) {
    out.addBytes(text, start, start + NAME_START, NAME_START);
    out.add(name);
    start += renderedFieldOffset(rendered, place, FIELD_OFFSETS.nameEnd);
  }
  out.addBytes(text, start, (offsets[place + 1] as number) - 2, MAX_RENDERED_BYTES);
}

/** The same with the code and the position of a full code of the place. */
export function openPlaceJsonWith(
  rendered: RenderedPlaces,
  place: number,
  { postcode, latitude, longitude }: Pick<FullCode, 'postcode' | 'latitude' | 'longitude'>,
): ByteString {
  const text = ownObjectOf(rendered, place, 2);
  const start = renderedFieldOffset(rendered, place, FIELD_OFFSETS.pathEnd) + POSTAL_CODE_KEY.length;
  const end = renderedFieldOffset(rendered, place, FIELD_OFFSETS.postalCodeEnd);
  const rest = text.slice(text.indexOf(PARENT_ID_KEY, end));
  const before = withOtherName(rendered, place, text.slice(0, start));
  return `${before}${jsonByteString(postcode)}${LATITUDE_KEY}${latitude}${LONGITUDE_KEY}${longitude}${rest}`;
}

/** A place's object and its comma without their last `omittedBytes` bytes. */
function objectOf(rendered: RenderedPlaces, place: number, omittedBytes: number): ByteString {
  return withOtherName(rendered, place, ownObjectOf(rendered, place, omittedBytes));
}

/** The same with its own name. */
function ownObjectOf({ offsets, text }: RenderedPlaces, place: number, omittedBytes: number): ByteString {
  return readByteString(
    text,
    offsets[place] as number,
    (offsets[place + 1] as number) - omittedBytes,
    MAX_RENDERED_BYTES,
  );
}

/** The value of the name that a place's object has in place of its own, as JSON; undefined if it has its own. */
export function otherNameOf({ otherNames }: RenderedPlaces, place: number): ByteString | undefined {
  return otherNames === undefined ? undefined : findOtherName(otherNames, place);
}

/** The start of a place's own object with the place's other name, if it has one. */
function withOtherName(rendered: RenderedPlaces, place: number, json: ByteString): ByteString {
  const name = otherNameOf(rendered, place);
  if (name === undefined) return json;
  return json.slice(0, NAME_START) + name + json.slice(renderedFieldOffset(rendered, place, FIELD_OFFSETS.nameEnd));
}

/** A view of the own JSON objects of the places from `start` up to but not including `end`, separated by commas. */
export function placeRangeJson({ offsets, text }: RenderedPlaces, start: number, end: number): Buffer {
  if (end <= start) return text.subarray(0, 0);
  return arraySliceOf(text, offsets[start] as number, (offsets[end] as number) - 1, (end - start) * MAX_RENDERED_BYTES);
}

/** The same with other names, if places have them: a text then, which is sent in less time than another Buffer. */
export function shownRangeJson(rendered: RenderedPlaces, start: number, end: number): Buffer | ByteString {
  const { offsets, otherNames } = rendered;
  const own = placeRangeJson(rendered, start, end);
  if (otherNames === undefined) return own;
  const text = own.toString('latin1');
  let json = '';
  let from = 0;
  forEachOtherName(otherNames, start, end, (place, name) => {
    const object = (offsets[place] as number) - (offsets[start] as number);
    json += text.slice(from, object + NAME_START) + name;
    from = object + renderedFieldOffset(rendered, place, FIELD_OFFSETS.nameEnd);
  });
  return json === '' ? own : json + text.slice(from);
}

/** The path of a place, without quotes: ASCII. */
export function renderedPathOf(rendered: RenderedPlaces, place: number): string {
  const start = rendered.offsets[place] as number;
  const pathStart = start + renderedFieldOffset(rendered, place, FIELD_OFFSETS.pathStart) + 1;
  return readByteString(
    rendered.text,
    pathStart,
    start + renderedFieldOffset(rendered, place, FIELD_OFFSETS.pathEnd) - 1,
    MAX_RENDERED_BYTES,
  );
}

/**
 * Compares the path of a place, from its byte number `from` on, with `bytes`: negative if the path comes first, 0 if
 * they are equal.
 */
export function compareRenderedPath(rendered: RenderedPlaces, place: number, from: number, bytes: Uint8Array): number {
  const { text, offsets } = rendered;
  const start = offsets[place] as number;
  const pathStart = start + renderedFieldOffset(rendered, place, FIELD_OFFSETS.pathStart) + 1 + from;
  const length = start + renderedFieldOffset(rendered, place, FIELD_OFFSETS.pathEnd) - 1 - pathStart;
  for (let at = 0; at < bytes.length && at < length; at++) {
    const difference = (text[pathStart + at] as number) - (bytes[at] as number);
    if (difference !== 0) return difference;
  }
  return length - bytes.length;
}

/** The values of some fields of a place as JSON. */
interface PlaceFieldsJson {
  readonly name: ByteString;
  readonly postalCode: ByteString;
  readonly path: ByteString;
  readonly url: ByteString;
}

/**
 * Slices the values from one string, because reading a string from the file costs more than the bytes between the
 * values.
 */
export function placeFieldsJson(rendered: RenderedPlaces, place: number): PlaceFieldsJson {
  const start = (rendered.offsets[place] as number) + NAME_START;
  const text = readByteString(rendered.text, start, (rendered.offsets[place + 1] as number) - 2, MAX_RENDERED_BYTES);
  const offsetInText = (field: number): number => Math.max(0, renderedFieldOffset(rendered, place, field) - NAME_START);
  const pathEnd = offsetInText(FIELD_OFFSETS.pathEnd);
  return {
    name: otherNameOf(rendered, place) ?? text.slice(0, offsetInText(FIELD_OFFSETS.nameEnd)),
    postalCode: text.slice(pathEnd + POSTAL_CODE_KEY.length, offsetInText(FIELD_OFFSETS.postalCodeEnd)),
    path: text.slice(offsetInText(FIELD_OFFSETS.pathStart), pathEnd),
    url: text.slice(offsetInText(FIELD_OFFSETS.urlStart)),
  };
}

/** What a suggestion tells of a place, as parts of its JSON object, each without a comma at its ends. */
interface SuggestedPlaceJson extends PlaceFieldsJson {
  /** The field id. */
  readonly id: ByteString;
  /** The field level. */
  readonly level: ByteString;
  /** The fields localName and type. */
  readonly localNameAndType: ByteString;
  /** The fields latitude and longitude. */
  readonly point: ByteString;
}

/** Slices the parts from one string, as placeFieldsJson does. */
export function suggestedPlaceJson(rendered: RenderedPlaces, place: number): SuggestedPlaceJson {
  const start = rendered.offsets[place] as number;
  const text = readByteString(rendered.text, start, (rendered.offsets[place + 1] as number) - 2, MAX_RENDERED_BYTES);
  const offset = (field: number): number => renderedFieldOffset(rendered, place, field);
  const [nameEnd, pathStart, pathEnd] = [
    offset(FIELD_OFFSETS.nameEnd),
    offset(FIELD_OFFSETS.pathStart),
    offset(FIELD_OFFSETS.pathEnd),
  ];
  const postalCodeEnd = offset(FIELD_OFFSETS.postalCodeEnd);
  const afterName = text.slice(nameEnd + 1, pathStart);
  const afterCode = text.slice(postalCodeEnd + 1, offset(FIELD_OFFSETS.urlStart));
  return {
    id: text.slice(1, ID_END),
    level: text.slice(LEVEL_START, NAME_START - NAME_KEY.length),
    name: otherNameOf(rendered, place) ?? text.slice(NAME_START, nameEnd),
    localNameAndType: afterName.slice(0, Math.max(0, afterName.lastIndexOf(SLUG_KEY))),
    path: text.slice(pathStart, pathEnd),
    postalCode: text.slice(pathEnd + POSTAL_CODE_KEY.length, postalCodeEnd),
    point: afterCode.slice(0, Math.max(0, afterCode.lastIndexOf(PARENT_ID_KEY))),
    url: text.slice(offset(FIELD_OFFSETS.urlStart)),
  };
}

/** The value of the name that a place's object has, as JSON. */
export function renderedShownName(rendered: RenderedPlaces, place: number): ByteString {
  return otherNameOf(rendered, place) ?? placeNameJson(rendered, place);
}

/** The value of a place's own name as JSON: what places are compared by, whatever their objects have. */
export function placeNameJson(rendered: RenderedPlaces, place: number): ByteString {
  const start = rendered.offsets[place] as number;
  return readByteString(
    rendered.text,
    start + NAME_START,
    start + renderedFieldOffset(rendered, place, FIELD_OFFSETS.nameEnd),
    MAX_RENDERED_BYTES,
  );
}
