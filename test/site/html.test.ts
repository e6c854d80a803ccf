/** Markup: every value is escaped, and nothing but markup of ours passes as it is; and names and numbers as people read them. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inSentence } from '../../src/site/html/country-in-sentence.js';
import { formatKm, formatNumber } from '../../src/site/html/formats.js';
import { html, joinHtml } from '../../src/site/html/html.js';
import { jsonLd } from '../../src/site/html/json-ld.js';
import { languageOf } from '../../src/site/html/name-language.js';
import { decodeEntities } from './site-scene.js';

describe('html', () => {
  test('text is escaped, markup is not, and nothing stands for what is missing', () => {
    const hostile = `<b class="x" id='y'>&amp;`;
    expect(html`<p title="${hostile}">${html`<i>${1}</i>`}${undefined}${false}${[hostile, html`!`]}</p>`.text).toBe(
      '<p title="&lt;b class=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;"><i>1</i>&lt;b class=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;!</p>',
    );
    expect(html`${joinHtml(['a', 'b', 'c'], ', ')}`.text).toBe('a, b, c');
  });

  test('whatever the text, it comes back whole and ends no element and no attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const rendered = html`${text}`.text;
        expect(rendered).not.toMatch(/[<>"']/);
        expect(decodeEntities(rendered)).toBe(text);
      }),
      { seed: 11 },
    );
  });
});

test('linked data can not end its block', () => {
  const block = jsonLd({ name: '</script><script>alert(1)</script>' }).text;
  expect(block.match(/<\/script>/g)).toHaveLength(1);
  expect(JSON.parse(block.replace(/^<[^>]*>|<\/script>$/g, ''))).toEqual({
    '@context': 'https://schema.org',
    name: '</script><script>alert(1)</script>',
  });
});

test.each([
  ['추자면', 'KR', 'ko'],
  ['თბილისი', 'GE', 'ka'],
  ['Seoul', 'KR', undefined],
  ['ירושלים', 'IL', 'he'],
  ['Київ', 'DE', undefined],
])('the language of %s in %s', (name, country, language) => {
  expect(languageOf(name, country)).toBe(language);
});

test.each([
  ['United States', 'the United States'],
  ['Åland Islands', 'the Åland Islands'],
  ['Republic of the Congo', 'the Republic of the Congo'],
  ['The Netherlands', 'The Netherlands'],
  ['South Georgia and the South Sandwich Islands', 'South Georgia and the South Sandwich Islands'],
  ['Liechtenstein', 'Liechtenstein'],
])('%s is %s in a sentence', (name, text) => {
  expect(inSentence(name)).toBe(text);
});

test('numbers as people read them', () => {
  expect([0, 999, 1000, 1201340].map(formatNumber)).toEqual(['0', '999', '1,000', '1,201,340']);
  expect([0, 0.049, 0.05, 9.94, 9.95, 79.6].map(formatKm)).toEqual([
    'here',
    'here',
    '0.1 km',
    '9.9 km',
    '10 km',
    '80 km',
  ]);
});
