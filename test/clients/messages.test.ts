/** The words of the web component: complete and alike in all languages. */
import { expect, test } from '@jest/globals';
import { format, formatCount, messagesOf } from '../../clients/web/src/messages.js';
import { LANGUAGES, WORDS } from '../../clients/web/src/words.js';

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
