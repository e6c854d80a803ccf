/** The order of names, and sorting by numbers. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareCodePoints, rankNames } from '../../../build-index/ordering/name-order.js';
import { sortByKeys, sortTexts } from '../../../build-index/ordering/sort-keys.js';

describe('the order of names', () => {
  test('accents stand beside their base letter, scripts behind each other, ties by code point', () => {
    const sorted = ',10,9,Ångström,apfel,Apfel,Äpfel,Lodz,Łódź,Oslo,Øst,zebra,Zürich,Москва,서울'.split(',');
    // 7 has no factor in common with 15: another order.
    const ranks = rankNames(sorted.map((_, index) => sorted[(7 * index) % sorted.length] as string));
    expect(sorted.map((name) => ranks.get(name))).toEqual([...sorted.keys()]);
  });

  test('composed and decomposed spellings are equal for the collation, and still in one order', () => {
    const [composed, decomposed] = ['é', 'é'.normalize('NFD')];
    const ranks = rankNames([composed, decomposed, 'f']);
    expect(ranks.get(decomposed) as number).toBeLessThan(ranks.get(composed) as number);
    expect(ranks.get('f')).toBe(2);
  });

  test('compareCodePoints is the order of UTF-8 bytes, surrogates included', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'é', '\uffee', '\ue000', '\ud7ff', '🏝', '𝟏'),
      maxLength: 5,
    });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { seed: 20260330, numRuns: 1000 },
    );
  });
});

describe('sorting by numbers', () => {
  const naive = <Value>(values: readonly Value[], compare: (one: Value, other: Value) => number): number[] =>
    [...values.keys()].sort((a, b) => compare(values[a] as Value, values[b] as Value) || a - b);

  test('gives the order of a stable comparison, up to the largest exact number', () => {
    const key = fc.oneof(fc.nat(3), fc.nat(), fc.maxSafeNat());
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        const expected = naive(keys, (one, other) => one - other);
        expect([...sortByKeys(Float64Array.from(keys))]).toEqual(expected);
      }),
    );
  });

  test('compares the elements of equal keys alone', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3)), (keys) => {
        const expected = [...keys.keys()].sort((a, b) => (keys[a] as number) - (keys[b] as number) || b - a);
        expect([...sortByKeys(Float64Array.from(keys), (a, b) => b - a)]).toEqual(expected);
      }),
    );
  });

  test('sorts folded texts, also those of which the first ten characters are the same', () => {
    const text = fc.array(fc.constantFrom('a', 'z', '0', '9', 'san ', 'frankfurt am '), { maxLength: 5 });
    fc.assert(
      fc.property(fc.array(text), (parts) => {
        const texts = parts.map((words) => words.join('').trim());
        const sorted = Array.from(sortTexts(texts), (index) => texts[index]);
        expect(sorted).toEqual(texts.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0)));
      }),
    );
  });
});
