/**
 * Numbers places breadth first: all roots, then the children of place 0, of place 1, and so on; siblings by name, then
 * id. Only this file decides the order of places. Renumbering an almost sorted list takes linear time, since Array's
 * sort is TimSort.
 */
import { comparePlaceIds } from '../../src/format/place-id.js';
import { LEVEL_COUNT } from '../../src/format/place-levels.js';

/** Places in any order with each parent before its children. */
export interface UnnumberedPlaces {
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
  const parentNumbers = new Uint32Array(placeCount);
  let next = 0;
  placesByLevel.forEach((places, index) => {
    levelStarts[index] = next;
    if (index > 0) for (const place of places) parentNumbers[place] = numbers[parents[place] as number] as number;
    places.sort(
      (a, b) =>
        (parentNumbers[a] as number) - (parentNumbers[b] as number) ||
        (ranks[a] as number) - (ranks[b] as number) ||
        comparePlaceIds(ids, a, b),
    );
    for (const place of places) {
      numbers[place] = next;
      order[next++] = place;
    }
  });
  levelStarts[LEVEL_COUNT] = next;
  return { order, numbers, levelStarts };
}

/** The first child of each place and, last, the number of places. `parents` is indexed by place number. */
export function findChildStarts(parents: Uint32Array, rootCount: number): Uint32Array {
  const childStarts = new Uint32Array(parents.length + 1);
  let child = rootCount;
  for (let place = 0; place < parents.length; place++) {
    childStarts[place] = child;
    while (child < parents.length && parents[child] === place) child++;
  }
  childStarts[parents.length] = parents.length;
  return childStarts;
}
