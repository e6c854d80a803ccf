/** The result of a use case: the `data` of the response as JSON text in UTF-8, ready to send. */

import { type ByteSink, type ByteString, decodeUtf8, encodeUtf8, TextSink } from '../snapshot/byte-string.js';
import type { FullCode } from '../snapshot/full-codes.js';
import { boundsOf, codesOf, populationOf, timezoneOf } from '../snapshot/place-facts.js';
import { childRange, isPlace, listAncestors } from '../snapshot/place-tree.js';
import { addOpenPlaceJson, openPlaceJsonWith, placeJson, placeJsonAndComma } from '../snapshot/rendered-places.js';
import type { CountryStructures } from '../snapshot/snapshot.js';

/** Text with a long slice of the snapshot in its middle, which is sent without a copy: never keep or change it. */
interface TextAroundSlice {
  readonly before: ByteString;
  readonly slice: Buffer;
  readonly after: ByteString;
}

/** Adds the data where they are needed: what a bulk request asks for goes into its Buffer without a string of it. */
export type DataWriter = (out: ByteSink) => void;

export type ResponseBody = ByteString | TextAroundSlice;

export type ResponseData = ResponseBody | DataWriter;

/**
 * Maximum length in bytes of a slice that is copied into the text: up to here one string is sent faster than three
 * parts.
 */
const MAX_COPIED_BYTES = 8_192;

/** Joins two texts and the slice, or another text, between them. */
export function concatenate(before: ByteString, slice: Buffer | ByteString, after: ByteString): ResponseBody {
  if (typeof slice === 'string') return before + slice + after;
  if (slice.length > MAX_COPIED_BYTES) return { before, slice, after };
  return before + slice.toString('latin1') + after;
}

/** The body that has the data between two texts. */
export function bodyAround(before: ByteString, data: ResponseData, after: ByteString): ResponseBody {
  if (typeof data === 'object') return { before: before + data.before, slice: data.slice, after: data.after + after };
  return before + responseText(data) + after;
}

/** The length of a body in bytes. */
export function byteLengthOf(body: ResponseBody): number {
  return typeof body === 'string' ? body.length : body.before.length + body.slice.length + body.after.length;
}

/** Adds the data. */
export function addData(out: ByteSink, data: ResponseData): void {
  if (typeof data === 'function') {
    data(out);
  } else if (typeof data === 'string') {
    out.add(data);
  } else {
    out.add(data.before);
    out.addBytes(data.slice, 0, data.slice.length, data.slice.length);
    out.add(data.after);
  }
}

/** The text of the data, for a caller that parses it instead of sending it. */
export function readResponseData(data: ResponseData): string {
  return decodeUtf8(responseText(data));
}

/** The data in one string. */
export function responseText(data: ResponseData): ByteString {
  if (typeof data === 'string') return data;
  const out = new TextSink();
  addData(out, data);
  return out.text;
}

/*
 * The details of places: the rendered place with its rendered ancestors and the number of its children, and what else a
 * request includes.
 */

/** The fields of a place on request, in the order of the response. */
export const INCLUDED_FIELDS = ['codes', 'timezone', 'population', 'bounds'] as const;
export type IncludedField = (typeof INCLUDED_FIELDS)[number];

/** The fields of a request, in any order; undefined for none. */
export type Include = readonly IncludedField[] | undefined;

/** The place detail, one JSON object. */
export function renderPlaceDetail(structures: CountryStructures, place: number, include?: Include): ByteString {
  const out = new TextSink();
  addPlaceDetails(out, structures, [place], include);
  return out.text;
}

/**
 * Adds the details of several places, separated by commas, without numbers that are no places. The ancestors of
 * consecutive places with one parent are read once. With a full code, the places have it and its position.
 */
export function addPlaceDetails(
  out: ByteSink,
  structures: CountryStructures,
  places: ArrayLike<number>,
  include?: Include,
  fullCode?: FullCode,
): void {
  const { tree, renderedPlaces } = structures;
  let parent: number | undefined;
  let ancestors: ByteString | undefined;
  for (let at = 0; at < places.length; at++) {
    const place = places[at] as number;
    if (!isPlace(tree, place)) continue;
    if (ancestors !== undefined) out.add(',');
    if (ancestors === undefined || tree.parents[place] !== parent) {
      parent = tree.parents[place];
      ancestors = `,"ancestors":[${renderAncestors(structures, place)}],"childCount":`;
    }
    const { start, end } = childRange(tree, place);
    const included = include === undefined ? '' : renderIncluded(structures, place, include);
    if (fullCode === undefined) addOpenPlaceJson(out, renderedPlaces, place);
    else out.add(openPlaceJsonWith(renderedPlaces, place, fullCode));
    out.add(ancestors);
    out.add(`${end - start}${included}}`);
  }
}

function renderAncestors(
  { tree, renderedPlaces }: Pick<CountryStructures, 'tree' | 'renderedPlaces'>,
  place: number,
): ByteString {
  let json = '';
  const ancestors = listAncestors(tree, place);
  const parent = ancestors.pop();
  for (const ancestor of ancestors) json += placeJsonAndComma(renderedPlaces, ancestor);
  return parent === undefined ? json : json + placeJson(renderedPlaces, parent);
}

/** The fields, each after a comma. All their texts are ASCII, but for those of a damaged file. */
function renderIncluded(structures: CountryStructures, place: number, include: readonly IncludedField[]): ByteString {
  let json = '';
  for (const field of INCLUDED_FIELDS) {
    if (include.includes(field)) json += `,"${field}":${encodeUtf8(JSON.stringify(VALUES[field](structures, place)))}`;
  }
  return json;
}

const VALUES: Readonly<Record<IncludedField, (structures: CountryStructures, place: number) => unknown>> = {
  codes: codesOf,
  timezone: timezoneOf,
  population: populationOf,
  bounds: boundsOf,
};
