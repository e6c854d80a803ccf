/** The words of the commands of keys: what they mean, and that what is refused is never repeated. */

import { describe, expect, test } from '@jest/globals';
import {
  parseAccountIdArgument,
  parseAccountNameArgument,
  parseDurationArgument,
  parseKeyId,
  parseStoreOption,
  parseTimeArgument,
} from '../../../cli/keys/key-arguments.js';
import { InvalidValueError } from '../../../src/base/errors.js';

const ID = 'key_0123456789ab';
const ACCOUNT = 'acct_0123456789ab';

test.each([
  ['2027-01-01', '2027-01-01T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2027-01-01T09:30Z', '2027-01-01T09:30:00.000Z'],
  ['2027-01-01T09:30:15Z', '2027-01-01T09:30:15.000Z'],
  ['2027-01-01T09:30:15.5Z', '2027-01-01T09:30:15.500Z'],
  ['2027-01-01T09:30:15.123456789Z', '2027-01-01T09:30:15.123Z'],
  ['2027-01-01T00:30:00+01:00', '2026-12-31T23:30:00.000Z'],
  ['2027-02-28T23:30:00-05:45', '2027-03-01T05:15:00.000Z'],
  ['2027-01-01T00:30+0100', '2026-12-31T23:30:00.000Z'],
  ['2027-01-01T00:30+01', '2026-12-31T23:30:00.000Z'],
])('the time %s is the instant %s', (time, instant) => {
  expect(parseTimeArgument(time)).toBe(instant);
});

test.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['24h', 86_400_000],
  ['366d', 366 * 86_400_000],
  ['0s', 0],
])('the duration %s is %i ms', (text, durationMs) => {
  expect(parseDurationArgument(text)).toBe(durationMs);
});

describe('a wrong word is refused, and not repeated', () => {
  test.each<[string, (text: string) => unknown, RegExp, readonly string[]]>([
    [
      'a time',
      parseTimeArgument,
      /^a time must be/,
      [
        ...['2027-01-01T00:00', '2027-02-30', '2027-02-29T00:00:00Z', '2027-13-01', '2027-01-00', 'tomorrow', ''],
        ...['2027-01-01T24:00Z', '2027-01-01T00:60Z', '2027-01-01T00:00:60Z', '2027-01-01T00:00+24:00'],
        ...['2027-01-01T00:00+', '2027-01-01T00:00 UTC', '2027-01-01Z', '1800000000000'],
        // The years 10000 and -1, in UTC.
        ...['9999-12-31T23:30-01:00', '0000-01-01T00:00+01:00'],
      ],
    ],
    [
      'a duration',
      parseDurationArgument,
      /^a duration must be/,
      ['', '10', '10w', 's', '-5s', '1.5h', '1h30m', '367d', '8785h', '31622401s', '999999999d', ' 1h'],
    ],
    [
      'an id',
      parseKeyId,
      /^a key is named by its id/,
      ['', 'key_', 'key_0123456789a', `${ID}c`, 'key_0123456789aI', ` ${ID}`, `${ID}\n`, ACCOUNT],
    ],
    [
      'an account',
      parseAccountIdArgument,
      /^an account is named by its id/,
      ['', 'acct_', ID, `${ACCOUNT}c`, 'acct_0123456789aI', ` ${ACCOUNT}`, `${ACCOUNT}\n`, 'ada@example.org'],
    ],
    [
      'an account or address',
      parseAccountNameArgument,
      /^an account is named by its id/,
      ['', 'acct_', ID, 'a@b', 'ada@'],
    ],
    ['a store', parseStoreOption, /^--store must be/, ['', ' ', 'a\0b']],
  ])('%s', (_, parse, message, texts) => {
    for (const text of texts) {
      expect(() => parse(text)).toThrow(InvalidValueError);
      expect(() => parse(text)).toThrow(message);
      if (text.length > 6) expect(() => parse(text)).not.toThrow(text);
    }
  });
});
