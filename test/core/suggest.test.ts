/** Suggestions over a small release, and the work that a query may do. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { autocomplete } from '../../src/core/answers/autocomplete.js';
import { foldQuery } from '../../src/core/snapshot/fold-text.js';
import { type Country, openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { MAX_WORK, WorkBudget } from '../../src/core/snapshot/work-budget.js';
import { findSuggestions } from '../../src/core/suggest/suggest.js';
import { countReads } from '../fixtures/counted-reads.js';
import { buildFixtureSnapshot, openFixture } from '../fixtures/fixture-snapshot.js';
import { type FixtureRow, HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { parseAnswer, suggestedPaths } from './answer.js';

/**
 * The rule of suggestions by examples, over the hand-made release: each reason by itself, their order, namesakes,
 * merged leaves, and where the search stops. That every suggestion is as the rule says is tested in
 * test/core/lookups.test.ts.
 */
describe('suggestions', () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    snapshot = await openFixture(HAND_MADE_ROWS);
  });

  const paths = (query: string, country?: string, limit?: number): string[] =>
    suggestedPaths(snapshot, query, country, limit);

  const SPRINGFIELD = 'US/illinois/sangamon/springfield';
  const YORK = 'GB/england/north-yorkshire/york';
  const HEIGHTS = 'US/new-york/westchester/yorktown-heights';

  describe('reasons', () => {
    test.each([
      ['name', 'york springs', 'US/pennsylvania/adams/york-springs'],
      ['name, in another spelling', 'o fallon', 'US/missouri/saint-charles/ofallon'],
      ['name, in another spelling', 'mt airy', 'US/maryland/carroll/mount-airy'],
      ['name, in another spelling', 'stoke d abernon', 'GB/england/stoke-dabernon'],
      ['nameWithin: a name behind', 'springfield illinois', SPRINGFIELD],
      ['nameWithin: a code behind', 'springfield il', SPRINGFIELD],
      ['nameWithin: several behind', 'springfield sangamon il usa', SPRINGFIELD],
      ['nameWithin: several words behind', 'york north yorkshire', YORK],
      ['nameWithin: the country', 'york united kingdom', YORK],
      ['nameWithin: what everybody calls the country', 'york uk', YORK],
      ['nameWithin: a name before', 'england york', YORK],
      ['nameWithin: a code before', 'il springfield', SPRINGFIELD],
      ['reordered', 'springs york', 'US/pennsylvania/adams/york-springs'],
      ['reordered, within', 'springs york adams', 'US/pennsylvania/adams/york-springs'],
      ['start', 'yorkt', HEIGHTS],
      ['nameNear', 'york engl', YORK],
      ['nameNear: words in any order', 'york yorks north', YORK],
      ['wordStart', 'heig', HEIGHTS],
      ['startWithin: a name behind', 'spring illinois', SPRINGFIELD],
      ['startWithin: the start of a name behind', 'spring ill', SPRINGFIELD],
      ['startWithin: before', 'il spring', SPRINGFIELD],
      ['startWithin: from a later word on', 'heig ny', HEIGHTS],
      ['anyOrder', 'bees bea sign', 'GB/england/north-yorkshire/sign-of-the-bear-and-the-bees'],
      ['one edit: left out', 'yorktown heihts', HEIGHTS],
      ['one edit: put in', 'yorktown heighhts', HEIGHTS],
      ['one edit: replaced', 'yorktown heigjts', HEIGHTS],
      ['one edit: two in the wrong order', 'yorktown heihgts', HEIGHTS],
      ['one edit: a space too many', 'york town heights', HEIGHTS],
      ['one edit, within', 'springfeild illinois', SPRINGFIELD],
      ['one edit, near', 'springfeild il us', SPRINGFIELD],
      ['one edit in a start', 'yorktonw', HEIGHTS],
      ['one edit from a later word on', 'heihgt', HEIGHTS],
      ['two edits in a name', 'yorktwon hieghts', HEIGHTS],
      ['two edits in a start', 'yorkton hieg', HEIGHTS],
      ['two edits from a later word on', 'viewwpiont', 'AU/lake-viewpoint'],
    ])('%s: "%s"', (_, query, path) => {
      expect(paths(query)).toEqual([path]);
    });

    test.each([
      ['a context before the start of a name must have whole words', 'ohi spring'],
      ['a run of words of less than half of the letters', 'yorktown of the hills'],
      ['an edit in the first three letters', 'yrok springs'],
      ['two edits in the first four', 'yokr sprngs'],
      ['two edits in seven letters', 'heihgst'],
    ])('%s: "%s"', (_, query) => {
      expect(paths(query)).toEqual([]);
    });
  });

  test.each([
    ['a unit that the place is not in is dropped', 'springfield texas', SPRINGFIELD],
    ['the start of a unit before the name is dropped', 'illi springfield', SPRINGFIELD],
    ['the longest run is used', 'bla yorktown heights', HEIGHTS],
  ])('%s: "%s"', (_, query, path) => {
    expect(paths(query)[0]).toBe(path);
  });

  describe('order', () => {
    test('reasons come in their order, whatever the importance of places', () => {
      expect(paths('lake view', 'AU')).toEqual([
        'AU/lake-view',
        'AU/view/lake',
        'AU/view-lake',
        'AU/lake-viewpoint',
        'AU/viewville/lake',
        'AU/old-lake-view',
        'AU/view-of-the-lake',
      ]);
    });

    test('the start of a name in what it lies in is looked for where nothing else fits', () => {
      expect(paths('lakes view', 'AU')).toEqual(['AU/view/lakeside']);
    });

    test('with one edit: the name, within and near, start, later word', () => {
      expect(paths('lakr view', 'AU')).toEqual([
        'AU/lake-view',
        // More postal codes than the one that lies in View.
        'AU/viewville/lake',
        'AU/view/lake',
        'AU/lake-viewpoint',
        'AU/old-lake-view',
      ]);
    });

    test('for one reason: by postal codes, then level, then name', () => {
      expect(paths('spring', 'US')[0]).toBe(SPRINGFIELD);
      expect(paths('york', 'US', 5)).toEqual([
        'US/pennsylvania/york',
        'US/new-york/livingston/york',
        'US/pennsylvania/adams/york-springs',
        HEIGHTS,
        'US/new-york',
      ]);
    });

    test('all countries together, or one', () => {
      const [first, ...others] = paths('york', undefined, 3);
      expect([first, others.sort()]).toEqual(['US/pennsylvania/york', [YORK, 'US/new-york/livingston/york']]);
      expect(paths('york', 'GB')).toEqual([YORK, 'GB/england/north-yorkshire']);
    });
  });

  describe('one for many', () => {
    test('of places of one name that lie in each other only the first is shown', () => {
      expect(paths('york', 'US', 25)).toHaveLength(5);
      expect(paths('york springs', 'US')).toEqual(['US/pennsylvania/adams/york-springs']);
      expect(paths('saint charles')).toEqual(['US/missouri/saint-charles']);
    });

    test('a same-name place is found if no other place fits', () => {
      expect(paths('york york pa')).toEqual(['US/pennsylvania/york/york']);
    });

    test('leaves of one name under one parent: the leaf with the lowest code, as important as all together', () => {
      const answer = parseAnswer(autocomplete(snapshot, { query: 'vilnius', country: 'LT', limit: 10 }));
      expect(answer).toMatchObject([{ name: 'Vilnius', postalCode: '01100' }]);
      // 120 postal codes, like the units above it, and so before all others that start so.
      expect(paths('v', undefined, 3).map((path) => path.slice(0, 3))).toEqual(['LT/', 'LT/', 'LT/']);
    });
  });

  describe('bounds', () => {
    const INN = 'sign of the bear and the bees';

    test('of more than 8 words only the last 8 are taken apart', () => {
      expect(paths(`${INN} england`)).toEqual(['GB/england/north-yorkshire/sign-of-the-bear-and-the-bees']);
      expect(paths(`${INN} england uk`)).toEqual(['GB/england/north-yorkshire/sign-of-the-bear-and-the-bees']);
      expect(paths(`${INN} ${'llanfair '.repeat(8)}`)).not.toContain(
        'GB/england/north-yorkshire/sign-of-the-bear-and-the-bees',
      );
      expect(paths('llanfair '.repeat(20))).toHaveLength(1);
    });

    test('more than 4 words are not a context, and behind a mistyped name more than 2', () => {
      expect(paths('york north yorkshire england uk')).toEqual([YORK]);
      expect(paths('york north yorkshire england united kingdom')).toEqual([YORK]);
      expect(paths('springfeild sangamon il')).toEqual([SPRINGFIELD]);
      expect(paths('springfeild sangamon il us')).toEqual(['US/illinois/sangamon']);
    });

    test('a text of hundreds of letters is looked for, and found nowhere', () => {
      for (let length = 250; length <= 262; length++) {
        expect([length, paths('springfield'.padEnd(length, 'x'))]).toEqual([length, []]);
      }
    });

    test('as many results as asked for, from 1 to 25', () => {
      expect(paths('caserio', 'PE', 25)).toHaveLength(25);
      expect(paths('caserio', 'PE', 1)).toEqual(['PE/puno/sandia/caserio-000']);
    });
  });

  /** A number as letters, since a number may be a postal code. */
  const lettersOf = (number: number): string =>
    [...String(number)].map((digit) => String.fromCharCode(97 + Number(digit))).join('');

  test('entries are looked through where they are few enough', async () => {
    const rowsOf = (count: number): FixtureRow[] =>
      Array.from({ length: count }, (_, index) => ['1', `Alba a${lettersOf(index + 10_000)}`, 'West', '', '', 0, 0]);
    const rows = { AD: rowsOf(1024), LI: rowsOf(1025), MC: rowsOf(4096), SM: rowsOf(4097) };
    const many = await buildFixtureSnapshot(rows);
    try {
      const opened = openSnapshot(many.path);
      const counts = (query: string): number[] =>
        Object.keys(rows).map((country) => suggestedPaths(opened, query, country).length);
      // Of too many, startWithin looks at the best, and anyOrder at none.
      expect(counts('al west')).toEqual([10, 10, 10, 10]);
      expect(counts('a al')).toEqual([10, 0, 0, 0]);
      expect(counts('alba xxabaaca')).toEqual([1, 1, 1, 0]);
      expect(counts('alba a')).toEqual([10, 10, 10, 10]);
      expect(counts('alba abaaca west')).toEqual([1, 1, 1, 1]);
      expect(counts('alba xabaaca west')).toEqual([1, 1, 1, 1]);
    } finally {
      many.cleanup();
    }
  });
});

/**
 * That no query does more work than its budget, whatever is typed: over a release in which many places share few names,
 * each place in a unit of its own, so that much fits and little is known already. Work is counted here without the
 * budget's help, as reads of the arrays that a search looks into.
 */
describe('work', () => {
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
    findSuggestions(counted.snapshot, query, { countries: [counted.snapshot.countryByCode.get('CZ') as Country] }, 25);
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
      const places = findSuggestions(
        snapshot,
        'nova kraj',
        { countries: [snapshot.countryByCode.get('CZ') as Country] },
        25,
        work,
      ).places.map(({ place }) => place);
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
});
