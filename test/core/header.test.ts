/** The header page: a round trip, its bytes, and the order in which it refuses. (See also hostile-bytes.test.ts.) */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  checksumOf,
  decodeHeader,
  encodeHeader,
  FORMAT_VERSION,
  HEADER_BYTES,
  type Header,
  MAX_SNAPSHOT_BYTES,
} from '../../src/core/snapshot/header.js';

const headers = fc
  .record({
    pages: fc.integer({ min: 1, max: (MAX_SNAPSHOT_BYTES - 2 ** 24) / 4096 }),
    manifestLength: fc.nat(2 ** 24),
    manifestChecksum: fc.nat(0xffffffff),
  })
  .map(({ pages, manifestLength, manifestChecksum }): Header => {
    const manifestOffset = pages * 4096;
    return {
      version: FORMAT_VERSION,
      fileLength: manifestOffset + manifestLength,
      manifestOffset,
      manifestLength,
      manifestChecksum,
    };
  });

test('what was encoded is decoded, files of up to 4 GiB', () => {
  fc.assert(
    fc.property(headers, (header) => {
      const page = encodeHeader(header);
      expect(page).toHaveLength(HEADER_BYTES);
      expect(decodeHeader(page, header.fileLength)).toEqual(header);
    }),
    { seed: 20260330 },
  );
});

test('golden bytes', () => {
  const page = Buffer.from(
    encodeHeader({
      fileLength: 0x2_0000_0040,
      manifestOffset: 0x2_0000_0000,
      manifestLength: 64,
      manifestChecksum: 0xdeadbeef,
    }),
  );
  const parts = [
    '895050530d0a1a0a',
    '09000000',
    '00000000',
    '4000000002000000',
    '0000000002000000',
    '4000000000000000',
    'efbeadde',
  ].join('');
  expect(page.subarray(0, 44).toString('hex')).toBe(parts);
  expect(page.readUInt32LE(44)).toBe(checksumOf(Buffer.from(parts, 'hex')));
  expect(page.subarray(44, 48).toString('hex')).toBe('b77cb24c');
  expect(page.subarray(48).every((byte) => byte === 0)).toBe(true);
});

test('the checksum is CRC-32, and goes on over several parts', () => {
  // The check value of the CRC catalogue.
  expect(checksumOf(Buffer.from('123456789'))).toBe(0xcbf43926);
  expect(checksumOf(Buffer.from('6789'), checksumOf(Buffer.from('12345')))).toBe(0xcbf43926);
  expect(checksumOf(new Uint8Array(0))).toBe(0);
  expect(checksumOf(new Uint8Array(0), 77)).toBe(77);
});

test('a page that lies inside a larger buffer is read from its own start', () => {
  const header = {
    version: FORMAT_VERSION,
    fileLength: 8192,
    manifestOffset: 4096,
    manifestLength: 4096,
    manifestChecksum: 5,
  };
  const around = new Uint8Array(HEADER_BYTES * 2 + 24).fill(0xee);
  around.set(encodeHeader(header), 24);
  expect(decodeHeader(around.subarray(24, 24 + HEADER_BYTES), 8192)).toEqual(header);
});
