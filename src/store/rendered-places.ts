/** Rendered places (src/format/rendered-places.ts): the JSON of one place as text, of several places as a view. */
import { ID_TEXT_LENGTH } from '../format/place-id.js';
import {
  FIELD_OFFSETS,
  fieldOffset,
  MAX_RENDERED_BYTES,
  NAME_START,
  PARENT_ID_KEY,
  POSTAL_CODE_KEY,
  type RenderedPlaces,
  SLUG_KEY,
} from '../format/rendered-places.js';
import type { ByteSink } from './byte-sink.js';
import { type ByteString, readBytes } from './byte-string.js';
import { sliceOf } from './mapped-numbers.js';

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
export function addOpenPlaceJson(out: ByteSink, { offsets, text }: RenderedPlaces, place: number): void {
  out.addBytes(text, offsets[place] as number, (offsets[place + 1] as number) - 2, MAX_RENDERED_BYTES);
}

/** A place's object and its comma without their last `omittedBytes` bytes. */
function objectOf({ offsets, text }: RenderedPlaces, place: number, omittedBytes: number): ByteString {
  return readBytes(text, offsets[place] as number, (offsets[place + 1] as number) - omittedBytes, MAX_RENDERED_BYTES);
}

/** A view of the JSON objects of the places from `start` up to but not including `end`, separated by commas. */
export function placeRangeJson({ offsets, text }: RenderedPlaces, start: number, end: number): Buffer {
  if (end <= start) return text.subarray(0, 0);
  return sliceOf(text, offsets[start] as number, (offsets[end] as number) - 1, (end - start) * MAX_RENDERED_BYTES);
}

/** The path of a place, without quotes: ASCII. */
export function pathOf(rendered: RenderedPlaces, place: number): string {
  const start = rendered.offsets[place] as number;
  const pathStart = start + fieldOffset(rendered, place, FIELD_OFFSETS.pathStart) + 1;
  return readBytes(
    rendered.text,
    pathStart,
    start + fieldOffset(rendered, place, FIELD_OFFSETS.pathEnd) - 1,
    MAX_RENDERED_BYTES,
  );
}

/**
 * Compares the path of a place, from its byte number `from` on, with `bytes`: negative if the path comes first, 0 if
 * they are equal.
 */
export function comparePath(rendered: RenderedPlaces, place: number, from: number, bytes: Uint8Array): number {
  const { text, offsets } = rendered;
  const start = offsets[place] as number;
  const pathStart = start + fieldOffset(rendered, place, FIELD_OFFSETS.pathStart) + 1 + from;
  const length = start + fieldOffset(rendered, place, FIELD_OFFSETS.pathEnd) - 1 - pathStart;
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
  const text = readBytes(rendered.text, start, (rendered.offsets[place + 1] as number) - 2, MAX_RENDERED_BYTES);
  const offsetInText = (field: number): number => Math.max(0, fieldOffset(rendered, place, field) - NAME_START);
  const pathEnd = offsetInText(FIELD_OFFSETS.pathEnd);
  return {
    name: text.slice(0, offsetInText(FIELD_OFFSETS.nameEnd)),
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
  const text = readBytes(rendered.text, start, (rendered.offsets[place + 1] as number) - 2, MAX_RENDERED_BYTES);
  const offset = (field: number): number => fieldOffset(rendered, place, field);
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
    name: text.slice(NAME_START, nameEnd),
    localNameAndType: afterName.slice(0, Math.max(0, afterName.lastIndexOf(SLUG_KEY))),
    path: text.slice(pathStart, pathEnd),
    postalCode: text.slice(pathEnd + POSTAL_CODE_KEY.length, postalCodeEnd),
    point: afterCode.slice(0, Math.max(0, afterCode.lastIndexOf(PARENT_ID_KEY))),
    url: text.slice(offset(FIELD_OFFSETS.urlStart)),
  };
}

/** The value of a place's name as JSON. */
export function placeNameJson(rendered: RenderedPlaces, place: number): ByteString {
  const start = rendered.offsets[place] as number;
  return readBytes(
    rendered.text,
    start + NAME_START,
    start + fieldOffset(rendered, place, FIELD_OFFSETS.nameEnd),
    MAX_RENDERED_BYTES,
  );
}
