/** The words of the web component: complete and alike in all languages, and within their share of its size. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { minifySync, transformSync } from '@swc/core';
import { format, formatCount, messagesOf } from '../../clients/web/src/messages.js';
import { LANGUAGES, WORDS } from '../../clients/web/src/words.js';
import { packageRoot } from '../../src/platform/package-root.js';

/** Maximum size of data and words in bytes: a third of the 15 kB that the whole component may have. */
const MAX_GZIP_BYTES = 4900;

test.each(Object.entries(WORDS))('%s is in all languages, with the same placeholders', (_, inEachLanguage) => {
  expect(inEachLanguage).toHaveLength(LANGUAGES.length);
  const rules = inEachLanguage.map((message) => (typeof message === 'string' ? ['text'] : Object.keys(message)));
  const texts = inEachLanguage.map((message) => (typeof message === 'string' ? [message] : Object.values(message)));
  const placeholders = texts.map((forms) => forms.flatMap((text) => text.match(/\{\w+\}/g) ?? []).sort());
  for (const at of LANGUAGES.keys()) {
    expect(rules[at]).toEqual(rules[0]);
    expect(placeholders[at]).toEqual(placeholders[0]);
    for (const text of texts[at] ?? []) expect(text.trim()).toBe(text);
    for (const text of texts[at] ?? []) expect(text).not.toMatch(/^$|[<>&]/);
  }
});

test('a language is found by its first part, and English stands in', () => {
  expect(['de', 'de-AT', 'DE_ch', 'fr-CA', 'es-419', 'en-GB'].map((tag) => messagesOf(tag).language)).toEqual([
    'de',
    'de',
    'de',
    'fr',
    'es',
    'en',
  ]);
  expect(['', 'pl', 'x', 'des'].map((tag) => messagesOf(tag).language)).toEqual(['en', 'en', 'en', 'en']);
  expect(messagesOf('de').city).toBe('Ort');
});

test('values are put in as they are, and nothing else', () => {
  expect(format('{a} and {b}, {a}', { a: '$& <b>', b: 2 })).toBe('$& <b> and 2, $& <b>');
  expect(format('{a} {toString} {constructor}', { a: '{b}', b: 1 })).toBe('{b} {toString} {constructor}');
});

test('a number has the form of the language', () => {
  const { resultCount, language } = messagesOf('fr');
  expect([0, 1, 2].map((count) => formatCount(resultCount, count, language))).toEqual([
    '0 résultat',
    '1 résultat',
    '2 résultats',
  ]);
  const polish = { one: '{count} wynik', few: '{count} wyniki', other: '{count} wyników' };
  expect([1, 2, 5].map((count) => formatCount(polish, count, 'pl'))).toEqual(['1 wynik', '2 wyniki', '5 wyników']);
  expect(formatCount(polish, 1, 'not a language')).toBe('1 wyników');
});

test('data and words stay within their share of the component', () => {
  const folder = join(packageRoot(), 'clients/web/src');
  const sources = ['address-formats.ts', 'address-format.ts', 'words.ts', 'messages.ts'].map((name) =>
    readFileSync(join(folder, name), 'utf8').replace(/^import .*\n/gm, ''),
  );
  const { code } = transformSync(sources.join('\n'), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
  });
  const minified = minifySync(code, { module: true, compress: true, mangle: true }).code;
  expect(gzipSync(minified, { level: 9 }).length).toBeLessThan(MAX_GZIP_BYTES);
});
