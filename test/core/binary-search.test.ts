/** The searches and ranges that every lookup stands on: right for sound numbers, and bounded for any. */

import { describe, expect, test } from '@jest/globals';
import { arrayRangeAt, arraySliceOf } from '../../src/core/snapshot/array-bundle.js';
import { lowerBound } from '../../src/core/snapshot/binary-search.js';
import { bytesOf } from '../../src/core/snapshot/byte-string.js';
import {
  endBySampledPrefix,
  hasSampledPrefixOf,
  lowerBoundBySample,
  prefixArrayLength,
  prefixWord,
  SAMPLE_STEP,
  type SampledPrefixes,
} from '../../src/core/snapshot/sampled-prefixes.js';
import { createRandom } from '../fixtures/random.mjs';

const U32 = [0, 1, 2, 7, 8, 9, 100, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

test('the lower bound is that of looking at each', () => {
  for (let start = 0; start <= 9; start++) {
    for (let end = start; end <= 9; end++) {
      for (let first = start; first <= end; first++) {
        expect(lowerBound(start, end, (at) => at < first)).toBe(first);
      }
    }
  }
});

test('a search ends after 33 steps, in whatever range and whatever is found there', () => {
  const random = createRandom(3);
  for (const start of U32) {
    for (const end of [...U32, 2 ** 32, Number.NaN]) {
      for (const isBefore of [() => true, () => false, () => random() < 0.5]) {
        let steps = 0;
        const found = lowerBound(start, end, () => {
          // Not left to the clock: a search that never ends would never say so.
          if (++steps > 33) throw new Error(`no end from ${start} to ${end}`);
          return isBefore();
        });
        expect(found === start || (found > start && found <= end)).toBe(true);
      }
    }
  }
});

/** A search by sampled prefixes finds the same text as a scan, also at the edges: few texts, and long texts. */
describe('sampled prefixes', () => {
  function prefixesOf(texts: readonly string[], step: number): SampledPrefixes {
    const prefixes = new Uint32Array(prefixArrayLength(texts.length, step));
    for (let index = 0; index * step < texts.length; index++) {
      const text = bytesOf(texts[index * step] as string);
      prefixes[index * 2] = prefixWord((at) => text[at] ?? 0, 0);
      prefixes[index * 2 + 1] = prefixWord((at) => text[at] ?? 0, 4);
    }
    return { prefixes, step, count: texts.length };
  }

  /** Sorted texts of two letters and spaces. Many share more bytes than a prefix has, and some are equal. */
  function makeTexts(random: () => number, count: number): string[] {
    const pick = (): string => 'aab '[Math.floor(random() * 4)] as string;
    const make = (): string =>
      (random() < 0.5 ? 'aaaaaaab' : '') + Array.from({ length: 1 + random() * 5 }, pick).join('');
    return Array.from({ length: count }, make).sort();
  }

  test.each([1, SAMPLE_STEP])('with a prefix for every %i-th text', (step) => {
    const random = createRandom(8);
    for (let count = 0; count <= 3 * SAMPLE_STEP + 1; count++) {
      const texts = makeTexts(random, count);
      const sampled = prefixesOf(texts, step);
      const queries = new Set([
        ...texts,
        ...texts.map((text) => text.slice(0, -1)),
        ...makeTexts(random, 8),
        'a',
        'c',
        ' ',
      ]);
      for (const text of queries) {
        const first = texts.findIndex((other) => other >= text);
        const start = first === -1 ? count : first;
        const found = lowerBoundBySample(sampled, bytesOf(text), (at) => (texts[at] as string) < text);
        expect([text, found]).toEqual([text, start]);
        if (text.length > 8) continue;
        const end = start + texts.filter((other) => other.startsWith(text)).length;
        const foundEnd = endBySampledPrefix(sampled, bytesOf(text), start, (at) =>
          (texts[at] as string).startsWith(text),
        );
        expect([text, foundEnd]).toEqual([text, end]);
      }
    }
  });

  test('texts that are no longer than a prefix have distinct prefixes', () => {
    const texts = ['', 'a', 'aa', 'aaaaaaaa', 'b'];
    const sampled = prefixesOf(texts, 1);
    for (const [at] of texts.entries()) {
      expect(texts.filter((text) => hasSampledPrefixOf(sampled, at, bytesOf(text)))).toEqual([texts[at]]);
    }
    expect(hasSampledPrefixOf(sampled, 3, bytesOf('aaaaaaaab'))).toBe(true);
  });
});

/** The ranges that every lookup stands on: right for sound numbers, and bounded for any. */
describe('ranges', () => {
  const U32 = [0, 1, 2, 7, 8, 9, 100, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

  test('a range lies within what there is, whatever the starts', () => {
    for (const start of U32) {
      for (const end of U32) {
        const range = arrayRangeAt(Uint32Array.of(start, end), 0, 8);
        expect(range).toEqual(start <= Math.min(end, 8) ? { start, end: Math.min(end, 8) } : { start: 0, end: 0 });
      }
    }
    expect(arrayRangeAt(Uint32Array.of(3, 5), 1, 8)).toEqual({ start: 0, end: 0 });
    expect(arrayRangeAt(Uint32Array.of(3, 5), 0xffffffff, 8)).toEqual({ start: 0, end: 0 });
  });

  test('a slice is never longer than it may be, whatever its start and end', () => {
    const bytes = Buffer.from(Array.from({ length: 100 }, (_, at) => at));
    expect([...arraySliceOf(bytes, 2, 5, 10)]).toEqual([2, 3, 4]);
    for (const start of [...U32, undefined as unknown as number]) {
      for (const end of [...U32, -2, -1, Number.NaN]) {
        const slice = arraySliceOf(bytes, start, end, 10);
        expect(slice.length).toBeLessThanOrEqual(10);
        if (end > start && start < 100) expect(slice[0]).toBe(start);
        else expect(slice).toHaveLength(0);
      }
    }
  });
});
