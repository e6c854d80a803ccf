/** A place with its ancestors and the number of its children, put together from rendered answers. */
import type { ByteString } from '../store/byte-string.js';
import { openPlaceJson, placeJson, placeJsonAndComma } from '../store/place-answers.js';
import { childRange, listAncestors } from '../store/place-tree.js';
import type { CountryStructures } from '../store/snapshot.js';

/** The place detail, one JSON object. */
export function renderPlaceDetail({ tree, answers }: CountryStructures, place: number): ByteString {
  let json = `${openPlaceJson(answers, place)},"ancestors":[`;
  const ancestors = listAncestors(tree, place);
  const parent = ancestors.pop();
  for (const ancestor of ancestors) json += placeJsonAndComma(answers, ancestor);
  if (parent !== undefined) json += placeJson(answers, parent);
  const { start, end } = childRange(tree, place);
  return `${json}],"childCount":${end - start}}`;
}
