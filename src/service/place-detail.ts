/** Places with their ancestors and the number of their children, put together from rendered answers. */
import type { ByteString } from '../store/byte-string.js';
import { openPlaceJson, placeJson, placeJsonAndComma } from '../store/place-answers.js';
import { childRange, listAncestors } from '../store/place-tree.js';
import type { CountryStructures } from '../store/snapshot.js';

/** The place detail, one JSON object. */
export function renderPlaceDetail(structures: CountryStructures, place: number): ByteString {
  return renderPlaceDetails(structures, [place]);
}

/** The details of several places, with commas between them. Neighbours mostly have the same ancestors, which are read once. */
export function renderPlaceDetails({ tree, answers }: CountryStructures, places: readonly number[]): ByteString {
  let json = '';
  let parent: number | undefined;
  let ancestors: ByteString | undefined;
  for (const place of places) {
    if (ancestors === undefined || tree.parents[place] !== parent) {
      parent = tree.parents[place];
      ancestors = renderAncestors({ tree, answers }, place);
    }
    const { start, end } = childRange(tree, place);
    const comma = json === '' ? '' : ',';
    json += `${comma}${openPlaceJson(answers, place)},"ancestors":[${ancestors}],"childCount":${end - start}}`;
  }
  return json;
}

function renderAncestors({ tree, answers }: Pick<CountryStructures, 'tree' | 'answers'>, place: number): ByteString {
  let json = '';
  const ancestors = listAncestors(tree, place);
  const parent = ancestors.pop();
  for (const ancestor of ancestors) json += placeJsonAndComma(answers, ancestor);
  return parent === undefined ? json : json + placeJson(answers, parent);
}
