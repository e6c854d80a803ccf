/** Names of two spellings with a slash between them, and slashes that separate nothing. */

import { expect, test } from '@jest/globals';
import { splitBilingualName } from '../../../build-index/naming/bilingual-names.js';

test.each([
  ['Айтос / Ajtos', 'Ajtos', 'Айтос'],
  ['Ajtos / Айтос', 'Ajtos', 'Айтос'],
  ['Айтос/Ajtos', 'Ajtos', 'Айтос'],
  ['თბილისი / Tbilisi', 'Tbilisi', 'თბილისი'],
  ['서울 / Seoul', 'Seoul', '서울'],
  ['Νέα Σμύρνη (2) / Nea Smyrni (2)', 'Nea Smyrni (2)', 'Νέα Σμύρνη (2)'],
  ['Б/А / B/A', 'B/A', 'Б/А'],
])('%s is two spellings', (text, name, localName) => expect(splitBilingualName(text)).toEqual({ name, localName }));

const OF_ONE = ['Nienburg/Weser', 'Martanesh/Kraste', 'Айтос / Бургас', 'Айтос', 'Αθήνα 1/2', 'Ajtos Айтос / Burgas'];

test.each([...OF_ONE, '/', 'Айтос /', '/ Ajtos', '1 / 2', ''])('%j is one', (text) => {
  expect(splitBilingualName(text)).toEqual({ name: text, localName: text });
});
