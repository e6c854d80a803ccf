/** What may become of a key, and what is for good. */

import { describe, expect, test } from '@jest/globals';
import { InvalidValueError } from '../../../src/base/errors.js';
import {
  changeKeyExpiry,
  changeKeyPlan,
  changeKeyToReplaced,
  changeKeyToRevoked,
} from '../../../src/keys/key/key-changes.js';
import { KeyError } from '../../../src/keys/key/key-error.js';
import { createKeyRecord, type KeyRecord, parseKeyRecord } from '../../../src/keys/key/key-record.js';

const NOW = Date.parse('2024-02-29T12:00:00.000Z');
const AT_NOW = '2024-02-29T12:00:00.000Z';
const LATER = '2024-03-01T00:00:00.000Z';
const SUCCESSOR = 'key_zzzzzzzzzzzz';

const active = parseKeyRecord({
  ...createKeyRecord('somebody', new Date(0)),
  id: 'key_0123456789ab',
  expires: LATER,
});
const replaced = parseKeyRecord({ ...active, state: 'replaced', replacedBy: SUCCESSOR, graceUntil: LATER });
const revoked = parseKeyRecord({ ...active, state: 'revoked' });

describe('an active key', () => {
  test.each([
    ['is revoked', changeKeyToRevoked(active), { state: 'revoked' }],
    ['gets another end', changeKeyExpiry(active, AT_NOW), { expires: AT_NOW }],
    ['gets no end', changeKeyExpiry(active, null), { expires: null }],
    ['gets another plan', changeKeyPlan(active, 'team-2'), { plan: 'team-2' }],
    [
      'is replaced at once',
      changeKeyToReplaced(active, SUCCESSOR, null, NOW),
      { state: 'replaced', replacedBy: SUCCESSOR, graceUntil: null },
    ],
    [
      'is replaced with grace',
      changeKeyToReplaced(active, SUCCESSOR, LATER, NOW),
      { state: 'replaced', replacedBy: SUCCESSOR, graceUntil: LATER },
    ],
  ] as [string, KeyRecord, Partial<KeyRecord>][])('%s, and nothing else changes', (_, changed, change) => {
    expect(changed).toEqual({ ...active, ...change });
    expect(Object.isFrozen(changed)).toBe(true);
  });

  test('that has expired can get more time, another plan, or be revoked, but no successor', () => {
    const expired = changeKeyExpiry(active, AT_NOW);
    expect(changeKeyExpiry(expired, LATER)).toEqual(active);
    expect(changeKeyPlan(expired, 'team').plan).toBe('team');
    expect(changeKeyToRevoked(expired).state).toBe('revoked');
    expect(() => changeKeyToReplaced(expired, SUCCESSOR, null, NOW)).toThrow(KeyError);
    expect(() => changeKeyToReplaced(expired, SUCCESSOR, null, NOW)).toThrow(/key_0123456789ab has expired/);
    expect(changeKeyToReplaced(expired, SUCCESSOR, null, NOW - 1).state).toBe('replaced');
  });
});

describe.each([
  ['a replaced', replaced, /^key_0123456789ab was replaced by key_zzzzzzzzzzzz, for good$/],
  ['a revoked', revoked, /^key_0123456789ab was revoked, for good$/],
])('%s key', (_, record, why) => {
  test('can only be revoked', () => {
    expect(changeKeyToRevoked(record)).toEqual({ ...record, state: 'revoked' });
    for (const change of [
      () => changeKeyExpiry(record, null),
      () => changeKeyPlan(record, 'team'),
      () => changeKeyToReplaced(record, SUCCESSOR, LATER, NOW),
    ]) {
      expect(change).toThrow(KeyError);
      expect(change).toThrow(why);
    }
  });

  test('that is revoked twice is as after the first time', () => {
    expect(changeKeyToRevoked(changeKeyToRevoked(record))).toEqual(changeKeyToRevoked(record));
  });
});

test('a wrong value is a InvalidValueError', () => {
  expect(() => changeKeyPlan(active, 'Team')).toThrow(InvalidValueError);
  expect(() => changeKeyExpiry(active, 'tomorrow')).toThrow(InvalidValueError);
  expect(() => changeKeyToReplaced(active, 'pp_0', null, NOW)).toThrow(InvalidValueError);
});
