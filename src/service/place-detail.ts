/** A place with its ancestors and the number of its children, put together from rendered answers. */
import { openPlaceJson, placeJson, placeJsonAndComma } from '../store/place-answers.js';
import { childRange, listAncestors } from '../store/place-tree.js';
import type { CountryStructures } from '../store/snapshot.js';
import type { JsonPieces } from './json-pieces.js';

/** Appends the place detail, one JSON object, to `pieces`. */
export function appendPlaceDetail(pieces: JsonPieces, { tree, answers }: CountryStructures, place: number): void {
  pieces.push(openPlaceJson(answers, place), ',"ancestors":[');
  const ancestors = listAncestors(tree, place);
  const parent = ancestors.pop();
  for (const ancestor of ancestors) pieces.push(placeJsonAndComma(answers, ancestor));
  if (parent !== undefined) pieces.push(placeJson(answers, parent));
  const { start, end } = childRange(tree, place);
  pieces.push(`],"childCount":${end - start}}`);
}
