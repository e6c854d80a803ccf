/**
 * The details of places: the rendered place with its rendered ancestors and the number of its children, and what else a
 * request includes.
 */
import { type ByteString, encodeUtf8 } from '../store/byte-string.js';
import { boundsOf, codesOf, populationOf, timezoneOf } from '../store/place-facts.js';
import { childRange, listAncestors } from '../store/place-tree.js';
import { openPlaceJson, placeJson, placeJsonAndComma } from '../store/rendered-places.js';
import type { CountryStructures } from '../store/snapshot.js';

/** The fields of a place on request, in the order of the response. */
export const INCLUDED_FIELDS = ['codes', 'timezone', 'population', 'bounds'] as const;
export type IncludedField = (typeof INCLUDED_FIELDS)[number];

/** The fields of a request, in any order; undefined for none. */
export type Include = readonly IncludedField[] | undefined;

/** The place detail, one JSON object. */
export function renderPlaceDetail(structures: CountryStructures, place: number, include?: Include): ByteString {
  return renderPlaceDetails(structures, [place], include);
}

/**
 * The details of several places, separated by commas. The ancestors of consecutive places with one parent are read
 * once.
 */
export function renderPlaceDetails(
  structures: CountryStructures,
  places: readonly number[],
  include?: Include,
): ByteString {
  const { tree, renderedPlaces } = structures;
  let json = '';
  let parent: number | undefined;
  let ancestors: ByteString | undefined;
  for (const place of places) {
    if (ancestors === undefined || tree.parents[place] !== parent) {
      parent = tree.parents[place];
      ancestors = renderAncestors(structures, place);
    }
    const { start, end } = childRange(tree, place);
    const comma = json === '' ? '' : ',';
    const included = include === undefined ? '' : renderIncluded(structures, place, include);
    json += `${comma}${openPlaceJson(renderedPlaces, place)},"ancestors":[${ancestors}],"childCount":${end - start}${included}}`;
  }
  return json;
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
