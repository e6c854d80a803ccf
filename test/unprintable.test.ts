/** Characters that turn the direction of text: a line shows them escaped, and no address of an account has one. */
import { expect, test } from '@jest/globals';
import { parseEmailAddress } from '../src/accounts/email-address.js';
import { clientAddress } from '../src/server/client-address.js';
import { escapeUnprintable } from '../src/unprintable.js';

const DIRECTION_CONTROLS = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];

test.each(DIRECTION_CONTROLS)('U+%s', (codePoint) => {
  const control = String.fromCharCode(codePoint);
  expect(escapeUnprintable(`a${control}gnp.exe`)).toBe(`a\\u${codePoint.toString(16)}gnp.exe`);
  for (const address of [`ada${control}@example.org`, `ada@exam${control}ple.org`, `ada@example.org${control}`]) {
    expect(() => parseEmailAddress(address)).toThrow(expect.objectContaining({ code: 'ADDRESS_INVALID' }));
  }
  expect(clientAddress({ ip: `192.0.2.1${control}` })).toBeUndefined();
});

test('text that runs from right to left is left as it is', () => {
  expect(escapeUnprintable('ירושלים القدس')).toBe('ירושלים القدس');
});

test('a client address that a translator of IPv4 writes is known as it is', () => {
  expect(clientAddress({ ip: '::ffff:0:192.0.2.1' })).toBe('::ffff:0:192.0.2.1');
  expect(clientAddress({ ip: '[::ffff:0:192.0.2.1]:4711' })).toBe('::ffff:0:192.0.2.1');
});
