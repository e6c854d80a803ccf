/** Reports for people: the same figures as `--json` has, with words for keys, and units. */

import { expect, test } from '@jest/globals';
import { formatNumberOf, formatShare } from '../../../build-index/reporting/format-figures.js';
import { renderTable, reportAsText } from '../../../build-index/reporting/report-text.js';

const textOf = (report: object): string[] => reportAsText(report).trimEnd().split('\n');

test.each<[string, object, string[]]>([
  [
    'texts and counts',
    { siteUrl: 'https://a.test', places: 1234567 },
    ['site url  https://a.test', 'places    1,234,567'],
  ],
  [
    'lengths and shares',
    { bytes: 999, peakMemoryBytes: 12.3e6, lossPercent: 5 },
    ['size         999 B', 'peak memory  12.3 MB', 'loss         5.00 %'],
  ],
  [
    'nothing, yes and no',
    { sourceDate: null, files: [], copied: true, changed: false },
    ['source date  none', 'files        none', 'copied       yes', 'changed      no'],
  ],
  ['seconds', { seconds: 25.26, shiftedOver1Km: 2 }, ['seconds            25.3', 'shifted over 1 km  2']],
  [
    'figures that belong together',
    { rows: { read: 2, taken: 1 }, old: { date: null } },
    ['rows  read 2, taken 1', 'old   date none'],
  ],
  ['a long list', { files: ['a'.repeat(60), 'b'.repeat(60)] }, ['files', `  ${'a'.repeat(60)}`, `  ${'b'.repeat(60)}`]],
  [
    'a part with a list of its own',
    { gazetteer: { file: 'c.txt', largest: [{ name: 'Ulm', geonameId: 1234 }] } },
    ['gazetteer', '  file  c.txt', '', 'gazetteer: largest', 'name  geoname id', 'Ulm         1234'],
  ],
  [
    'kinds with examples',
    { problems: [{ kind: 'rejected', count: 1200, examples: ['a\tb', 'c'] }] },
    ['rejected (1,200, 2 of them)', '  a | b', '  c'],
  ],
])('%s', (_, report, lines) => expect(textOf(report)).toEqual(lines));

test('a table: figures to the right, without columns that have nothing, then the lists in its rows', () => {
  const kinds = [{ kind: 'merged', count: 1, examples: ['x'] }];
  const rows = [
    { file: 'GB.txt', taken: 1000, merged: 0, previous: null, kinds },
    { file: 'CA.txt', taken: 5, merged: 0, previous: null, kinds: [] },
  ];
  expect(textOf(rows)).toEqual(['file    taken', 'GB.txt  1,000', 'CA.txt      5', '', 'merged (1)', '  x']);
  expect(textOf([])).toEqual(['none']);
});

test('hostile text stays on its line', () => {
  const hostile = 'a\n\u001b[2Jb';
  const printed = '  a\\u000a\\u001b[2Jb';
  expect(
    textOf({ name: hostile, list: [{ name: hostile }], kinds: [{ kind: hostile, count: 1, examples: [hostile] }] }),
  ).toEqual([`name${printed}`, '', 'list', 'name', printed.trim(), '', `${printed.trim()} (1)`, printed]);
});

test('figures', () => {
  expect([0, 1, 1234].map((count) => formatNumberOf(count, 'row'))).toEqual(['0 rows', '1 row', '1,234 rows']);
  const shares = [
    [0, 9],
    [1, 1e6],
    [1, 3],
    [999_999, 1e6],
    [5, 5],
    [0, 0],
  ] as const;
  expect(shares.map(([part, whole]) => formatShare(part, whole))).toEqual([
    '0.00 %',
    '<0.01 %',
    '33.33 %',
    '>99.99 %',
    '100.00 %',
    '0.00 %',
  ]);
  expect(renderTable(['a', 'b'], [['x', '<0.01 %']])).toBe('a        b\nx  <0.01 %');
});
