/**
 * Reads fields of rendered places as values. Lists of places need the name, path and postal code of up to a hundred
 * places: field offsets give these without parsing the objects, which would take most of the time of a page.
 */

import { type ByteString, decodeUtf8, readByteString } from './byte-string.js';
import { foldText } from './fold-text.js';
import { isTag } from './language-tags.js';
import { listOtherNames, type NamesByLanguage } from './names-by-language.js';
import { parseJson, parseJsonString } from './parse-json.js';
import { PLACE_TYPES, RECIPIENT_TYPE } from './place-type.js';
import {
  FIELD_OFFSETS,
  LATITUDE_KEY,
  LONGITUDE_KEY,
  MAX_RENDERED_BYTES,
  NAME_START,
  PATH_KEY,
  type PlaceResource,
  POSTAL_CODE_KEY,
  placeJson,
  placeNameJson,
  type RenderedPlaces,
  renderedFieldOffset,
  renderedPathOf,
  renderedShownName,
  SLUG_KEY,
  TYPE_KEY,
} from './rendered-places.js';
import { MAX_PATH_LENGTH } from './slug.js';
import type { CountryStructures } from './snapshot.js';
import { SnapshotError } from './snapshot-error.js';

/** The fields of a place in a list. */
interface PlaceEntry {
  readonly name: string;
  /** As in the contract, with a slash at the start. */
  readonly path: string;
  readonly postalCode: string | null;
}

/** A place with all of its fields. */
export function readPlace({ renderedPlaces }: CountryStructures, place: number): PlaceResource {
  return parseJson(decodeUtf8(placeJson(renderedPlaces, place))) as PlaceResource;
}

/** A place's name, path and postal code. */
export function readListFields({ renderedPlaces }: CountryStructures, place: number): PlaceEntry {
  // One string of all three, and slices of it: reading from the file costs more than the bytes between them.
  const start = (renderedPlaces.offsets[place] as number) + NAME_START;
  const end = renderedFieldOffset(renderedPlaces, place, FIELD_OFFSETS.postalCodeEnd) - NAME_START;
  const text = readByteString(renderedPlaces.text, start, start + Math.max(0, end), MAX_RENDERED_BYTES);
  const pathStart = renderedFieldOffset(renderedPlaces, place, FIELD_OFFSETS.pathStart) - NAME_START;
  const pathEnd = renderedFieldOffset(renderedPlaces, place, FIELD_OFFSETS.pathEnd) - NAME_START;
  const nameEnd = renderedFieldOffset(renderedPlaces, place, FIELD_OFFSETS.nameEnd) - NAME_START;
  const code = text.slice(Math.max(0, pathEnd + POSTAL_CODE_KEY.length));
  return {
    name: parseJsonString(text.slice(0, Math.max(0, nameEnd))),
    path: text.slice(Math.max(0, pathStart + 1), Math.max(0, pathEnd - 1)),
    postalCode: code === 'null' ? null : parseJsonString(code),
  };
}

/** A place's own name; empty if a damaged file has none that can be read. */
export function readNameField({ renderedPlaces }: CountryStructures, place: number): string {
  return parseNameJson(placeNameJson(renderedPlaces, place));
}

/** The name that a place's object has. */
export function readShownNameField({ renderedPlaces }: CountryStructures, place: number): string {
  return parseNameJson(renderedShownName(renderedPlaces, place));
}

/** The names of a place in other languages than its object has, by the tags of the languages; none without `names`. */
export function readOtherNames(names: NamesByLanguage | undefined, place: number): ReadonlyMap<string, string> {
  const listed = names === undefined ? [] : listOtherNames(names, place);
  // In a damaged file there can be other texts among the tags.
  return new Map(listed.filter(([tag]) => isTag(tag)).map(([tag, name]) => [tag, parseNameJson(name)]));
}

/** The text of a name; empty if a damaged file has no JSON string there. */
export function parseNameJson(json: ByteString): string {
  try {
    return parseJsonString(json);
  } catch (error) {
    if (error instanceof SnapshotError) return '';
    throw error;
  }
}

const QUOTE = 0x22;
const KIND = /"type":"(\w*)"/;

/** A place's type, such as `region`; empty if a damaged file has none. */
export function readKindField({ renderedPlaces }: CountryStructures, place: number): string {
  const start = renderedPlaces.offsets[place] as number;
  const between = [FIELD_OFFSETS.nameEnd, FIELD_OFFSETS.pathStart].map(
    (field) => start + renderedFieldOffset(renderedPlaces, place, field),
  ) as [number, number];
  // The local name, which precedes the type, cannot contain the pattern: its quotation marks are escaped.
  return KIND.exec(textBetween(renderedPlaces, ...between))?.[1] ?? '';
}

/** The text from the type of a recipient to its slug. */
const RECIPIENT = Buffer.from(`${TYPE_KEY}"${PLACE_TYPES[RECIPIENT_TYPE]}"${SLUG_KEY}"`);

/**
 * Whether a place is a recipient: for all places of a country, in a third of the time of readKindField. Reads backwards from
 * the path over the slug, whose length the offsets don't have.
 */
export function isRecipient({ renderedPlaces }: CountryStructures, place: number): boolean {
  const { text, offsets } = renderedPlaces;
  const pathStart = (offsets[place] as number) + renderedFieldOffset(renderedPlaces, place, FIELD_OFFSETS.pathStart);
  let byte = pathStart - PATH_KEY.length - 1;
  // In a damaged file the slug can be as long as the file.
  const least = byte - MAX_PATH_LENGTH;
  while (byte > least && text[byte - 1] !== QUOTE) byte--;
  for (let at = RECIPIENT.length - 1; at >= 0; at--) if (text[--byte] !== RECIPIENT[at]) return false;
  return true;
}

/** A place's path. */
export function readPathField({ renderedPlaces }: CountryStructures, place: number): string {
  return renderedPathOf(renderedPlaces, place);
}

/**
 * Maximum length of the fields latitude and longitude in bytes: two keys of 13 and two numbers of up to 24 characters.
 */
const POINT_BYTES = 90;

/** A place's coordinates: the two fields after the postal code. */
export function readPointField(
  { renderedPlaces }: CountryStructures,
  place: number,
): { latitude: number; longitude: number } {
  const start =
    (renderedPlaces.offsets[place] as number) + renderedFieldOffset(renderedPlaces, place, FIELD_OFFSETS.postalCodeEnd);
  const text = readByteString(renderedPlaces.text, start, start + POINT_BYTES, POINT_BYTES);
  const longitudeStart = text.indexOf(LONGITUDE_KEY);
  return {
    latitude: Number.parseFloat(text.slice(LATITUDE_KEY.length, longitudeStart)),
    longitude: Number.parseFloat(text.slice(longitudeStart + LONGITUDE_KEY.length)),
  };
}

/** The text from `start` to `end`. In a damaged file the end can be before the start, or far after it. */
function textBetween({ text }: RenderedPlaces, start: number, end: number): string {
  return text.toString('utf8', start, Math.min(end, start + MAX_RENDERED_BYTES));
}

/** The folded name of a place; empty if a damaged file has no valid name. */
export function readFoldedNameField(structures: CountryStructures, place: number): string {
  return foldText(readNameField(structures, place));
}
