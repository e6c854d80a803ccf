/**
 * Checks every rendered answer: it is JSON of exactly the promised form, agrees with the tree and with the parent's
 * answer, and has the right field offsets. An answer that parses here is byte-identical to the result of rendering.
 */

import { isAscii, isUtf8 } from 'node:buffer';
import { RELEASE_CODE, SUBDIVISION_CODE, ZONE_NAME } from '../../src/core/snapshot/place-facts.js';
import { decodePlaceIds } from '../../src/core/snapshot/place-id.js';
import { childRange, isLeafType, levelOf, NO_PARENT, PLACE_TYPES } from '../../src/core/snapshot/place-tree.js';
import {
  fieldOffset,
  type PlaceResource,
  parsePlace,
  type RenderedPlaces,
} from '../../src/core/snapshot/rendered-places.js';
import type { CountryStructures } from '../../src/core/snapshot/snapshot.js';
import { structureError } from '../../src/core/snapshot/snapshot-error.js';
import { findBounds } from '../structures/build-place-facts.js';

/*
 * How every check of contents fails. Callers build the texts only for a failure, since some checks run millions of
 * times.
 */

/** Throws SnapshotError STRUCTURE_INVALID. */
export function fail(where: string, expected: string, found: unknown): never {
  throw structureError(where, expected, String(found));
}

/** Throws the same where the numbers are not those `expected`, in their order. */
export function mustEqual(
  where: string,
  what: string,
  found: ArrayLike<number>,
  expected: readonly number[] | Uint8Array | Uint16Array | Uint32Array | Int32Array,
): void {
  const isSame = found.length === expected.length && expected.every((value, index) => found[index] === value);
  if (!isSame) fail(where, what, 'others');
}

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

/*
 * Checks the facts of places: texts of the promised form, the first-level units and no others, zones in use, and units
 * with the zone of most of their leaves and with the bounds that these give. Not that zones, populations and codes are
 * right: nothing else in a file tells.
 */

export function checkFacts(structures: CountryStructures, fields: PlaceFields, code: string): void {
  const where = `place-facts of ${code}`;
  checkTexts(structures, fields, code, where);
  checkZones(structures, where);
  checkPopulations(structures, where);
  const { tree, positions, facts } = structures;
  const types = Uint8Array.from(fields.types, (type) => (PLACE_TYPES as readonly string[]).indexOf(type));
  const { units, bounds } = findBounds({ parents: tree.parents, sources: positions.sources, ...fields, types });
  mustEqual(where, 'the units with sure leaves', facts.boundedUnits, units);
  mustEqual(where, 'the bounds of their leaves', facts.bounds, bounds);
}

function checkTexts(
  { facts, tree }: CountryStructures,
  { postalCodes }: PlaceFields,
  country: string,
  where: string,
): void {
  const { zoneCount, units, textStarts } = facts;
  const text = Buffer.from(facts.text).toString('latin1');
  const texts: string[] = [];
  for (let number = 0; number + 1 < textStarts.length; number++) {
    const [start, end] = [textStarts[number] as number, textStarts[number + 1] as number];
    const whole = text.slice(start, end);
    if (!(start < end && whole.endsWith('\n'))) fail(where, 'texts with a line feed behind each', whole);
    texts.push(whole.slice(0, -1));
  }
  texts.slice(0, zoneCount).forEach((zone, number) => {
    const isNext = ZONE_NAME.test(zone) && (number === 0 || zone > (texts[number - 1] as string));
    if (!isNext) fail(where, 'time zones, ascending', zone);
  });
  const expected = postalCodes.slice(0, tree.levelStarts[1]).flatMap((code, place) => (code === null ? [place] : []));
  mustEqual(where, 'the first-level units', units, expected);
  const isoCodes = new Set<string>();
  for (let at = zoneCount; at < texts.length; at += 2) {
    const [iso, release] = [texts[at] as string, texts[at + 1] as string];
    if (iso !== '') {
      const isNew = SUBDIVISION_CODE.test(iso) && iso.startsWith(country) && !isoCodes.has(iso);
      if (!isNew) fail(where, `a code of ISO 3166-2 of ${country}, once`, iso);
      isoCodes.add(iso);
    }
    if (release !== '' && !RELEASE_CODE.test(release)) fail(where, 'a code of the release', release);
  }
}

function checkZones({ facts, tree }: CountryStructures, where: string): void {
  const { zones, zoneCount } = facts;
  const { parents, placeCount } = tree;
  const used = new Set(zones);
  for (const zone of used) if (zone >= zoneCount) fail(where, `${zoneCount} time zones`, zone);
  if (used.size !== zoneCount) fail(where, 'only time zones in use', zoneCount);
  const counts = new Map<number, Uint32Array>();
  for (let place = placeCount - 1; place >= 0; place--) {
    const ofLeaves = counts.get(place);
    const zone = zones[place] as number;
    if (ofLeaves !== undefined) {
      const most = ofLeaves.indexOf(Math.max(...ofLeaves));
      if (zone !== most) fail(where, `the zone of most leaves of place ${place}, ${most}`, zone);
    }
    for (let unit = parents[place] as number; ofLeaves === undefined && unit !== NO_PARENT; ) {
      const ofUnit = counts.get(unit) ?? new Uint32Array(zoneCount);
      ofUnit[zone] = (ofUnit[zone] as number) + 1;
      counts.set(unit, ofUnit);
      unit = parents[unit] as number;
    }
    counts.delete(place);
  }
}

function checkPopulations({ facts, tree }: CountryStructures, where: string): void {
  const { populated, populations } = facts;
  populated.forEach((place, at) => {
    const isNext = place < tree.placeCount && (at === 0 || place > (populated[at - 1] as number));
    if (!isNext) fail(where, 'places with a population, ascending', place);
    if (populations[at] === 0) fail(where, `people in place ${place}`, 0);
  });
}
