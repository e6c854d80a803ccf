/** Searching sorted texts by their heads finds what looking at each finds, also at the edges: few texts, and long ones. */
import { expect, test } from '@jest/globals';
import { HEAD_STEP, headsLengthFor, headWord } from '../../src/format/text-heads.js';
import { bytesOf } from '../../src/store/byte-string.js';
import { endByHeads, type Heads, isHeadOf, lowerBoundByHeads } from '../../src/store/text-heads.js';
import { createRandom } from '../fixtures/random.mjs';

function headsOf(texts: readonly string[], step: number): Heads {
  const heads = new Uint32Array(headsLengthFor(texts.length, step));
  for (let head = 0; head * step < texts.length; head++) {
    const text = bytesOf(texts[head * step] as string);
    heads[head * 2] = headWord((at) => text[at] ?? 0, 0);
    heads[head * 2 + 1] = headWord((at) => text[at] ?? 0, 4);
  }
  return { heads, step, count: texts.length };
}

/** Sorted texts of two letters and spaces, many of which begin alike for more bytes than a head has; some are there twice. */
function makeTexts(random: () => number, count: number): string[] {
  const pick = (): string => 'aab '[Math.floor(random() * 4)] as string;
  const make = (): string =>
    (random() < 0.5 ? 'aaaaaaab' : '') + Array.from({ length: 1 + random() * 5 }, pick).join('');
  return Array.from({ length: count }, make).sort();
}

test.each([1, HEAD_STEP])('with a head for every text of %i', (step) => {
  const random = createRandom(8);
  for (let count = 0; count <= 3 * HEAD_STEP + 1; count++) {
    const texts = makeTexts(random, count);
    const heads = headsOf(texts, step);
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
      const found = lowerBoundByHeads(heads, bytesOf(text), (at) => (texts[at] as string) < text);
      expect([text, found]).toEqual([text, start]);
      if (text.length > 8) continue;
      const end = start + texts.filter((other) => other.startsWith(text)).length;
      const foundEnd = endByHeads(heads, bytesOf(text), start, (at) => (texts[at] as string).startsWith(text));
      expect([text, foundEnd]).toEqual([text, end]);
    }
  }
});

test('of texts that are no longer than a head, each has its own', () => {
  const texts = ['', 'a', 'aa', 'aaaaaaaa', 'b'];
  const heads = headsOf(texts, 1);
  for (const [at] of texts.entries()) {
    expect(texts.filter((text) => isHeadOf(heads, at, bytesOf(text)))).toEqual([texts[at]]);
  }
  expect(isHeadOf(heads, 3, bytesOf('aaaaaaaab'))).toBe(true);
});
