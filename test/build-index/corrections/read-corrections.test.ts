/** Files of corrections → corrections: what is taken, and a typed error with file and line for all else. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CORRECTION_COLUMNS, type Correction } from '../../../build-index/corrections/correction.js';
import { CorrectionError } from '../../../build-index/corrections/correction-error.js';
import { checkCorrectionCountries, readCorrections } from '../../../build-index/corrections/read-corrections.js';
import { type CorrectionFields, csvOf } from '../../fixtures/corrections.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../fixtures/fixture-snapshot.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder.remove());

function write(name: string, content: string | Buffer): string {
  const path = join(folder.path, name);
  writeFileSync(path, content);
  return path;
}

function read(...contents: (string | Buffer)[]): ReadonlyMap<string, readonly Correction[]> {
  const paths = contents.map((content, index) => write(`${index}.csv`, content));
  return readCorrections(paths, new Set(['AT', 'DE', 'XK']));
}

/** The error of reading, with the folder left out. */
function errorOf(...contents: (string | Buffer)[]): { where: string; expected: string; found: string } {
  try {
    read(...contents);
  } catch (error) {
    if (!(error instanceof CorrectionError)) throw error;
    const { where, expected, found, message } = error;
    expect(message).toBe(`${where}: expected ${expected}, found ${found}`);
    const shortened = (text: string): string => text.replaceAll(`${folder.path}/`, '');
    return { where: shortened(where), expected, found: shortened(found) };
  }
  throw new Error('read without an error');
}

const HEADER = `${CORRECTION_COLUMNS.join(',')}\n`;
const rename = { action: 'rename', country: 'DE', code: '80331', name: 'München', newName: 'Munich' };
const add = { action: 'add', country: 'DE', code: '1', name: 'Neu', latitude: 48, longitude: 11 };

test('each action, in the form that a release would give', () => {
  const corrections = read(
    csvOf([
      {
        ...rename,
        country: ' de ',
        code: ' 80  331 ',
        name: 'Alt\u00a0 stadt',
        newName: ' Old\ttown ',
        admin2: 'Ober ',
      },
      { ...add, country: 'AT', latitude: '-0', longitude: '+180.', admin1: 'Wien', note: 'seen by the postman' },
      { action: 'recode', country: 'AT', code: 'a1', name: 'Wien', newCode: 'a2', latitude: 48.2, longitude: 16.3 },
      { action: 'remove', country: 'AT', code: '1010', name: 'Wien' },
      { action: 'move', country: 'AT', code: '1020', name: 'Wien', latitude: 48, longitude: 16 },
    ]),
  );
  const none = { adminNames: ['', '', ''], position: null, newCode: null, newName: null, newPosition: null };
  expect(corrections.get('DE')).toEqual([
    {
      ...none,
      ...{ action: 'rename', where: join(folder.path, '0.csv:2'), countryCode: 'DE', postalCode: '80 331' },
      ...{ placeName: 'Alt stadt', newName: 'Old town', adminNames: ['', 'Ober', ''] },
    },
  ]);
  expect(new Set(corrections.get('AT'))).toEqual(
    new Set([
      expect.objectContaining({ ...none, action: 'remove' }),
      expect.objectContaining({ ...none, action: 'move', newPosition: { latitude: 48, longitude: 16 } }),
      expect.objectContaining({
        ...none,
        ...{ action: 'add', adminNames: ['Wien', '', ''], newPosition: { latitude: 0, longitude: 180 } },
      }),
      expect.objectContaining({
        ...none,
        ...{ action: 'recode', postalCode: 'A1', newCode: 'A2', position: { latitude: 48.2, longitude: 16.3 } },
      }),
    ]),
  );
});

test.each([
  ['no corrections', HEADER, 0],
  ['a byte order mark, Windows line ends, blank lines', `\ufeffaction,country,code,name\r\n\r\nremove,DE,1,A\r\n`, 1],
  ['line ends of several kinds', 'action,country,code,name\r\nremove,DE,1,A\nremove,DE,2,A\r\nremove,DE,3,A', 3],
  ['columns in another order', 'name,code,country,action\nA,1,DE,remove\n', 1],
  ['quotes and commas', 'action,country,code,name\nremove,DE,1, "A ""b"", c"\n', 1],
  ['a country that only GeoNames has', 'action,country,code,name\nremove,XK,1,A\n', 1],
])('taken: %s', (_, text, count) => {
  expect([...read(text).values()].flat()).toHaveLength(count);
});

describe('refused', () => {
  const line = (fields: CorrectionFields): string => csvOf([rename, { ...add, ...fields }]);
  const small = (text: string): string => `action,country,code,name\n${text}`;

  test.each<[string, string | Buffer, number, RegExp, RegExp]>([
    ['an empty file', '', 1, /^a header with columns among action,country,/, /^an empty file$/],
    ['an unknown column', 'action,country,code,name,place\n', 1, /^a header with/, /^"place"$/],
    ['semicolons', 'action;country;code;name\n', 1, /^a header with/, /^"action;country;code;name"$/],
    ['a column twice', 'action,country,code,name,code\n', 1, /^each column once$/, /^"code"$/],
    ['a missing column', 'action,country,name\n', 1, /^the column code$/, /^"action,country,name"$/],
    ['a missing field', small('remove,DE,1,A\n\nremove,DE,2\n'), 4, /^4 columns, as in the header$/, /^3$/],
    ['a field too many', small('remove,DE,1,A,\n'), 2, /^4 columns/, /^5$/],
    ['an unknown action', line({ action: 'delete' }), 3, /^an action: add, remove, rename, move, /, /^"delete"$/],
    ['an action in capitals', line({ action: 'Add' }), 3, /^an action/, /^"Add"$/],
    ['no country', line({ country: '' }), 3, /^a country code of ISO 3166-1$/, /^""$/],
    ['a country of no table', line({ country: 'UK' }), 3, /^a country code/, /^"UK"$/],
    ['no code', line({ code: ' ' }), 3, /^code: a postal code of at most 20 char/, /^""$/],
    ['a long code', line({ code: 'x'.repeat(21) }), 3, /^code: /, /^"x{21}"$/],
    ['no name', line({ name: '' }), 3, /^name: a name of at most 200 char/, /^""$/],
    ['a long name', line({ name: 'y'.repeat(201) }), 3, /^name: /, /^"y{80}…"$/],
    ['a long unit', line({ admin3: 'y'.repeat(201) }), 3, /^admin3: /, /^"y{80}…"$/],
    ['no coordinates', line({ latitude: '', longitude: '' }), 3, /^latitude: decimal degrees from -90/, /^""$/],
    ['one coordinate', line({ longitude: '' }), 3, /^longitude: decimal degrees from -180/, /^""$/],
    ['one coordinate where none is needed', line({ action: 'remove', latitude: '' }), 3, /^latitude: /, /^""$/],
    ['a latitude over 90', line({ latitude: '90.001' }), 3, /^latitude: /, /^"90.001"$/],
    ['a decimal comma', line({ longitude: '11,5' }), 3, /^longitude: /, /^"11,5"$/],
    ['an exponent', line({ longitude: '1e1' }), 3, /^longitude: /, /^"1e1"$/],
    ['a new name of a move', line({ action: 'move', newName: 'X' }), 3, /^no newName, which move does /, /^"X"$/],
    ['a new code of an addition', line({ newCode: '2' }), 3, /^no newCode, which add does not have$/, /^"2"$/],
    ['a rename without a name', line({ action: 'rename' }), 3, /^newName: a name/, /^""$/],
    ['a rename to the same name', line({ action: 'rename', newName: ' Neu' }), 3, /^a newName that differs/, /Neu/],
    ['a recode without a code', line({ action: 'recode' }), 3, /^newCode: /, /^""$/],
    ['a recode to the same code', line({ action: 'recode', newCode: ' 1' }), 3, /^a newCode that differs/, /1/],
    ['lost letters', line({ name: 'M\ufffdnchen' }), 3, /U\+FFFD/, /^"M\ufffdnchen"$/],
    ['no UTF-8', Buffer.from(small('remove,DE,1,A\nremove,DE,1,\xc4\n'), 'latin1'), 3, /^text in UTF-8$/, /remove/],
    ['UTF-16', Buffer.from(`\ufeff${HEADER}`, 'utf16le'), 1, /^text in UTF-8$/, /a/],
    ['a long line', line({ note: 'z'.repeat(10_000) }), 3, /^a line of at most 10000 bytes$/, /^a longer one$/],
    ['an open quote', small('remove,DE,1,"A\n'), 2, /^CSV/, /^Quote Not Closed/],
    ['a stray quote', small('remove,DE,1,A"b\n'), 2, /^CSV/, /^Invalid Opening Quote/],
    ['a field of two lines', small('remove,DE,1,A\nremove,DE,1,"A\nb"\n'), 3, /^a field on one line$/, /^"A\\u000ab"$/],
    ['escape sequences', line({ action: '\u001b[2J' }), 3, /^an action/, /^"\\u001b\[2J"$/],
  ])('%s', (_, content, lineNumber, expected, found) => {
    const error = errorOf(content);
    expect(error).toEqual({
      where: `0.csv:${lineNumber}`,
      expected: expect.stringMatching(expected),
      found: expect.stringMatching(found),
    });
  });

  test.each<[string, CorrectionFields, CorrectionFields, RegExp, RegExp]>([
    ['a line twice', rename, { ...rename, note: 'again' }, /^one rename of a row$/, /^the same .* in 0\.csv:2$/],
    ['twice in other letters', { ...rename, name: ' München' }, rename, /^one rename/, /^the same correction in/],
    ['two names', rename, { ...rename, newName: 'Minga' }, /^one rename/, /^rename beside rename .* 0\.csv:2$/],
    [
      'two positions of a row to add',
      add,
      { ...add, latitude: 47 },
      /^one add of a row$/,
      /^add beside add of that row/,
    ],
    [
      'removed and renamed',
      rename,
      { ...rename, action: 'remove', newName: '' },
      /^one correction/,
      /^remove beside rename/,
    ],
  ])('%s, in one file and in two', (_, one, other, expected, found) => {
    const error = { expected: expect.stringMatching(expected), found: expect.stringMatching(found) };
    expect(errorOf(csvOf([one, other]))).toEqual({ where: '0.csv:3', ...error });
    expect(errorOf(csvOf([one]), csvOf([other]))).toEqual({ where: '1.csv:2', ...error });
  });

  test('a file that is not there, or is too large to be one', () => {
    expect(() => readCorrections([join(folder.path, 'absent.csv')], new Set())).toThrow(/ENOENT/);
    expect(errorOf(Buffer.alloc(64_000_001, 'a'))).toMatchObject({ where: '0.csv:1', found: '64000001' });
  });

  test('a country that is not built', () => {
    const corrections = read(csvOf([rename]));
    expect(() => checkCorrectionCountries(corrections, ['AT', 'DE'])).not.toThrow();
    expect(() => checkCorrectionCountries(corrections, ['AT'])).toThrow(/0\.csv:2: .*DE$/);
  });
});

test('a row may be renamed, moved and recoded at once; its removal and an addition may share code and name', () => {
  const row = { country: 'DE', code: '1', name: 'A' };
  const corrections = [
    { ...row, action: 'rename', newName: 'B' },
    { ...row, action: 'move', latitude: 1, longitude: 1 },
    { ...row, action: 'recode', newCode: '2' },
    { ...row, name: 'C', action: 'remove', admin1: 'X' },
    { ...row, name: 'C', action: 'add', admin1: 'X', latitude: 1, longitude: 1 },
  ];
  expect(read(csvOf(corrections)).get('DE')).toHaveLength(corrections.length);
});

test('the order of files and lines changes nothing but where a correction stands', () => {
  const corrections = [rename, add, { ...add, admin1: 'X' }, { ...rename, code: '80333', newName: 'Minga' }];
  const inOrder = (...contents: string[]) =>
    read(...contents)
      .get('DE')
      ?.map(({ where: _, ...rest }) => rest);
  const expected = inOrder(csvOf(corrections));
  expect(expected).toHaveLength(corrections.length);
  expect(inOrder(csvOf(corrections.toReversed()))).toEqual(expected);
  expect(inOrder(csvOf(corrections.slice(2)), csvOf(corrections.slice(0, 2)))).toEqual(expected);
});
