/** The recipe of docs/scaling.md for large tables finds what `enrich` finds, in all countries. */

import { expect, test } from '@jest/globals';
import { joinCodes } from '../fixtures/joined-codes.js';
import { count, percent, printFigures, snapshotFile } from './world.js';

test('codes as people write them, joined as the document says, have the places that enrich gives them', () => {
  const { joined, enriched, rowCount, firstCount } = joinCodes(snapshotFile('2026-03'), 60);
  expect(joined).toEqual(enriched);
  printFigures(
    `${count(rowCount)} rows: ${percent(firstCount, rowCount)} by the first join, ${percent(joined.length, rowCount)} by both`,
  );
});
