/** Both sinks hold the same bytes, whatever is added in whatever order. */

import { describe, expect, test } from '@jest/globals';
import { BufferSink, type ByteSink, encodeUtf8, quoteJson, TextSink } from '../../src/core/snapshot/byte-string.js';

const BYTES = Buffer.from('Zürich, 서울, Łódź');

/** Texts around the length up to which a loop copies them, and slices of which some are outside of their bytes. */
function fill(out: ByteSink): void {
  for (const count of [0, 1, 15, 16, 17, 300]) out.add(encodeUtf8('é'.repeat(count)));
  for (const [start, end, most] of [
    [0, 3, 99],
    [3, BYTES.length, 4],
    [0, 9_999, 9_999],
    [5, 2, 99],
    [9_999, 10_000, 99],
  ] as const) {
    out.addBytes(BYTES, start, end, most);
    out.add(',');
  }
}

function textOf(sink: BufferSink): string {
  return sink.bytes.toString('latin1');
}

describe.each([0, 1, 64, 65_536])('a Buffer of %i bytes at first', (capacity) => {
  test('holds what the string holds', () => {
    const text = new TextSink();
    fill(text);
    const sink = new BufferSink(capacity);
    fill(sink);
    expect(textOf(sink)).toBe(text.text);
    expect(sink.length).toBe(text.text.length);
    expect(sink.capacity).toBeGreaterThanOrEqual(capacity);
    expect(Buffer.from(text.text, 'latin1').includes(BYTES)).toBe(true);
  });

  test('takes back what was added last, and goes on', () => {
    const sink = new BufferSink(capacity);
    sink.add('kept');
    fill(sink);
    sink.truncate(4);
    sink.add(' and more');
    expect(textOf(sink)).toBe('kept and more');
  });
});

test.each(['', '10115', 'SW1A 1AA', '00-950', '"', '\\', 'É 1', '\u2028', '\u0001', '\ud800', '10115\n', '서울'])(
  'the code %j is quoted as JSON quotes it',
  (code) => {
    expect(quoteJson(code)).toBe(encodeUtf8(JSON.stringify(code)));
  },
);
