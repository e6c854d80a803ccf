/** What may become of a key, and what is for good. */

import { describe, expect, test } from '@jest/globals';
import { InvalidValueError } from '../../../src/base/errors.js';
import { expire, replace, revoke, setPlan } from '../../../src/keys/key/key-changes.js';
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
    ['is revoked', revoke(active), { state: 'revoked' }],
    ['gets another end', expire(active, AT_NOW), { expires: AT_NOW }],
    ['gets no end', expire(active, null), { expires: null }],
    ['gets another plan', setPlan(active, 'team-2'), { plan: 'team-2' }],
    [
      'is replaced at once',
      replace(active, SUCCESSOR, null, NOW),
      { state: 'replaced', replacedBy: SUCCESSOR, graceUntil: null },
    ],
    [
      'is replaced with grace',
      replace(active, SUCCESSOR, LATER, NOW),
      { state: 'replaced', replacedBy: SUCCESSOR, graceUntil: LATER },
    ],
  ] as [string, KeyRecord, Partial<KeyRecord>][])('%s, and nothing else changes', (_, changed, change) => {
    expect(changed).toEqual({ ...active, ...change });
    expect(Object.isFrozen(changed)).toBe(true);
  });

  test('that has expired can get more time, another plan, or be revoked, but no successor', () => {
    const expired = expire(active, AT_NOW);
    expect(expire(expired, LATER)).toEqual(active);
    expect(setPlan(expired, 'team').plan).toBe('team');
    expect(revoke(expired).state).toBe('revoked');
    expect(() => replace(expired, SUCCESSOR, null, NOW)).toThrow(KeyError);
    expect(() => replace(expired, SUCCESSOR, null, NOW)).toThrow(/key_0123456789ab has expired/);
    expect(replace(expired, SUCCESSOR, null, NOW - 1).state).toBe('replaced');
  });
});

describe.each([
  ['a replaced', replaced, /^key_0123456789ab was replaced by key_zzzzzzzzzzzz, for good$/],
  ['a revoked', revoked, /^key_0123456789ab was revoked, for good$/],
])('%s key', (_, record, why) => {
  test('can only be revoked', () => {
    expect(revoke(record)).toEqual({ ...record, state: 'revoked' });
    for (const change of [
      () => expire(record, null),
      () => setPlan(record, 'team'),
      () => replace(record, SUCCESSOR, LATER, NOW),
    ]) {
      expect(change).toThrow(KeyError);
      expect(change).toThrow(why);
    }
  });

  test('that is revoked twice is as after the first time', () => {
    expect(revoke(revoke(record))).toEqual(revoke(record));
  });
});

test('a wrong value is a InvalidValueError', () => {
  expect(() => setPlan(active, 'Team')).toThrow(InvalidValueError);
  expect(() => expire(active, 'tomorrow')).toThrow(InvalidValueError);
  expect(() => replace(active, 'pp_0', null, NOW)).toThrow(InvalidValueError);
});
