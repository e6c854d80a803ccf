/**
 * Numbers places breadth first: all roots, then the children of place 0, of place 1, and so on; siblings by name, then
 * id. Only this file decides the order of places.
 */

import { comparePlaceIds } from '../../src/core/snapshot/place-id.js';
import { LEVEL_COUNT } from '../../src/core/snapshot/place-tree.js';
import { sortByKeys } from '../ordering/sort-keys.js';

/** Places in any order with each parent before its children. */
interface UnnumberedPlaces {
  /** The index of each place's parent; any value for a root. */
  readonly parents: ArrayLike<number>;
  /** Levels from 1 (roots). */
  readonly levels: ArrayLike<number>;
}

export interface Numbering {
  /** The index of the place of each number. */
  readonly order: Uint32Array;
  /** The number of the place of each index. */
  readonly numbers: Uint32Array;
  readonly levelStarts: Uint32Array;
}

/** More ranks of names, and more places, than the largest release allows: the product of two is an exact number. */
const MAX_RANKS = 2 ** 26;

/** `ranks` are the ranks of the places' names, `ids` is a list of ids; both by index. */
export function numberBreadthFirst(
  { parents, levels }: UnnumberedPlaces,
  ranks: ArrayLike<number>,
  ids: Uint8Array,
): Numbering {
  const placeCount = parents.length;
  const placesByLevel: number[][] = Array.from({ length: LEVEL_COUNT }, () => []);
  for (let place = 0; place < placeCount; place++) placesByLevel[(levels[place] as number) - 1]?.push(place);
  const order = new Uint32Array(placeCount);
  const levelStarts = new Uint32Array(LEVEL_COUNT + 1);
  const numbers = new Uint32Array(placeCount);
  let next = 0;
  placesByLevel.forEach((places, index) => {
    levelStarts[index] = next;
    const keys = Float64Array.from(places, (place) => {
      const parent = index === 0 ? 0 : (numbers[parents[place] as number] as number);
      return parent * MAX_RANKS + (ranks[place] as number);
    });
    for (const at of sortByKeys(keys, (a, b) => comparePlaceIds(ids, places[a] as number, places[b] as number))) {
      const place = places[at] as number;
      numbers[place] = next;
      order[next++] = place;
    }
  });
  levelStarts[LEVEL_COUNT] = next;
  return { order, numbers, levelStarts };
}

/** The first child of each place and, last, the number of places. `parents` is indexed by place number. */
export function listFirstChildNumbers(parents: Uint32Array, rootCount: number): Uint32Array {
  const childStarts = new Uint32Array(parents.length + 1);
  let child = rootCount;
  for (let place = 0; place < parents.length; place++) {
    childStarts[place] = child;
    while (child < parents.length && parents[child] === place) child++;
  }
  childStarts[parents.length] = parents.length;
  return childStarts;
}
