/**
 * The details of places: the rendered place with its rendered ancestors and the number of its children, and what else a
 * request includes.
 */

import { type ByteSink, type ByteString, encodeUtf8, TextSink } from '../snapshot/byte-string.js';
import { cityNameJson } from '../snapshot/city-name.js';
import type { FullCode } from '../snapshot/full-codes.js';
import { cityOf } from '../snapshot/place-cities.js';
import { boundsOf, placeUnitCodesOf, populationOf, timezoneOf } from '../snapshot/place-facts.js';
import { childRange, isPlace, listAncestors } from '../snapshot/place-tree.js';
import {
  addOpenPlaceJson,
  openPlaceJsonWith,
  placeJson,
  placeJsonAndComma,
  suggestedPlaceJson,
} from '../snapshot/rendered-places.js';
import type { CountryStructures } from '../snapshot/snapshot.js';

/** The fields of a place on request, in the order of the response. */
export const INCLUDED_FIELDS = ['codes', 'timezone', 'population', 'bounds', 'city'] as const;
export type IncludedField = (typeof INCLUDED_FIELDS)[number];

/** The fields of a request, in any order; undefined for none. */
export type Include = readonly IncludedField[] | undefined;

/** The place detail, one JSON object. */
export function renderPlaceDetail(
  structures: CountryStructures,
  place: number,
  include?: Include,
  fullCode?: FullCode,
): ByteString {
  const out = new TextSink();
  addPlaceDetails(out, structures, [place], include, fullCode);
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

/** The fields, each after a comma. */
function renderIncluded(structures: CountryStructures, place: number, include: readonly IncludedField[]): ByteString {
  let json = '';
  for (const field of INCLUDED_FIELDS) {
    if (include.includes(field)) json += `,"${field}":${VALUES[field](structures, place)}`;
  }
  return json;
}

/** The JSON of a value whose texts are ASCII, but for those of a damaged file. */
const jsonOf = (value: unknown): ByteString => encodeUtf8(JSON.stringify(value));

const VALUES: Readonly<Record<IncludedField, (structures: CountryStructures, place: number) => ByteString>> = {
  codes: (structures, place) => jsonOf(placeUnitCodesOf(structures, place)),
  timezone: (structures, place) => jsonOf(timezoneOf(structures, place)),
  population: (structures, place) => jsonOf(populationOf(structures, place)),
  bounds: (structures, place) => jsonOf(boundsOf(structures, place)),
  city: renderCityOf,
};

/** The city of a place, as JSON; `null` where there is none. */
export function renderCityOf(structures: CountryStructures, place: number): ByteString {
  const city = cityOf(structures, place);
  return city === undefined ? 'null' : renderCity(structures, city);
}

/** A place that is a city, as JSON. */
export function renderCity(structures: CountryStructures, city: number): ByteString {
  const { id, path, url } = suggestedPlaceJson(structures.renderedPlaces, city);
  return `{${id},"name":${cityNameJson(structures, city)},"path":${path},"url":${url}}`;
}
