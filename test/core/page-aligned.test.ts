/** Where memory lies that files are read into. */

import { expect, test } from '@jest/globals';
import koffi from 'koffi';
import { allocatePageAligned } from '../../src/core/snapshot/snapshot-file.js';

test.each([1 << 18, 5000, 1])('%d bytes of zeros that begin on a page', (length) => {
  const bytes = allocatePageAligned(length);
  expect(bytes).toHaveLength(length);
  expect(bytes.every((byte) => byte === 0)).toBe(true);
  expect(koffi.address(bytes) % 4096n).toBe(0n);
});
