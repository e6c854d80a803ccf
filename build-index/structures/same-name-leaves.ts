/**
 * Finds leaves under one parent with the same name: one of them is suggested for all. Two leaves have the same name if
 * sameNameKey gives equal texts for both their names and their local names.
 */
import { sameNameKey } from '../../src/format/fold-text.js';
import { memoize } from './memoize.js';

interface ListedPlaces {
  /** By place; the children of one parent follow each other. */
  readonly parents: Uint32Array;
  readonly names: readonly string[];
  readonly localNames: readonly string[];
  isLeaf(place: number): boolean;
}

/** By place, the first sibling of the same name; for a unit, the unit itself. */
export function findSameNameLeaves({ parents, names, localNames, isLeaf }: ListedPlaces): Uint32Array {
  const lookOf = memoize(sameNameKey);
  const firsts = Uint32Array.from(parents, (_, place) => place);
  let siblings = new Map<string, number>();
  for (let place = 0; place < parents.length; place++) {
    if (parents[place] !== parents[place - 1]) siblings = new Map();
    if (!isLeaf(place)) continue;
    const [name, localName] = [names[place] as string, localNames[place] as string];
    const look = lookOf(name);
    const localLook = localName === name ? look : lookOf(localName);
    const looks = localLook === look ? look : `${look}\t${localLook}`;
    const first = siblings.get(looks);
    if (first === undefined) siblings.set(looks, place);
    else firsts[place] = first;
  }
  return firsts;
}
