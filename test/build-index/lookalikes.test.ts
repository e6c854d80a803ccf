/** Which leaves stand for each other in a list of suggestions. */
import { expect, test } from '@jest/globals';
import { findLookalikes } from '../../build-index/structures/lookalikes.js';

/** Each place is [parent, name, local name]; those without a parent are units. */
function firstsOf(places: readonly (readonly [number | null, string, string?])[]): number[] {
  return [
    ...findLookalikes({
      parents: Uint32Array.from(places, ([parent]) => parent ?? 0xffff_ffff),
      names: places.map(([, name]) => name),
      localNames: places.map(([, name, localName]) => localName ?? name),
      isLeaf: (place) => places[place]?.[0] !== null,
    }),
  ];
}

test('leaves of one parent are alike where case and punctuation alone tell them apart', () => {
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

test('leaves of different parents are never alike, and neither are units', () => {
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
