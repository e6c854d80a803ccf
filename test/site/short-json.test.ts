/** JSON for a reader: what is shortened, and what is not. */

import { expect, test } from '@jest/globals';
import { shortJson, wholeJson } from '../../src/site/docs/reference.js';

const place = { name: 'Vaduz', postalCode: '9490', url: 'https://site.test/liechtenstein/vaduz', isHere: true };

test('what fits on a line stands on one', () => {
  expect(shortJson({ level: 1, count: 16 })).toBe('{ "level": 1, "count": 16 }');
  expect(shortJson([])).toBe('[]');
  expect(shortJson({})).toBe('{}');
  expect(shortJson(null)).toBe('null');
  expect(JSON.parse(shortJson(place))).toEqual(place);
  expect(shortJson(place).split('\n')).toHaveLength(6);
});

test('a list shows two elements, a list in it one, and how many more there are', () => {
  const lines = shortJson([place, { ...place, ancestors: [place, place, place] }, place, place]).split('\n');
  expect(lines.filter((line) => line.includes('"Vaduz"'))).toHaveLength(3);
  expect(lines.at(-2)).toBe('  … 2 more');
  expect(lines).toContain('      … 2 more');
  expect(shortJson([place, place])).not.toContain('…');
});

test('the outermost list of an object shows two elements', () => {
  expect(shortJson({ items: [place, place, place] })).toContain('    … 1 more');
});

test('numbers and texts are shown up to six', () => {
  expect(shortJson([1, 2, 3, 4])).toBe('[1, 2, 3, 4]');
  expect(shortJson(Array.from({ length: 1_010 }, (_, at) => at))).toBe('[0, 1, 2, 3, 4, 5, … 1,004 more]');
});

test('a long text is cut between characters', () => {
  expect(shortJson('x'.repeat(160))).toBe(`"${'x'.repeat(160)}"`);
  expect(shortJson('🗺'.repeat(200))).toBe(`"${'🗺'.repeat(160)}…"`);
});

test('a whole value has all of it, in the same lines', () => {
  const value = { items: [place, place, place], text: 'x'.repeat(200), numbers: [1, 2, 3, 4, 5, 6, 7, 8], none: null };
  expect(JSON.parse(wholeJson(value))).toEqual(value);
  expect(
    wholeJson([
      { country: 'DE', postcode: '10115' },
      { lat: 52.53, lng: 13.38, country: 'DE' },
    ]).split('\n'),
  ).toEqual([
    '[',
    '  { "country": "DE", "postcode": "10115" },',
    '  { "lat": 52.53, "lng": 13.38, "country": "DE" }',
    ']',
  ]);
  expect(wholeJson([true, null], (plain) => `<${plain}>`)).toBe('[<true>, <null>]');
});
