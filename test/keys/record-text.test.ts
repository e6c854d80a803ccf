/** The text that both stores keep of a record: its bytes, and that it is read as it was written. */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isLabel } from '../../src/keys/records/record-store.js';
import { createVersion, decodeRecord, encodeRecord, headOf } from '../../src/keys/records/record-text.js';

const ADDRESS = { kind: 'account', id: 'one' };
const VERSION = '7f3a0c5e91d24b68a0f1c2d3e4b59687';

test('the example at the head of the file', () => {
  const record = { names: ['ada@example.org'], expiresMs: null, value: { plan: 'free' } };
  const text = `${VERSION}[["ada@example.org"],null,{"plan":"free"}]`;
  expect(encodeRecord(VERSION, record, JSON.stringify(record.value))).toBe(text);
  expect(headOf({ version: VERSION, names: record.names })).toBe(`${VERSION}[["ada@example.org"],`);
  expect(decodeRecord(ADDRESS, text)).toEqual({ ...ADDRESS, ...record, version: VERSION });
});

test('a written record is read back, and its head differs from that of every other state', () => {
  const arbitraryNames = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }).filter(isLabel), { maxLength: 8 });
  const arbitraryEnd = fc.option(fc.integer({ min: 0, max: 8.64e15 }));
  const arbitraryValue = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(arbitraryNames, arbitraryEnd, arbitraryValue, arbitraryNames, (names, expiresMs, value, otherNames) => {
      const version = createVersion();
      const text = encodeRecord(version, { names, expiresMs, value }, JSON.stringify(value));
      const read = decodeRecord(ADDRESS, text);
      expect(read).toEqual({ ...ADDRESS, version, names, expiresMs, value: JSON.parse(JSON.stringify(value)) });
      expect(text.startsWith(headOf({ version, names }))).toBe(true);
      expect(text.startsWith(headOf({ version: createVersion(), names }))).toBe(false);
      const isSame = JSON.stringify(names) === JSON.stringify(otherNames);
      expect(text.startsWith(headOf({ version, names: otherNames }))).toBe(isSame);
    }),
    { numRuns: 200, seed: 5 },
  );
});
