/** Lines of a table of cities, and each way in which a line can be bad. */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CITY_PROBLEM_KINDS, parseCityRow } from '../../../build-index/gazetteer/city-row.js';
import { anyCharacter } from '../../fixtures/any-character.js';
import { cityLineOf, cityOf } from '../../fixtures/gazetteer.js';

const ulm = cityOf('DE', 'Ulm', 48.4, 10, {
  ...{ geonameId: 7, asciiName: 'Ulm', otherNames: ['Ульм', 'Ulma'], featureCode: 'PPLA3' },
  ...{ adminCodes: ['01', '084'] as const, population: 120_000 },
});
const columns = cityLineOf(ulm).split('\t');

/** The line of Ulm with some columns replaced. */
function lineWith(replaced: Readonly<Record<number, string>>): string {
  return columns.map((column, index) => replaced[index] ?? column).join('\t');
}

test('a good line', () => {
  const { alternateNames, isLargestOfName: _, ...city } = ulm;
  expect(parseCityRow(cityLineOf(ulm))).toEqual(city);
  expect(alternateNames).toEqual([]);
});

test.each(['', 'europe/berlin', 'Europe/Berlin"', `Europe/${'x'.repeat(30)}`, '/Berlin', 'Europe//Berlin'])(
  'a time zone that is no name of one is left out: %s',
  (timezone) => expect(parseCityRow(lineWith({ 17: timezone }))).toMatchObject({ name: 'Ulm', timezone: '' }),
);

test.each(['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'America/Port-au-Prince', 'Etc/GMT+8', 'UTC'])(
  'a time zone: %s',
  (timezone) => expect(parseCityRow(lineWith({ 17: timezone }))).toMatchObject({ timezone }),
);

test('names without what can’t be seen; without an ASCII name the main one', () => {
  const line = lineWith({ 1: ' Neu-\u00a0 Ulm ', 2: '', 3: 'Ulma,, \u0007 ,Ульм ' });
  const names = { name: 'Neu- Ulm', asciiName: 'Neu- Ulm', otherNames: ['Ulma', 'Ульм'] };
  expect(parseCityRow(line)).toMatchObject(names);
});

test('of China is called by its name alone; elsewhere a comma may be part of the name', () => {
  const name = 'Mianzhu, Deyang, Sichuan';
  const inChina = parseCityRow(lineWith({ 1: name, 2: name, 8: 'CN' }));
  expect(inChina).toMatchObject({ name: 'Mianzhu', asciiName: 'Mianzhu' });
  expect(parseCityRow(lineWith({ 1: name, 2: name, 8: 'JP' }))).toMatchObject({ name, asciiName: name });
});

test.each<[(typeof CITY_PROBLEM_KINDS)[number], string]>([
  ['left out: no longer inhabited', lineWith({ 7: 'PPLH' })],
  ['left out: no longer inhabited', lineWith({ 7: 'PPLQ' })],
  ['left out: no longer inhabited', lineWith({ 7: 'PPLW' })],
  ['rejected: not 19 columns', columns.slice(1).join('\t')],
  ['rejected: not 19 columns', `${columns.join('\t')}\t`],
  ['rejected: not valid UTF-8', lineWith({ 1: 'M\ufffdnchen' })],
  ['rejected: line longer than 20,000 characters', lineWith({ 3: 'x'.repeat(20_000) })],
  ['rejected: no populated place', lineWith({ 6: 'A' })],
  ['rejected: no populated place', lineWith({ 7: '' })],
  ['rejected: geonameid is no number', lineWith({ 0: '7x' })],
  ['rejected: geonameid is no number', lineWith({ 0: '0' })],
  ['rejected: no country code', lineWith({ 8: 'de' })],
  ['rejected: no name, or one over 200 characters', lineWith({ 1: ' ' })],
  ['rejected: no name, or one over 200 characters', lineWith({ 1: 'y'.repeat(201) })],
  ['rejected: coordinates missing or out of range', lineWith({ 4: '90.1' })],
  ['rejected: coordinates missing or out of range', lineWith({ 5: '' })],
  ['rejected: population is no number', lineWith({ 14: '' })],
  ['rejected: population is no number', lineWith({ 14: '-1' })],
])('%s', (kind, line) => expect(parseCityRow(line)).toBe(kind));

test('no line makes it throw', () => {
  const text = fc.array(fc.string({ unit: anyCharacter }), { maxLength: 20 }).map((parts) => parts.join('\t'));
  fc.assert(
    fc.property(text, (line) => {
      const city = parseCityRow(line);
      return typeof city === 'object' || CITY_PROBLEM_KINDS.includes(city);
    }),
  );
});
