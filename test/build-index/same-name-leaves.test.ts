/** Leaves of the same name, which are one suggestion. */

import { expect, test } from '@jest/globals';
import { findSameNameLeaves } from '../../build-index/structures/name-candidates.js';

/** Each place is [parent, name, local name]; those without a parent are units. */
function firstsOf(places: readonly (readonly [number | null, string, string?])[]): number[] {
  return [
    ...findSameNameLeaves({
      parents: Uint32Array.from(places, ([parent]) => parent ?? 0xffff_ffff),
      names: places.map(([, name]) => name),
      localNames: places.map(([, name, localName]) => localName ?? name),
      isLeaf: (place) => places[place]?.[0] !== null,
    }),
  ];
}

test('leaves of one parent have the same name if only case and punctuation differ', () => {
  expect(
    firstsOf([
      [null, 'Unit'],
      [0, 'Saint-Denis'],
      [0, 'SAINT DENIS'],
      [0, 'Saint-Dénis'],
      [0, 'saint denis'],
    ]),
  ).toEqual([0, 1, 1, 3, 1]);
});

test('leaves of different parents never have the same name, and neither do units', () => {
  expect(
    firstsOf([
      [null, 'A'],
      [null, 'A'],
      [0, 'B'],
      [0, 'B'],
      [1, 'B'],
      [1, 'B'],
    ]),
  ).toEqual([0, 1, 2, 2, 4, 4]);
});

test('both names count: two local names under one Latin name are two places', () => {
  expect(
    firstsOf([
      [null, 'Unit'],
      [0, 'Cheongdong', '청동'],
      [0, 'Cheongdong', '정동'],
      [0, 'Cheongdong', '청동'],
      [0, 'Cheongdong', 'cheongdong'],
      [0, 'Cheongdong'],
    ]),
  ).toEqual([0, 1, 2, 1, 4, 4]);
});
