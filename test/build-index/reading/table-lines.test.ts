/** Bytes become lines, wherever the chunks end. */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LineSplitter } from '../../../build-index/reading/table-lines.js';

function split(chunks: readonly Buffer[]): [string, number][] {
  const lines: [string, number][] = [];
  const splitter = new LineSplitter((line, lineNumber) => lines.push([line.toString('utf8'), lineNumber]));
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

test('lines are the same wherever the chunks end, in the middle of a character too', () => {
  const line = fc.string({ unit: fc.constantFrom(...'a\tÅ서🏝\u2028'), maxLength: 6 });
  const file = fc.record({
    lines: fc.array(line, { maxLength: 8 }),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    endsWithLineEnd: fc.boolean(),
    mark: fc.constantFrom('', '\ufeff'),
    cuts: fc.array(fc.nat(200), { maxLength: 6 }),
  });
  fc.assert(
    fc.property(file, ({ lines, lineEnd, endsWithLineEnd, mark, cuts }) => {
      const bytes = Buffer.from(mark + lines.join(lineEnd) + (endsWithLineEnd ? lineEnd : ''));
      const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort((a, b) => a - b);
      const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      const expected = lines.map((text, index) => [text, index + 1]).filter(([text]) => text !== '');
      expect(split(chunks)).toEqual(expected);
    }),
    { seed: 20260330, numRuns: 500 },
  );
});

test.each<[string, string | Buffer, string]>([
  ['nothing', '', ''],
  ['blank lines, which keep their numbers', '\n\r\na\n\nb', '3:a 5:b'],
  ['a last line without an end', 'a\nb', '1:a 2:b'],
  ['a byte order mark at the start only', '\ufeffa\n\ufeffb', '1:a 2:\ufeffb'],
  ['nothing but a byte order mark', '\ufeff\n', ''],
  ['a carriage return inside a line', 'a\rb\r\n', '1:a\rb'],
  ['bytes that are no UTF-8', Buffer.from('61ff620a', 'hex'), '1:a\ufffdb'],
  ['a character cut short at the end', Buffer.from('61e4b8', 'hex'), '1:a\ufffd'],
])('%s', (_, content, expected) => {
  const lines = split([Buffer.from(content as string)]);
  expect(lines.map(([line, number]) => `${number}:${line}`).join(' ')).toBe(expected);
});

test('an endless line is cut, costs no memory, and the lines behind it are whole', () => {
  const chunk = Buffer.alloc(1 << 16, 'x');
  const chunks = [Buffer.from('first\n'), ...new Array<Buffer>(400).fill(chunk), Buffer.from('\nlast\n')];
  const lines = split(chunks);
  expect(lines.map(([, lineNumber]) => lineNumber)).toEqual([1, 2, 3]);
  expect([lines[0]?.[0], lines[2]?.[0]]).toEqual(['first', 'last']);
  const length = lines[1]?.[0].length as number;
  // Long enough to be rejected as too long, and no more than a chunk longer.
  expect(length).toBeGreaterThan(10_000);
  expect(length).toBeLessThan(200_000);
});
