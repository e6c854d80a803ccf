/** Lines of the table of alternate names, and each way in which a line can be bad. */

import { expect, test } from '@jest/globals';
import {
  type ALTERNATE_NAME_PROBLEM_KINDS,
  geonameIdOfAlternateName,
  parseAlternateName,
} from '../../../build-index/gazetteer/alternate-name-row.js';
import { alternateNameLineOf, UNMARKED } from '../../fixtures/gazetteer.js';

const A_LINK = 'left out: no name, but a link or a code';

test.each([
  { name: 'Ульм', language: 'ru', ...UNMARKED },
  { name: 'Ulma', language: '', ...UNMARKED, isHistoric: true },
  { name: '乌尔姆', language: 'zh-Hant', ...UNMARKED, isPreferred: true },
  { name: 'NYC', language: 'abbr', ...UNMARKED, isShort: true, isColloquial: true },
  { name: 'Wūěrmǔ', language: 'piny', ...UNMARKED },
])('$name', (name) => {
  expect(parseAlternateName(alternateNameLineOf(7, name))).toEqual(name);
  // Before 2018 the table lacked the last two columns.
  expect(parseAlternateName(alternateNameLineOf(7, name).split('\t').slice(0, 8).join('\t'))).toEqual(name);
});

test.each<[(typeof ALTERNATE_NAME_PROBLEM_KINDS)[number], string]>([
  [A_LINK, '1\t7\tlink\thttps://de.wikipedia.org/wiki/Ulm\t\t\t\t\t\t'],
  [A_LINK, '1\t7\twkdt\tQ3012\t\t\t\t\t\t'],
  [A_LINK, '1\t7\tpost\t89073\t\t\t\t\t\t'],
  [A_LINK, '1\t7\tiata\tULM\t\t\t\t\t\t'],
  [A_LINK, '1\t7\tfr_1793\tUlm\t\t\t\t\t\t'],
  ['rejected: neither 10 nor 8 columns', '1\t7\tde\tUlm'],
  ['rejected: not valid UTF-8', '1\t7\tde\t\ufffd\t\t\t\t\t\t'],
  ['rejected: line longer than 10,000 characters', `1\t7\tde\t${'x'.repeat(10_000)}\t\t\t\t\t\t`],
  ['rejected: language unknown', '1\t7\tD3\tUlm\t\t\t\t\t\t'],
  ['rejected: no name, or one over 200 characters', '1\t7\tde\t\t\t\t\t\t\t'],
  ['rejected: a mark that is neither 1 nor empty', '1\t7\tde\tUlm\tyes\t\t\t\t\t'],
])('%s', (kind, line) => expect(parseAlternateName(line)).toBe(kind));

test.each([
  ['1\t7\tde\tUlm', 7],
  ['1\t4294967296\t', 4294967296],
  ['1\t7', -1],
  ['1\t\tde', -1],
  ['1\t7x\tde', -1],
  ['1\t12345678901\tde', -1],
  ['', -1],
])('of %j belongs to %d', (line, id) => expect(geonameIdOfAlternateName(Buffer.from(line))).toBe(id));
