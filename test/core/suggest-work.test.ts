/**
 * That no query does more work than its budget, whatever is typed: over a release in which many places share few names,
 * each place in a unit of its own, so that much fits and little is known already. Work is counted here without the
 * budget's help, as reads of the arrays that a search looks into.
 */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { foldQuery } from '../../src/core/snapshot/fold-text.js';
import type { Country, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { MAX_WORK, WorkBudget } from '../../src/core/snapshot/work-budget.js';
import { suggest } from '../../src/core/suggest/suggest.js';
import { countReads } from '../fixtures/counted-reads.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import type { FixtureRow } from '../fixtures/hand-made-release.js';

const NAMES = 240;
const PLACES_OF_A_NAME = 30;
/** Most of the reads are of letters, one after the other. */
const READS_PER_UNIT = 6;

let snapshot: Snapshot;
beforeAll(async () => {
  const rows = Array.from({ length: NAMES * PLACES_OF_A_NAME }, (_, row): FixtureRow => {
    const name = row % NAMES;
    const letters = [name / 26, name % 26].map((digit) => String.fromCharCode(97 + Math.floor(digit))).join('');
    return [String(10_000 + row), `Nova ${letters}und Sao ${letters}vila`, `Kraj Velky ${row}`, '', '', 0, 0];
  });
  snapshot = await openFixture({ CZ: rows });
});

function countReadsFor(query: string): number {
  const counted = countReads(snapshot);
  suggest(counted.snapshot, query, { countries: [counted.snapshot.countryByCode.get('CZ') as Country] }, 25);
  return counted.take();
}

describe('a query made to take long', () => {
  test.each([
    ['names at both ends, in two foldings', 'nova und anüecy são'],
    ['names before and behind', 'sao a ür xx nova'],
    ['as many words as are taken apart', 'nova sao ü nova sao x nova sao'],
    ['a start of what many words start with', 'n sä'],
    ['a code and a name', 'nova aaund 10 000 und'],
    ['mistyped', 'nova aaund saö aavilla krajj velkyy'],
    ['mistyped twice', 'növa aaund sao aavxlx'],
  ])('%s: "%s"', (_, query) => {
    const reads = countReadsFor(query);
    expect(reads).toBeGreaterThan(100);
    expect(reads).toBeLessThan(READS_PER_UNIT * MAX_WORK);
  });

  test.each([
    ['one letter', 'ü'.repeat(100)],
    ['letters with spaces between', 'å ö ü '.repeat(16)],
    ['the start of a name again and again', 'nova '.repeat(20)],
    ['a letter that is folded to 28', '\ufdfa'.repeat(100)],
    ['a script in which each letter is a syllable', '뷁'.repeat(100)],
  ])('100 characters, %s', (_, query) => {
    const foldings = foldQuery(query);
    expect(foldings.length).toBeLessThanOrEqual(2);
    expect(Math.max(...foldings.map(({ length }) => length))).toBeLessThan(30 * 100);
    expect(countReadsFor(query)).toBeLessThan(READS_PER_UNIT * MAX_WORK);
  });
});

test('where the budget ends, the answer is the best of what there is', () => {
  const ask = (units: number): { places: number[]; isSpent: boolean } => {
    const work = new WorkBudget(units);
    const places = suggest(
      snapshot,
      'nova kraj',
      { countries: [snapshot.countryByCode.get('CZ') as Country] },
      25,
      work,
    ).map(({ place }) => place);
    expect(work.spentUnits).toBeLessThanOrEqual(units);
    return { places, isSpent: work.isSpent };
  };
  const all = ask(1_000_000);
  expect(all).toMatchObject({ isSpent: false });
  expect(all.places).toHaveLength(25);
  const counts = new Set<number>();
  for (let units = 0; units < 1_000_000 && counts.size < 26; units += 20) {
    const { places, isSpent } = ask(units);
    expect(places).toEqual(all.places.slice(0, places.length));
    expect(isSpent || places.length === 25).toBe(true);
    counts.add(places.length);
    if (!isSpent) break;
  }
  // From none to all of them, one by one.
  expect(counts.size).toBe(26);
});
