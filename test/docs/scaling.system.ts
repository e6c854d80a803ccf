/** The recipe of docs/scaling.md for large tables finds what `enrich` finds. */

import { expect, test } from '@jest/globals';
import { joinCodes } from '../fixtures/joined-codes.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';

test('codes as people write them, joined as the document says, have the places that enrich gives them', async () => {
  const { joined, enriched, rowCount, firstCount } = joinCodes(await sharedStarterSnapshot(), 30);
  expect(joined).toEqual(enriched);
  // Five ways to write a code differ in letters, spaces and hyphens alone, which the first join knows.
  expect(firstCount).toBeGreaterThan((rowCount * 5) / 13);
  expect(joined.length).toBeGreaterThan(firstCount);
});
