/**
 * Checks every rendered answer: it is JSON of exactly the promised form, agrees with the tree and with the parent's
 * answer, and has the right field offsets. An answer that parses here is byte-identical to the result of rendering.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { decodePlaceIds } from '../../src/format/place-id.js';
import { isLeafType, PLACE_TYPES } from '../../src/format/place-levels.js';
import { levelOf, NO_PARENT } from '../../src/format/place-tree.js';
import { fieldOffset, type PlaceResource, parsePlace, type RenderedPlaces } from '../../src/format/rendered-places.js';
import { childRange } from '../../src/store/place-tree.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import { fail } from './fail.js';

/** The answers' fields that other checks need, by place. */
export interface PlaceFields {
  readonly ids: readonly string[];
  readonly names: readonly string[];
  readonly localNames: readonly string[];
  readonly paths: readonly string[];
  /** Values of PLACE_TYPES. */
  readonly types: readonly string[];
  readonly postalCodes: readonly (string | null)[];
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
}

export function checkAnswers(
  { tree, renderedPlaces: answers }: CountryStructures,
  code: string,
  pageUrl: string,
): PlaceFields {
  const where = `place-answers of ${code}`;
  const { placeCount } = tree;
  const ids = decodePlaceIds(tree.ids);
  const fields = {
    ids,
    names: [] as string[],
    localNames: [] as string[],
    paths: [] as string[],
    types: [] as string[],
    postalCodes: [] as (string | null)[],
    latitudes: new Float64Array(placeCount),
    longitudes: new Float64Array(placeCount),
  };
  for (let place = 0; place < placeCount; place++) checkOffsets(answers, place, where);
  for (let first = 0; first < placeCount; first += BATCH_PLACES) {
    checkBatch(answers, first, Math.min(first + BATCH_PLACES, placeCount), where, (answer, place) => {
      const parent = tree.parents[place] as number;
      const isRoot = parent === NO_PARENT;
      const parentPath = isRoot ? '' : (fields.paths[parent] as string);
      const path = `${parentPath}/${answer.slug}`;
      const parentId = isRoot ? null : (fields.ids[parent] as string);
      check(where, place, 'id', answer.id, ids[place]);
      check(where, place, 'countryCode', answer.countryCode, code);
      check(where, place, 'level', answer.level, levelOf(tree, place));
      check(where, place, 'path', answer.path, path);
      check(where, place, 'parentId', answer.parentId, parentId);
      check(where, place, 'url', answer.url, pageUrl + path);
      if (!SLUG.test(answer.slug)) fail(where, `a slug for place ${place}`, answer.slug);
      const type = (PLACE_TYPES as readonly string[]).indexOf(answer.type);
      const isUnit = !isLeafType(type);
      if (type === -1) fail(where, `a known type for place ${place}`, answer.type);
      if (!(isUnit === (answer.postalCode === null)))
        fail(where, `a code for place ${place} if it is a leaf`, answer.type);
      const { start, end } = childRange(tree, place);
      if (!isUnit && start !== end) fail(where, `leaf ${place} without children`, end - start);
      const isOnEarth = Math.abs(answer.latitude) <= 90 && Math.abs(answer.longitude) <= 180;
      if (!isOnEarth) fail(where, `coordinates for place ${place}`, `${answer.latitude}, ${answer.longitude}`);
      fields.names.push(answer.name);
      fields.localNames.push(answer.localName);
      fields.paths.push(answer.path);
      fields.types.push(answer.type);
      fields.postalCodes.push(answer.postalCode);
      fields.latitudes[place] = answer.latitude;
      fields.longitudes[place] = answer.longitude;
    });
  }
  return fields;
}

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Number of answers to decode at once: decoding hundreds of answers together costs less than one by one. */
const BATCH_PLACES = 500;

function check(where: string, place: number, field: string, found: unknown, expected: unknown): void {
  if (found !== expected) fail(where, `${field} of place ${place} to be ${expected}`, found);
}

function checkOffsets({ offsets, text }: RenderedPlaces, place: number, where: string): void {
  const start = offsets[place] as number;
  const end = offsets[place + 1] as number;
  if (!(start < end && end <= text.length)) fail(where, `an answer for place ${place}`, `bytes ${start} to ${end}`);
}

/** Checks the form and the field offsets of the answers from `first` to `end` (excluded); passes each to `take`. */
function checkBatch(
  answers: RenderedPlaces,
  first: number,
  end: number,
  where: string,
  take: (answer: PlaceResource, place: number) => void,
): void {
  const { offsets } = answers;
  const bytes = answers.text.subarray(offsets[first], offsets[end]);
  if (!isUtf8(bytes)) fail(where, `UTF-8 from place ${first} on`, 'other bytes');
  const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  let textStart = 0;
  for (let place = first; place < end; place++) {
    const parsed = parsePlace(text, textStart);
    if (parsed === undefined)
      fail(where, `place ${place} in the promised form`, text.slice(textStart, textStart + 500));
    const byteLength = (offsets[place + 1] as number) - (offsets[place] as number);
    // An answer has at least as many bytes as characters, and exactly as many only if all characters are ASCII.
    const isOneByte = byteLength === parsed.end - textStart;
    const byteLengthTo = (textEnd: number): number =>
      isOneByte ? textEnd - textStart : Buffer.byteLength(text.slice(textStart, textEnd));
    for (let cut = 0; cut < parsed.fieldOffsets.length; cut++) {
      const expected = byteLengthTo(parsed.fieldOffsets[cut] as number);
      const found = fieldOffset(answers, place, cut);
      if (found !== expected) fail(where, `field offset ${cut} of place ${place} at ${expected}`, found);
    }
    const expectedLength = byteLengthTo(parsed.end);
    if (byteLength !== expectedLength) fail(where, `${expectedLength} bytes for place ${place}`, byteLength);
    take(parsed.place, place);
    textStart = parsed.end;
  }
  if (textStart !== text.length) fail(where, `nothing after place ${end - 1}`, text.slice(textStart, textStart + 500));
}
