/**
 * Finds the paths of the previous snapshot that should lead to places of a new tree: the place is kept or renamed, as
 * `diff` has it, its path is another, and no place of the new tree has the old path.
 */

import { idIndexOf } from '../structures/build-id-index.js';
import type { OldPath } from '../structures/build-old-paths.js';
import type { CountryTree } from '../tree/country-tree.js';
import { type Matches, matchById, NONE, pairLeaves, pairUnits } from './matched-places.js';
import type { PreviousPlaces } from './previous-snapshot.js';

/** In the order of the places of the previous snapshot; each place and each path at most once. */
export function findOldPaths(previous: PreviousPlaces, tree: CountryTree): OldPath[] {
  const matches = matchPlaces(previous, tree);
  const moved: OldPath[] = [];
  const known = new Set<string>();
  matches.newOf.forEach((place, oldPlace) => {
    // In a damaged snapshot, two places may have one id, or one path.
    if (place === NONE || matches.oldOf[place] !== oldPlace) return;
    const path = previous.pathOf(oldPlace);
    if (path === tree.paths[place] || known.has(path)) return;
    known.add(path);
    moved.push({ path, place });
  });
  if (moved.length === 0) return moved;
  const taken = new Set(tree.paths);
  return moved.filter(({ path }) => !taken.has(path));
}

/** Matches places by id, then the leaves and units that were renamed. */
function matchPlaces(previous: PreviousPlaces, tree: CountryTree): Matches {
  const matches = matchById(previous, { tree, ids: idIndexOf(tree) });
  const lost = unmatchedLeaves(matches.newOf, previous.codeOf);
  const gained = unmatchedLeaves(matches.oldOf, (place) => tree.postalCodes[place] as string | null);
  pairLeaves(lost, gained, matches);
  pairUnits(previous.tree, tree, matches);
  return matches;
}

/** The leaves without a match, with their codes. */
function unmatchedLeaves(
  matched: Uint32Array,
  codeOf: (place: number) => string | null,
): (readonly [string, number])[] {
  const leaves: (readonly [string, number])[] = [];
  matched.forEach((match, place) => {
    const code = match === NONE ? codeOf(place) : null;
    if (code !== null) leaves.push([code, place]);
  });
  return leaves;
}
