/** The details of places: the rendered place with its rendered ancestors and the number of its children. */
import type { ByteString } from '../store/byte-string.js';
import { childRange, listAncestors } from '../store/place-tree.js';
import { openPlaceJson, placeJson, placeJsonAndComma } from '../store/rendered-places.js';
import type { CountryStructures } from '../store/snapshot.js';

/** The place detail, one JSON object. */
export function renderPlaceDetail(structures: CountryStructures, place: number): ByteString {
  return renderPlaceDetails(structures, [place]);
}

/**
 * The details of several places, separated by commas. The ancestors of consecutive places with one parent are read
 * once.
 */
export function renderPlaceDetails({ tree, renderedPlaces }: CountryStructures, places: readonly number[]): ByteString {
  let json = '';
  let parent: number | undefined;
  let ancestors: ByteString | undefined;
  for (const place of places) {
    if (ancestors === undefined || tree.parents[place] !== parent) {
      parent = tree.parents[place];
      ancestors = renderAncestors({ tree, renderedPlaces }, place);
    }
    const { start, end } = childRange(tree, place);
    const comma = json === '' ? '' : ',';
    json += `${comma}${openPlaceJson(renderedPlaces, place)},"ancestors":[${ancestors}],"childCount":${end - start}}`;
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
