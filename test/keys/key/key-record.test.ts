/** What a key record may be: every valid one comes back as it was, every wrong field is named. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { InvalidValueError } from '../../../src/base/errors.js';
import { createApiKey } from '../../../src/keys/key/api-key.js';
import { expire, replace, revoke, setPlan } from '../../../src/keys/key/key-changes.js';
import { KeyError } from '../../../src/keys/key/key-error.js';
import {
  createKeyId,
  createKeyRecord,
  type KeyRecord,
  parseKeyName,
  parseKeyRecord,
} from '../../../src/keys/key/key-record.js';
import { createKeySeal } from '../../../src/keys/key/key-seal.js';

fc.configureGlobal({ seed: 20240229 });

const VALID = {
  id: 'key_0123456789ab',
  name: 'Bücherei Köln 図書館 👩‍🔬',
  plan: 'free',
  created: '2024-02-29T12:34:56.789Z',
  expires: null,
  state: 'active',
  replacedBy: null,
  graceUntil: null,
};
const REPLACED = { state: 'replaced', replacedBy: 'key_zzzzzzzzzzzz' };

describe('parseKeyRecord', () => {
  test('returns a frozen record of the known fields', () => {
    const record = parseKeyRecord({ ...VALID, later: 1 });
    expect(record).toEqual(VALID);
    expect(Object.isFrozen(record)).toBe(true);
  });

  test.each([
    { expires: '2031-01-01T00:00:00.000Z' },
    { state: 'revoked' },
    REPLACED,
    { ...REPLACED, graceUntil: '2024-03-01T00:00:00.000Z' },
    { ...REPLACED, state: 'revoked', graceUntil: '2024-03-01T00:00:00.000Z' },
    { replacedBy: 'key_zzzzzzzzzzzz' },
    { plan: 'team-2' },
    { name: 'x'.repeat(100) },
    { name: '👩'.repeat(100) },
  ])('accepts %j', (change) => {
    expect(parseKeyRecord({ ...VALID, ...change })).toEqual({ ...VALID, ...change });
  });

  test.each([
    ['id', undefined],
    ['id', 'key_0123456789a'],
    ['id', 'key_0123456789ai'],
    ['id', 'KEY_0123456789AB'],
    ['name', ''],
    ['name', '   '],
    ['name', 'x'.repeat(101)],
    ['name', 'two\nlines'],
    ['name', 'bell\u0007'],
    ['name', 'escape\u009b'],
    ['name', 'separator\u2028'],
    ['name', 'half \ud83d'],
    ['name', 7],
    ['plan', ''],
    ['plan', 'Free'],
    ['plan', 'x'.repeat(33)],
    ['created', null],
    ['created', '2024-02-29'],
    ['created', '2023-02-30T00:00:00.000Z'],
    ['created', '2024-02-29T12:34:56.789+00:00'],
    ['created', 1_709_210_096_789],
    ['expires', undefined],
    ['expires', ''],
    ['expires', 'never'],
    ['state', 'expired'],
    ['state', null],
    ['replacedBy', undefined],
    ['replacedBy', 'pp_0'],
    ['graceUntil', undefined],
    ['graceUntil', '2024-03-01'],
    ['graceUntil', 1_709_210_096_789],
  ] as const)('names the field %s with the value %j', (field, value) => {
    const error = catchError(() => parseKeyRecord({ ...VALID, [field]: value }));
    expect(error).toBeInstanceOf(InvalidValueError);
    expect(error).toMatchObject({
      message: expect.stringMatching(field === 'name' ? /^a key name must/ : `^${field} must`),
    });
  });

  test('a replaced key names its successor', () => {
    expect(catchError(() => parseKeyRecord({ ...VALID, state: 'replaced' }))).toMatchObject({
      message: expect.stringMatching(/^a replaced key must name/),
    });
  });

  test('only a key that has a successor has a time of grace', () => {
    const record = { ...VALID, graceUntil: '2024-03-01T00:00:00.000Z' };
    expect(catchError(() => parseKeyRecord(record))).toMatchObject({
      message: expect.stringMatching(/^only a replaced key has/),
    });
  });

  test('throws nothing but InvalidValueError, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(catchError(() => parseKeyRecord(value))).toBeInstanceOf(InvalidValueError);
      }),
    );
  });
});

test('parseKeyName refuses with one sentence on one line', () => {
  for (const name of ['', 'a\u0000b', 'x'.repeat(1_000_000)]) {
    const error = catchError(() => parseKeyName(name)) as Error;
    expect(error.message).toMatch(/^a key name must [ -~]{1,100}$/);
  }
});

test('createKeyRecord makes an active key on the free plan that never expires', () => {
  const record = createKeyRecord('Anna', new Date(Date.UTC(2024, 1, 29)));
  expect(record).toEqual({ ...VALID, id: record.id, name: 'Anna', created: '2024-02-29T00:00:00.000Z' });
  expect(parseKeyRecord(record)).toEqual(record);
});

test('createKeyRecord takes a plan and an end', () => {
  const choices = { plan: 'team-2', expires: '2031-01-01T00:00:00.000Z' };
  expect(createKeyRecord('Anna', new Date(0), choices)).toMatchObject({ name: 'Anna', state: 'active', ...choices });
  expect(() => createKeyRecord('Anna', new Date(0), { plan: 'Team' })).toThrow(InvalidValueError);
  expect(() => createKeyRecord('Anna', new Date(0), { expires: 'soon' })).toThrow(InvalidValueError);
});

test('ids are each another', () => {
  const ids = Array.from({ length: 10_000 }, createKeyId);
  expect(new Set(ids).size).toBe(ids.length);
});

function catchError(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('changes', () => {
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
});

describe('sealing', () => {
  fc.configureGlobal({ seed: 20240229 });

  const SECRET = 'a secret of at least 32 characters';
  const KEY = 'pp_000g40r40m30e209185gr38e1w8124gk0yckx37';
  const ID = 'key_0123456789ab';
  const seal = createKeySeal(SECRET);

  test('what was sealed opens, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string(), (text, id) => {
        expect(seal.open(seal.seal(text, id), id)).toBe(text);
      }),
    );
  });

  test('another process with the same secret opens it', () => {
    expect(createKeySeal(SECRET).open(seal.seal(KEY, ID), ID)).toBe(KEY);
  });

  test('what an earlier release sealed still opens', () => {
    const sealed = 'v1.y7l2ocGBKbCpyQvzx5WXuzUhxbhq6gIblEOZ2otahIgiVt91F2HQCYX0K2Ny8OSaEqefd32wwKAHOUbGUog5NJqC_fiPug';
    expect(seal.open(sealed, ID)).toBe(KEY);
  });

  test('it is a text of one line in which nothing of the key can be read, and another each time', () => {
    const texts = Array.from({ length: 100 }, () => seal.seal(KEY, ID));
    expect(new Set(texts).size).toBe(100);
    for (const text of texts) {
      expect(text).toMatch(/^v1\.[\w-]{94}$/);
      expect(Buffer.from(text.slice(3), 'base64url').toString('latin1')).not.toContain(KEY.slice(0, 6));
    }
  });

  test('another secret, another id: it does not open, and the error tells neither key nor secret', () => {
    const sealed = seal.seal(KEY, ID);
    const other = createKeySeal(`${SECRET}!`);
    for (const attempt of [() => other.open(sealed, ID), () => seal.open(sealed, 'key_0123456789ac')]) {
      expect(attempt).toThrow(KeyError);
      expect(attempt).toThrow(/^the sealed key of key_0123456789a[bc] does not open under this KEY_SECRET$/);
    }
  });

  test('a change of any bit is noticed', () => {
    const sealed = seal.seal(KEY, ID);
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    expect(bytes).toHaveLength(70);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => seal.open(`v1.${changed.toString('base64url')}`, ID)).toThrow(KeyError);
    }
  });

  test('a text cut short, of another version or of another form does not open', () => {
    const sealed = seal.seal(createApiKey(), ID);
    for (let length = 0; length < sealed.length - 1; length++) {
      expect(() => seal.open(sealed.slice(0, length), ID)).toThrow(KeyError);
    }
    for (const text of [sealed.replace('v1.', 'v2.'), sealed.slice(3), `x${sealed}`, 'v1.', `v1.${'é'.repeat(94)}`]) {
      expect(() => seal.open(text, ID)).toThrow(KeyError);
    }
  });
});
