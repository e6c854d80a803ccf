/** A search by sampled prefixes finds the same text as a scan, also at the edges: few texts, and long texts. */

import { expect, test } from '@jest/globals';
import {
  endByPrefix,
  hasPrefixOf,
  lowerBoundByPrefix,
  prefixArrayLength,
  prefixWord,
  SAMPLE_STEP,
  type SampledPrefixes,
} from '../../src/core/snapshot/binary-search.js';
import { bytesOf } from '../../src/core/snapshot/byte-string.js';
import { createRandom } from '../fixtures/random.mjs';

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
      const found = lowerBoundByPrefix(sampled, bytesOf(text), (at) => (texts[at] as string) < text);
      expect([text, found]).toEqual([text, start]);
      if (text.length > 8) continue;
      const end = start + texts.filter((other) => other.startsWith(text)).length;
      const foundEnd = endByPrefix(sampled, bytesOf(text), start, (at) => (texts[at] as string).startsWith(text));
      expect([text, foundEnd]).toEqual([text, end]);
    }
  }
});

test('texts that are no longer than a prefix have distinct prefixes', () => {
  const texts = ['', 'a', 'aa', 'aaaaaaaa', 'b'];
  const sampled = prefixesOf(texts, 1);
  for (const [at] of texts.entries()) {
    expect(texts.filter((text) => hasPrefixOf(sampled, at, bytesOf(text)))).toEqual([texts[at]]);
  }
  expect(hasPrefixOf(sampled, 3, bytesOf('aaaaaaaab'))).toBe(true);
});
