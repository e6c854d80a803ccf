/** What a key record may be: every valid one comes back as it was, every wrong field is named. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { InvalidValueError } from '../../../src/base/errors.js';
import { createKeyId, createKeyRecord, parseKeyRecord } from '../../../src/keys/key/key-record.js';

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
    ['name', 'separator\u2028'],
    ['name', 'half \ud83d'],
    ['name', 7],
    ['plan', ''],
    ['plan', 'Free'],
    ['plan', 'x'.repeat(33)],
    ['created', '2024-02-29'],
    ['created', '2023-02-30T00:00:00.000Z'],
    ['created', '2024-02-29T12:34:56.789+00:00'],
    ['created', 1_709_210_096_789],
    ['expires', undefined],
    ['expires', 'never'],
    ['state', 'expired'],
    ['replacedBy', undefined],
    ['replacedBy', 'pp_0'],
    ['graceUntil', undefined],
    ['graceUntil', '2024-03-01'],
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
