/** Which form of postal codes a country is said to have. */

import { expect, test } from '@jest/globals';
import { choosePostalCodeFormat } from '../../../build-index/data-tables/postal-code-format.js';

test.each([
  ['a format that all codes fit', ['AD###'], ['AD100', 'AD500'], 'AD###'],
  ['one of its forms', ['#####|#####-####'], ['02138', '99553'], '#####|#####-####'],
  ['the first that fits', ['#####-####', '#####|#####-####'], ['02138'], '#####|#####-####'],
  ['the form that the codes have', ['LT-#####'], ['62001', '01100'], '#####'],
  ['likewise, with letters that all have', ['####'], ['LV-5101', 'LV-1010'], 'LV-####'],
  ['likewise, with letters that differ', [], ['DV 01', 'HM 12'], '@@ ##'],
  ['likewise, of a single code', [], ['6799'], '####'],
  ['of codes in part, the whole format', ['@# #@@|@@#@ #@@'], ['M1', 'SW1A'], '@# #@@|@@#@ #@@'],
  ['not where some are whole', ['@#@ #@#'], ['T0A', 'T3T 0E5'], '@#@ #@#'],
  ['of several forms, one that some have', ['#####'], ['75001', '75380 CEDEX 08'], '#####'],
  ['of several forms, none that nobody has', ['####'], ['75001', '75380 CEDEX 08'], null],
  ['without codes, the first format', ['####', '#####'], [], '####'],
  ['without anything', [], [], null],
])('%s', (_, formats, codes, expected) => expect(choosePostalCodeFormat(formats, codes)).toBe(expected));

test('signs of a format in a code stand for themselves', () => {
  expect(choosePostalCodeFormat(['#@'], ['1A', '2B'])).toBe('#@');
  expect(choosePostalCodeFormat([], ['A.1', 'A.2'])).toBe('A.#');
  expect(choosePostalCodeFormat(['A#1'], ['AB1'])).toBe('AB#');
});
