/** Checks the place tree and the structures derived from it: path trie, id index, orders. */

import { buildSlots } from '../../src/core/snapshot/hash-table.js';
import { findById, hashPlaceId } from '../../src/core/snapshot/id-index.js';
import type { CountryEntry } from '../../src/core/snapshot/manifest.js';
import { idAt } from '../../src/core/snapshot/place-id.js';
import {
  childRange,
  LEVEL_COUNT,
  levelOf,
  levelRange,
  NO_PARENT,
  type PlaceTree,
} from '../../src/core/snapshot/place-tree.js';
import type { CountryStructures } from '../../src/core/snapshot/snapshot.js';
import { slugStartOf } from '../structures/build-place-tree.js';
import { fail, type PlaceFields } from './check-answers.js';

export function checkTree(tree: PlaceTree, entry: CountryEntry): void {
  const where = `place-tree of ${entry.code}`;
  const { parents, childStarts, levelStarts, placeCount } = tree;
  for (let level = 1; level <= LEVEL_COUNT; level++) {
    // levelRange would clamp a wrong range to the existing places.
    const count = (levelStarts[level] as number) - (levelStarts[level - 1] as number);
    if (count !== entry.levelCounts[level - 1])
      fail(where, `${entry.levelCounts[level - 1]} places of level ${level}`, count);
  }
  if (childStarts[0] !== levelStarts[1]) fail(where, 'children to start after the roots', childStarts[0]);
  if (childStarts[placeCount] !== placeCount) fail(where, 'children to end with the places', childStarts[placeCount]);
  for (let place = 0; place < placeCount; place++) {
    const [firstChild, childEnd] = [childStarts[place] as number, childStarts[place + 1] as number];
    if (firstChild > childEnd) fail(where, `ascending children of place ${place}`, `${firstChild} to ${childEnd}`);
    const parent = parents[place] as number;
    const level = levelOf(tree, place);
    if (level === 1) {
      if (parent !== NO_PARENT) fail(where, `root ${place} without a parent`, parent);
      continue;
    }
    if (!(parent < place && levelOf(tree, parent) === level - 1))
      fail(where, `a parent one level above place ${place}`, parent);
    const { start, end } = childRange(tree, parent);
    if (!(place >= start && place < end))
      fail(where, `place ${place} among its parent's children`, `${start} to ${end}`);
  }
}

export function checkIds({ tree, ids }: CountryStructures, code: string): void {
  const where = `id-index of ${code}`;
  checkSlots(
    ids.slots,
    buildSlots(tree.placeCount, (place) => hashPlaceId(tree.ids, place)),
    where,
  );
  for (let place = 0; place < tree.placeCount; place++) {
    const found = findById(ids, tree, idAt(tree.ids, place));
    if (found !== place) fail(where, `place ${place} under its id`, found);
  }
}

/** Throws if a hash table differs from a rebuilt one, even in slots that no lookup reaches. */
export function checkSlots(found: Uint32Array, expected: Uint32Array, where: string): void {
  const wrong = found.findIndex((value, slot) => value !== expected[slot]);
  if (wrong !== -1) fail(`${where}.slots`, `${expected[wrong]} in slot ${wrong}`, found[wrong]);
}

export function checkTrie({ tree, trie }: CountryStructures, { paths }: PlaceFields, code: string): void {
  const where = `path-trie of ${code}`;
  const checkRange = (start: number, end: number): void => {
    let previous = '';
    for (let position = start; position < end; position++) {
      const place = trie.childrenBySlug[position] as number;
      if (!(place >= start && place < end)) fail(where, `a place from ${start} to ${end}`, place);
      const path = paths[place] as string;
      // Paths ascend strictly within the range, so every child occurs once.
      if (!(path > previous)) fail(where, `a path after ${previous}`, path);
      previous = path;
      const slugStart = slugStartOf(path.slice(path.lastIndexOf('/') + 1));
      if (trie.slugStarts[position] !== slugStart) fail(where, `the start of ${path}`, trie.slugStarts[position]);
    }
  };
  checkRange(0, tree.levelStarts[1] as number);
  for (let place = 0; place < tree.placeCount; place++) {
    const { start, end } = childRange(tree, place);
    checkRange(start, end);
  }
}

/**
 * Checks that the orders agree with each other and with the tree. The order of different names is not checked, since
 * another version of Unicode may sort them differently.
 */
export function checkOrders({ tree, orders }: CountryStructures, { names, ids }: PlaceFields, code: string): void {
  const where = `place-orders of ${code}`;
  const positions = new Uint32Array(tree.placeCount).fill(NO_PARENT);
  orders.all.forEach((place, position) => {
    if (positions[place] !== NO_PARENT) fail(where, `place ${place} once`, position);
    positions[place] = position;
    const previous = orders.all[position - 1];
    if (previous === undefined || names[previous] !== names[place]) return;
    if (!((ids[previous] as string) < (ids[place] as string))) fail(where, 'equal names by id', ids[place]);
  });
  const checkAscending = (list: ArrayLike<number>, start: number, end: number, what: string): void => {
    for (let at = start + 1; at < end; at++) {
      const ascends = (positions[list[at - 1] as number] as number) < (positions[list[at] as number] as number);
      if (!ascends) fail(where, `${what} by name then id`, `place ${list[at]} too late`);
    }
  };
  const places = Uint32Array.from({ length: tree.placeCount }, (_, place) => place);
  checkAscending(places, 0, tree.levelStarts[1] as number, 'roots');
  for (const place of places) {
    const { start, end } = childRange(tree, place);
    if (end - start > 1) checkAscending(places, start, end, `children of place ${place}`);
  }
  for (let level = 1; level <= LEVEL_COUNT; level++) {
    const { start, end } = levelRange(tree, level);
    checkAscending(orders.byLevel, start, end, `level ${level}`);
    for (let at = start; at < end; at++) {
      const place = orders.byLevel[at] as number;
      if (!(place >= start && place < end)) fail(where, `places of level ${level}`, place);
    }
  }
}
