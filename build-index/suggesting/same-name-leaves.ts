/**
 * Finds leaves under one parent with the same name: one of them is suggested for all. Two leaves have the same name if
 * foldNameKeepingAccents gives equal texts for both their names and their local names.
 */

import { foldNameKeepingAccents } from '../../src/core/snapshot/fold-text.js';
import { memoize } from '../ordering/grouping.js';

interface NamedPlaces {
  readonly names: readonly string[];
  readonly localNames: readonly string[];
}

interface ListedPlaces extends NamedPlaces {
  /** By place; the children of one parent follow each other. */
  readonly parents: Uint32Array;
  isLeaf(place: number): boolean;
}

/** By place, the first sibling of the same name; for a unit, the unit itself. */
export function findSameNameLeaves(
  { parents, isLeaf, ...named }: ListedPlaces,
  keyOf = createNamesKey(named),
): Uint32Array {
  const firsts = Uint32Array.from(parents, (_, place) => place);
  let siblings = new Map<string, number>();
  for (let place = 0; place < parents.length; place++) {
    if (parents[place] !== parents[place - 1]) siblings = new Map();
    if (!isLeaf(place)) continue;
    const key = keyOf(place);
    const first = siblings.get(key);
    if (first === undefined) siblings.set(key, place);
    else firsts[place] = first;
  }
  return firsts;
}

/** The text that two places have in common if both their names and their local names are the same. */
export function createNamesKey({ names, localNames }: NamedPlaces): (place: number) => string {
  const keyOf = memoize(foldNameKeepingAccents);
  return (place) => {
    const [name, localName] = [names[place] as string, localNames[place] as string];
    const key = keyOf(name);
    const localKey = localName === name ? key : keyOf(localName);
    return localKey === key ? key : `${key}\t${localKey}`;
  };
}
