/** Lines → rows: each kind of problem, each repair, and the edges of what is taken. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parsePostalRow, type Row } from '../../../build-index/reading/postal-row.js';
import {
  createRowTally,
  PROBLEM_KINDS,
  type ProblemKind,
  type Tally,
} from '../../../build-index/reading/row-problems.js';
import { lineOf, REJECTED_LINES } from '../../fixtures/hand-made-release.js';

function parse(line: string): { row: Row | undefined; tally: Tally } {
  const tally = createRowTally();
  const row = parsePostalRow(line, { countryCode: 'DE', tally, where: () => 'DE.txt:7' });
  return { row, tally };
}

const good = [
  'DE',
  '80331',
  'München',
  'Bayern',
  'BY',
  'Oberbayern',
  '091',
  'München',
  '09162',
  '48.1345',
  '11.571',
  '4',
];

/** The good line with some columns replaced. */
function lineWith(columns: Readonly<Record<number, string>>): string {
  return good.map((column, index) => columns[index] ?? column).join('\t');
}

test('a good line', () => {
  const { row, tally } = parse(good.join('\t'));
  expect(row).toEqual({
    postalCode: '80331',
    placeName: 'München',
    adminNames: ['Bayern', 'Oberbayern', 'München'],
    adminCodes: ['BY', '091', '09162'],
    latitude: 48.1345,
    longitude: 11.571,
    placedBy: 'release',
  });
  expect(tally).toMatchObject({ rowsRead: 1, rowsRejected: 0, rowsRepaired: 0, problems: {} });
});

test.each([
  ['1', 'estimate'],
  ['4', 'release'],
  ['6', 'release'],
  ['', 'release'],
])('an accuracy of %j: the coordinates are of %s', (accuracy, placedBy) => {
  expect(parse(lineWith({ 11: accuracy })).row?.placedBy).toBe(placedBy);
});

describe('rejected', () => {
  test.each(Object.entries(REJECTED_LINES))('%s', (kind, line) => {
    const { row, tally } = parse(line);
    expect(row).toBeUndefined();
    expect(tally).toMatchObject({ rowsRead: 1, rowsRejected: 1, rowsRepaired: 0 });
    expect(tally.problems).toEqual({
      [`rejected: ${kind}`]: { count: 1, examples: [`DE.txt:7: ${line.slice(0, 120)}`] },
    });
  });

  test('every kind that a row can be rejected for is tried above', () => {
    const kinds = Object.entries(PROBLEM_KINDS).flatMap(([kind, result]) => (result === 'rejected' ? [kind] : []));
    const tried = Object.keys(REJECTED_LINES).map((kind) => `rejected: ${kind}`);
    // Only whoever reads the file knows that its country is none.
    expect([...tried, 'rejected: no country of ISO 3166-1'].sort()).toEqual(kinds.sort());
  });

  test.each([
    ['13 columns', `${good.join('\t')}\t`],
    ['a code of 21 characters', lineWith({ 1: '123456789012345678901' })],
    ['a code of white space', lineWith({ 1: ' \u00a0 ' })],
    ['a lower-case country', lineWith({ 0: 'de' })],
    ['no latitude', lineWith({ 9: '' })],
    ['a latitude in words', lineWith({ 9: 'north' })],
    ['NaN', lineWith({ 9: 'NaN' })],
    ['Infinity', lineWith({ 9: 'Infinity' })],
    ['an exponent', lineWith({ 9: '4e1' })],
    ['hexadecimal', lineWith({ 9: '0x10' })],
    ['a decimal comma', lineWith({ 9: '48,1' })],
    ['white space around', lineWith({ 9: ' 48.1' })],
    ['a longitude over 180', lineWith({ 10: '180.0001' })],
    ['a longitude below -180', lineWith({ 10: '-180.0001' })],
    ['a latitude below -90', lineWith({ 9: '-90.0001' })],
    ['an admin name over 200 characters', lineWith({ 5: 'y'.repeat(201) })],
  ])('%s', (_, line) => {
    const { row, tally } = parse(line);
    expect(row).toBeUndefined();
    expect(tally).toMatchObject({ rowsRead: 1, rowsRejected: 1 });
  });
});

describe('taken at the edge', () => {
  test.each<[string, Readonly<Record<number, string>>, Partial<Row>]>([
    ['the poles and the antimeridian', { 9: '-90', 10: '+180.' }, { latitude: -90, longitude: 180 }],
    ['null island', { 9: '0', 10: '-0.000' }, { latitude: 0, longitude: 0 }],
    ['no digit before the point', { 9: '.5', 10: '-.5' }, { latitude: 0.5, longitude: -0.5 }],
    ['a code of 20 characters', { 1: '12345678901234567890' }, { postalCode: '12345678901234567890' }],
    ['a code of 20 characters beyond U+FFFF', { 1: '𝟏'.repeat(20) }, { postalCode: '𝟏'.repeat(20) }],
    ['a name of 200 characters', { 2: 'y'.repeat(200) }, { placeName: 'y'.repeat(200) }],
    ['no admin units', { 3: '', 5: '', 7: '' }, { adminNames: ['', '', ''] }],
    ['a code with a hyphen', { 1: '59-700' }, { postalCode: '59-700' }],
  ])('%s', (_, columns, expected) => {
    const { row, tally } = parse(lineWith(columns));
    expect(row).toMatchObject(expected);
    expect(tally.rowsRepaired).toBe(0);
  });
});

describe('repaired', () => {
  const NAME: ProblemKind = 'repaired: name taken from the innermost admin unit';
  const SPACE: ProblemKind = 'repaired: white space or control characters in a name';
  const CODE: ProblemKind = 'repaired: postal code brought to normal form';

  test.each<[string, Readonly<Record<number, string>>, ProblemKind[], Partial<Row>]>([
    ['no name', { 2: '' }, [NAME], { placeName: 'München' }],
    ['no name and no third unit', { 2: '', 7: '' }, [NAME], { placeName: 'Oberbayern' }],
    ['a name of white space', { 2: ' \u00a0' }, [NAME, SPACE], { placeName: 'München' }],
    ['double space', { 2: 'Alt  stadt' }, [SPACE], { placeName: 'Alt stadt' }],
    ['space around', { 3: ' Bayern ' }, [SPACE], { adminNames: ['Bayern', 'Oberbayern', 'München'] }],
    ['a no-break space', { 2: 'Bad\u00a0Tölz' }, [SPACE], { placeName: 'Bad Tölz' }],
    ['a byte order mark', { 2: '\ufeffUlm' }, [SPACE], { placeName: 'Ulm' }],
    ['a control character', { 2: 'Ulm\u0000\u001b[2J' }, [SPACE], { placeName: 'Ulm [2J' }],
    ['a line separator', { 2: 'Ulm\u2028Mitte' }, [SPACE], { placeName: 'Ulm Mitte' }],
    ['a lower-case code', { 1: 'sw1a 1aa' }, [CODE], { postalCode: 'SW1A 1AA' }],
    ['a code with spaces', { 1: '  80   331 ' }, [CODE], { postalCode: '80 331' }],
    ['a code with a control character', { 1: '80\u0007331' }, [CODE], { postalCode: '80 331' }],
    ['all at once', { 1: 'a', 2: '', 3: 'B  Y' }, [NAME, SPACE, CODE], { postalCode: 'A', placeName: 'München' }],
  ])('%s', (_, columns, kinds, expected) => {
    const { row, tally } = parse(lineWith(columns));
    expect(row).toMatchObject(expected);
    expect(tally).toMatchObject({ rowsRead: 1, rowsRepaired: 1, rowsRejected: 0 });
    expect(Object.keys(tally.problems).sort()).toEqual([...kinds].sort());
  });
});

test('any columns whatsoever: a row is clean or rejected, and counted', () => {
  const nasty = fc.string({ unit: fc.constantFrom(...'aB \u0000\u001f\u0085\u00a0\u2028\ufeffé서-/'), maxLength: 8 });
  fc.assert(
    fc.property(nasty, nasty, nasty, nasty, nasty, (code, name, admin1, admin2, admin3) => {
      const { row, tally } = parse(lineOf('DE', [code, name, admin1, admin2, admin3, 48, 11]));
      expect(tally.rowsRead).toBe(1);
      expect(tally.rowsRejected).toBe(row === undefined ? 1 : 0);
      if (row === undefined) return;
      const texts = [row.postalCode, row.placeName, ...row.adminNames];
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be gone
      for (const text of texts) expect(text).not.toMatch(/^\s|\s$|\s\s|[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/);
      expect(row.postalCode).not.toBe('');
      expect(row.placeName).not.toBe('');
      const isChanged = texts.join('\t') !== [code, name, admin1, admin2, admin3].join('\t');
      expect(tally.rowsRepaired).toBe(isChanged ? 1 : 0);
    }),
    { seed: 20260330, numRuns: 1000 },
  );
});
