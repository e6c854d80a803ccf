/** Where a client on this machine finds a server. */

import { expect, test } from '@jest/globals';
import { originOf } from '../../src/process/program.js';

test.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::', 'http://[::1]:3000'],
  ['::1', 'http://[::1]:3000'],
  ['places.example', 'http://places.example:3000'],
])('a server on %s is found at %s', (host, origin) => {
  expect(originOf({ host, port: 3000 })).toBe(origin);
});
