/** Code in colours: which parts have a class, and that text stays text. */

import { expect, test } from '@jest/globals';
import { codeBlock, highlight } from '../../src/site/html/code-block.js';
import { decodeEntities } from './site-scene.js';

test.each([
  ['json', '{"a": [1.5, null, "b"], … 2 more}', 'attr "a", number 1.5, keyword null, string "b", number 2'],
  ['curl', 'curl -H \'x: y\' "$URL" # all', "string 'x: y', variable $URL, comment # all"],
  ['JavaScript', "const a = f({ b: 'c' });", "keyword const, title f, attr b, string 'c'"],
  ['Python', 'import x  # y', 'keyword import, comment # y'],
  ['html', '<p id="a">b</p>', 'name p, attr id, string "a", name p'],
  ['csv', 'a,1', ''],
  ['', 'null', ''],
])('%s: %s', (language, code, expected) => {
  const { text } = highlight(code, language);
  const parts = [...text.matchAll(/<span class="hl-(\w+)[^"]*">([^<]*)<\/span>/g)];
  expect(parts.map(([, name, part = '']) => `${name} ${decodeEntities(part)}`).join(', ')).toBe(expected);
  expect(decodeEntities(text.replaceAll(/<[^>]*>/g, ''))).toBe(code);
});

test.each(['json', 'html', 'sh', 'csv'])('markup in %s is shown', (language) => {
  const hostile = '</code><script>alert("1")</script><!-- `$x` \' & &lt;';
  const { text } = codeBlock(hostile, language);
  expect(text).not.toMatch(/<(?!\/?(?:pre|code|span)[ >])/);
  expect(decodeEntities(text.replaceAll(/<[^>]*>/g, ''))).toBe(hostile);
});
