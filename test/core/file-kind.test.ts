/** What an error calls a file that is no snapshot. */

import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { describeFileKind } from '../../src/core/snapshot/file-kind.js';
import { decodeSnapshot } from '../../src/core/snapshot/snapshot.js';

const filled = (start: string): Buffer => Buffer.from(start.padEnd(5_000, ' x'));

test.each<[kind: string, bytes: Buffer]>([
  ['a PNG image', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), filled('')])],
  ['a ZIP archive', filled('PK\x03\x04')],
  ['gzip', Buffer.concat([gzipSync('a'), filled('')])],
  ['an HTML page', filled('\n<!DOCTYPE html>\n<html>')],
  ['an HTML page', filled('<html lang="en">')],
  ['JSON text', filled('{"statusCode":404}')],
  ['JSON text', filled(' [1,')],
  ['text', filled('no snapshot at all\r\n\tİzmir')],
  ['text', Buffer.from(`\ufeff${'é'.repeat(3_000)}`)],
  ['text', filled('<htmlx>')],
  ['an unknown kind of file', Buffer.alloc(5_000)],
  ['an unknown kind of file', Buffer.alloc(5_000, 0xff)],
])('%s', (kind, bytes) => {
  expect(describeFileKind(bytes.subarray(0, 4_096))).toBe(kind);
  expect(() => decodeSnapshot(bytes, false)).toThrow(
    `NOT_A_SNAPSHOT: expected a snapshot, found ${kind}; give a file that postal-places build wrote`,
  );
});

test('a short file is told as what it is too', () => {
  const messageOf = (text: string): RegExp =>
    new RegExp(`^FILE_TOO_SHORT: expected at least 4096 bytes, found ${text};`);
  expect(() => decodeSnapshot(Buffer.from('{"error":1}'), false)).toThrow(messageOf('JSON text, 11 bytes'));
  expect(() => decodeSnapshot(Buffer.alloc(0), false)).toThrow(messageOf('an empty file, 0 bytes'));
});
