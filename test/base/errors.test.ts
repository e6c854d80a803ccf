/** Characters that turn the direction of text: a line shows them escaped, and no address of an account has one. */

import { expect, test } from '@jest/globals';
import { escapeCell, escapeUnprintable, STARTS_AS_FORMULA } from '../../src/base/escape-text.js';
import { parseEmailAddress } from '../../src/keys/accounts/email-address.js';
import { clientAddress } from '../../src/server/client-address.js';

const DIRECTION_CONTROLS = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];

test.each(DIRECTION_CONTROLS)('U+%s', (codePoint) => {
  const control = String.fromCharCode(codePoint);
  expect(escapeUnprintable(`a${control}gnp.exe`)).toBe(`a\\u${codePoint.toString(16)}gnp.exe`);
  for (const address of [`ada${control}@example.org`, `ada@exam${control}ple.org`, `ada@example.org${control}`]) {
    expect(() => parseEmailAddress(address)).toThrow(expect.objectContaining({ code: 'ADDRESS_INVALID' }));
  }
  expect(clientAddress({ ip: `192.0.2.1${control}` })).toBeUndefined();
});

test.each([
  ['zero widths', '\u200b\u200c\u200d\u2060\ufeff', '\\u200b\\u200c\\u200d\\u2060\\ufeff'],
  ['marks of direction', '\u200e\u200f\u061c', '\\u200e\\u200f\\u061c'],
  ['line breaks', '\n\u0085\u2028\u2029', '\\u000a\\u0085\\u2028\\u2029'],
  ['a soft hyphen, fillers and a selector', '\u00ad\u3164\u115f\ufe0f', '\\u00ad\\u3164\\u115f\\ufe0f'],
  ['tags, which are invisible letters', '\u{e0041}', '\\udb40\\udc41'],
])('what nobody sees is escaped: %s', (_, text, escaped) => {
  expect(escapeUnprintable(`a${text}b|`)).toBe(`a${escaped}b|`);
  expect(escapeCell(`a${text}b|`)).toBe(`a${escaped}b\\u007c`);
});

test('text that runs from right to left is left as it is', () => {
  expect(escapeUnprintable('ירושלים القدس')).toBe('ירושלים القدس');
});

test.each(['=1', '+1', '-1', '@a', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠a'])(
  'a spreadsheet may run %j as a formula',
  (text) => {
    expect(STARTS_AS_FORMULA.test(text)).toBe(true);
    expect(STARTS_AS_FORMULA.test(`a${text}`)).toBe(false);
  },
);

test('a client address that a translator of IPv4 writes is known as it is', () => {
  expect(clientAddress({ ip: '::ffff:0:192.0.2.1' })).toBe('::ffff:0:192.0.2.1');
  expect(clientAddress({ ip: '[::ffff:0:192.0.2.1]:4711' })).toBe('::ffff:0:192.0.2.1');
});
