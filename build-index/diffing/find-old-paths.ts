/**
 * Finds the paths of the previous snapshot that should lead to places of a new tree: the place is kept or renamed, as
 * `diff` has it, its path is another, and no place of the new tree has the old path. Memory: the answers of the country's
 * places in the previous snapshot, 100 MB for a large country.
 */

import { decodePlaceTree } from '../../src/core/snapshot/place-tree.js';
import { decodeRenderedPlaces, renderedPathOf } from '../../src/core/snapshot/rendered-places.js';
import { nameSnapshotInError } from '../../src/core/snapshot/snapshot-error.js';
import { readSlice } from '../../src/core/snapshot/snapshot-file.js';
import { idIndexOf } from '../structures/build-id-index.js';
import type { OldPath } from '../structures/build-old-paths.js';
import type { CountryTree } from '../tree/country-tree.js';
import { checkAscending } from '../verifying/array-checks.js';
import type { ComparedCountry } from './compared-country.js';
import { summariseForComparison } from './country-comparison.js';
import { type Matches, matchLeafPlaces, matchPlacesById, matchUnitPlaces, NONE } from './matched-places.js';
import type { PreviousCountry } from './previous-snapshot.js';

/** In the order of the places of the previous snapshot; each place and each path at most once. */
export function findOldPaths(previous: PreviousCountry, tree: CountryTree): OldPath[] {
  try {
    return findIn(readPlaces(previous), tree);
  } catch (error) {
    throw nameSnapshotInError(`--previous ${previous.path}`, error);
  }
}

type PreviousPlaces = Pick<ComparedCountry, 'tree' | 'renderedPlaces'>;

function readPlaces({ fd, entry, sections }: PreviousCountry): PreviousPlaces {
  const where = `place-answers of ${entry.code}`;
  const tree = decodePlaceTree(readSlice(fd, sections, entry, 'place-tree'), `place-tree of ${entry.code}`);
  const renderedPlaces = decodeRenderedPlaces(readSlice(fd, sections, entry, 'place-answers'), where, tree.placeCount);
  checkAscending(`${where}.offsets`, renderedPlaces.offsets, 1);
  return { tree, renderedPlaces };
}

function findIn(previous: PreviousPlaces, tree: CountryTree): OldPath[] {
  const matches = matchPlaces(previous, tree);
  const moved: OldPath[] = [];
  const known = new Set<string>();
  matches.newOf.forEach((place, oldPlace) => {
    // In a damaged snapshot, two places may have one id, or one path.
    if (place === NONE || matches.oldOf[place] !== oldPlace) return;
    const path = renderedPathOf(previous.renderedPlaces, oldPlace);
    if (path === tree.paths[place] || known.has(path)) return;
    known.add(path);
    moved.push({ path, place });
  });
  if (moved.length === 0) return moved;
  const taken = new Set(tree.paths);
  return moved.filter(({ path }) => !taken.has(path));
}

/** Matches places by id, then the leaves and units that were renamed. */
function matchPlaces({ tree: old, renderedPlaces }: PreviousPlaces, tree: CountryTree): Matches {
  const matches = matchPlacesById({ tree: old }, { tree, ids: idIndexOf(tree) });
  const lost = unmatchedLeaves(matches.newOf, (place) => summariseForComparison(renderedPlaces, place).postalCode);
  const gained = unmatchedLeaves(matches.oldOf, (place) => tree.postalCodes[place] as string | null);
  matchLeafPlaces(lost, gained, matches);
  matchUnitPlaces(old, tree, matches);
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
