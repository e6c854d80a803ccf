/** What a publishable key is bound to, as people write it, and as stores and files have it. */

import { describe, expect, test } from '@jest/globals';
import { InvalidValueError } from '../../../src/base/errors.js';
import { parseOrigin, parseOrigins, readOrigin } from '../../../src/keys/key/origin.js';
import { DEFAULT_PLANS, FREE_PLAN } from '../../../src/keys/key/plan.js';
import { parseRestrictions } from '../../../src/keys/key/restrictions.js';
import { DEFAULT_VISITOR_RATE, formatVisitorRate, parseVisitorRate } from '../../../src/keys/key/visitor-rate.js';
import { RESTRICTIONS } from './origin-cases.js';

describe('origins', () => {
  test.each([
    ['https://shop.example', 'https://shop.example'],
    ['HTTPS://Shop.Example', 'https://shop.example'],
    ['https://shop.example/', 'https://shop.example'],
    ['https://shop.example:443', 'https://shop.example'],
    ['http://shop.example:80', 'http://shop.example'],
    // There is no list of public suffixes: docs/keys.md warns.
    ['https://*.co.uk', 'https://*.co.uk'],
    ['https://shop.example:8443', 'https://shop.example:8443'],
    ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
    ['https://*.shop.example', 'https://*.shop.example'],
    ['https://*.SHOP.example:443/', 'https://*.shop.example'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://*.localhost:3000', 'http://*.localhost:3000'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://192.168.1.5:3000', 'http://192.168.1.5:3000'],
    ['http://[::1]:5173', 'http://[::1]:5173'],
    ['http://[0:0:0:0:0:0:0:1]', 'http://[::1]'],
  ])('%s is %s', (written, origin) => {
    expect(parseOrigin(written)).toBe(origin);
  });

  test.each([
    '',
    'shop.example',
    'https://',
    'https:shop.example',
    'https:\\\\shop.example',
    'ftp://shop.example',
    'javascript://shop.example',
    'https://shop.example/checkout',
    'https://shop.example?q',
    'https://shop.example#a',
    'https://ada@shop.example',
    'https://shop.example:99999',
    'https://shop.example:x',
    'https://shop .example',
    'https://shop.example\n',
    'https://*',
    'https://*.example',
    'https://*.*.example.com',
    'https://a.*.example.com',
    'https://w*.example.com',
    'https://*.1.2.3.4',
    'https://shop_.example%2f',
    `https://${'a'.repeat(300)}.example`,
  ])('%j is refused', (written) => {
    expect(() => parseOrigin(written)).toThrow(InvalidValueError);
  });

  test('a key has 1 to 10, each once', () => {
    const many = Array.from({ length: 10 }, (_, at) => `https://shop${at}.example`);
    expect(parseOrigins([...many, 'https://SHOP0.example:443'])).toEqual(many);
    expect(() => parseOrigins([...many, 'https://one-more.example'])).toThrow('1 to 10 origins');
    expect(() => parseOrigins([])).toThrow('1 to 10 origins');
  });

  test('a header that is no origin is not read', () => {
    for (const header of [undefined, `https://${'a.'.repeat(200)}shop.example`])
      expect(readOrigin(header)).toBeUndefined();
  });
});

describe('the rate of a visitor', () => {
  test.each(['1/s', '60/m', '100/h', '300/d', '100000/s'])('%s is taken and told alike', (text) => {
    expect(formatVisitorRate(parseVisitorRate(text))).toBe(text);
  });

  test.each(['', '0/d', '100001/s', '1.5/s', '-1/s', '10', '10/w', '10 / s', '1e3/s', 'x/s'])(
    '%j is refused',
    (text) => {
      expect(() => parseVisitorRate(text)).toThrow(InvalidValueError);
    },
  );

  test('by default one visitor can’t use up a month of the plan free', () => {
    const { requests, seconds } = DEFAULT_VISITOR_RATE;
    const longestMonthSeconds = 31 * 86_400;
    const most = requests + Math.floor((requests * longestMonthSeconds) / seconds);
    expect(most).toBeLessThan(DEFAULT_PLANS.get(FREE_PLAN)?.requestsPerMonth ?? 0);
  });
});

test.each([
  [null],
  [{}],
  [{ ...RESTRICTIONS, origins: 'https://shop.example' }],
  [{ ...RESTRICTIONS, origins: [] }],
  [{ ...RESTRICTIONS, origins: ['https://shop.example/a'] }],
  [{ ...RESTRICTIONS, operations: [] }],
  [{ ...RESTRICTIONS, operations: ['a b'] }],
  [{ ...RESTRICTIONS, operations: Array.from({ length: 51 }, () => 'reverse') }],
  [{ ...RESTRICTIONS, visitorRate: null }],
  [{ ...RESTRICTIONS, visitorRate: { requests: 1, seconds: 7 } }],
  [{ ...RESTRICTIONS, visitorRate: { requests: 1.5, seconds: 60 } }],
])('%j are no restrictions', (value) => {
  expect(() => parseRestrictions(value)).toThrow(InvalidValueError);
});
