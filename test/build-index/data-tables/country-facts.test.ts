/** The project's table of countries, completed by a release's countryInfo.txt. */

import { expect, test } from '@jest/globals';
import { type CountryFacts, loadCountryFacts } from '../../../build-index/data-tables/country-facts.js';

/** A line of countryInfo.txt with some columns filled in. */
function info(columns: Readonly<Record<number, string>>): string {
  return Array.from({ length: 19 }, (_, index) => columns[index] ?? '').join('\t');
}

function factsOf(code: string, countryInfo: string | null): CountryFacts | undefined {
  return loadCountryFacts(countryInfo).find((facts) => facts.code === code);
}

const table = loadCountryFacts(null);

test('without countryInfo.txt: every country, ascending', () => {
  expect(table).toHaveLength(250);
  const codes = table.map(({ code }) => code);
  expect(codes).toEqual([...new Set(codes)].sort());
  expect(codes).toContain('XK');
  expect(new Set(table.map(({ slug }) => slug)).size).toBe(250);
});

test('countryInfo.txt comes first where it has something', () => {
  const line = info({ 0: 'DE', 1: 'DEU', 4: 'Deutschland & Co.', 7: '84482001', 8: 'AF', 10: 'DEM', 13: 'D-#####' });
  const before = factsOf('DE', null) as CountryFacts;
  expect(factsOf('DE', `# a comment\r\n\r\n${line}\r\n`)).toEqual({
    ...before,
    name: 'Deutschland & Co.',
    slug: 'deutschland-co',
    population: 84_482_001,
    region: 'AF',
    currencyCode: 'DEM',
    postalCodeFormats: ['D-#####', '#####'],
  });
});

test('empty and malformed columns leave the table as it is', () => {
  const line = info({ 0: 'DE', 1: 'Deu', 4: '', 7: '0', 8: 'Europe', 10: 'euro', 13: '' });
  expect(factsOf('DE', line)).toEqual(factsOf('DE', null));
  for (const population of ['-1', '1e9', '4294967296', '99999999999', '1,000']) {
    expect(factsOf('DE', info({ 0: 'DE', 7: population, 18: '-' }))).toEqual(factsOf('DE', null));
  }
});

test('a line of some other country, or cut short, changes nothing', () => {
  const other = info({ 0: 'ZZ', 4: 'Nowhere' });
  expect(loadCountryFacts(other)).toEqual(table);
  expect(loadCountryFacts(`${other}\nDE`)).toEqual(table);
  expect(loadCountryFacts('')).toEqual(table);
});

test('a file of something else is refused', () => {
  expect(() => loadCountryFacts('PK\u0003\u0004 not a table')).toThrow('countryInfo.txt');
});

test('withdrawn codes are not countries, even if countryInfo.txt has them', () => {
  const lines = ['CS', 'AN'].map((code) => info({ 0: code, 1: 'SCG', 4: 'Serbia and Montenegro', 8: 'EU', 10: 'RSD' }));
  const codes = loadCountryFacts(lines.join('\n')).map(({ code }) => code);
  expect(codes).not.toContain('CS');
  expect(codes).not.toContain('AN');
  expect(codes).toHaveLength(250);
});
