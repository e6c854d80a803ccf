/** The text that both stores keep of a record: its bytes, and that it is read as it was written. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  createRecordVersion,
  decodeRecord,
  encodeRecord,
  isRecordLabel,
  RecordError,
  recordHeadOf,
  untilRecordsUnchanged,
} from '../../../src/keys/records/record-store.js';

const ADDRESS = { kind: 'account', id: 'one' };
const VERSION = '7f3a0c5e91d24b68a0f1c2d3e4b59687';

test('the example at the head of the file', () => {
  const record = { names: ['ada@example.org'], expiresMs: null, value: { plan: 'free' } };
  const text = `${VERSION}[["ada@example.org"],null,{"plan":"free"}]`;
  expect(encodeRecord(VERSION, record, JSON.stringify(record.value))).toBe(text);
  expect(recordHeadOf({ version: VERSION, names: record.names })).toBe(`${VERSION}[["ada@example.org"],`);
  expect(decodeRecord(ADDRESS, text)).toEqual({ ...ADDRESS, ...record, version: VERSION });
});

test('a written record is read back, and its head differs from that of every other state', () => {
  const arbitraryNames = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }).filter(isRecordLabel), {
    maxLength: 8,
  });
  const arbitraryEnd = fc.option(fc.integer({ min: 0, max: 8.64e15 }));
  const arbitraryValue = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(arbitraryNames, arbitraryEnd, arbitraryValue, arbitraryNames, (names, expiresMs, value, otherNames) => {
      const version = createRecordVersion();
      const text = encodeRecord(version, { names, expiresMs, value }, JSON.stringify(value));
      const read = decodeRecord(ADDRESS, text);
      expect(read).toEqual({ ...ADDRESS, version, names, expiresMs, value: JSON.parse(JSON.stringify(value)) });
      expect(text.startsWith(recordHeadOf({ version, names }))).toBe(true);
      expect(text.startsWith(recordHeadOf({ version: createRecordVersion(), names }))).toBe(false);
      const isSame = JSON.stringify(names) === JSON.stringify(otherNames);
      expect(text.startsWith(recordHeadOf({ version, names: otherNames }))).toBe(isSame);
    }),
    { numRuns: 200, seed: 5 },
  );
});

describe('untilUnchanged', () => {
  const changed = new RecordError('RECORD_CHANGED', 'changed');

  test('gives up after a hundred attempts', async () => {
    let count = 0;
    const attempt = async () => {
      count++;
      throw changed;
    };
    await expect(untilRecordsUnchanged(attempt)).rejects.toMatchObject({
      name: 'KeyStoreError',
      code: 'KEY_STORE_FAILED',
    });
    expect(count).toBe(100);
  });

  test.each([new RecordError('RECORD_EXISTS', 'exists'), new RangeError('other')])(
    'lets %s out at once',
    async (error) => {
      let count = 0;
      const attempt = async () => {
        count++;
        throw error;
      };
      await expect(untilRecordsUnchanged(attempt)).rejects.toBe(error);
      expect(count).toBe(1);
    },
  );
});
