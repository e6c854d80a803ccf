/** The gate's decisions, one by one, over a store in memory and a clock that the test turns. */

import { expect, test } from '@jest/globals';
import { createApiKey, digestApiKey } from '../../src/keys/api-key.js';
import { createKeyRecord, type KeyRecord } from '../../src/keys/key-record.js';
import { type KeyStore, KeyStoreError } from '../../src/keys/key-store.js';
import { createKeyGate } from '../../src/keys/store-key-gate.js';

const REPLACEMENT = 'key_zzzzzzzzzzzz';
const EXPIRES = '2024-02-29T00:00:00.000Z';
const EXPIRY = Date.UTC(2024, 1, 29);

function createMemoryStore(records: Map<string, KeyRecord>): KeyStore & { lookups: number } {
  return {
    lookups: 0,
    findByDigest(digest) {
      this.lookups++;
      return records.get(digest);
    },
    list: () => [...records.values()],
    create: async (digest, record) => void records.set(digest, record),
    close: async () => {},
  };
}

function createScene(change: Partial<KeyRecord> = {}, now = EXPIRY) {
  const key = createApiKey();
  const record = { ...createKeyRecord('somebody', new Date(0)), ...change };
  const records = new Map([[digestApiKey(key), record]]);
  const store = createMemoryStore(records);
  const clock = { now };
  return { key, record, records, store, clock, gate: createKeyGate(store, () => clock.now) };
}

test('no key, or an empty header, is a missing key', () => {
  const { gate, store } = createScene();
  expect(gate.check(undefined)).toEqual({ allowed: false, reason: 'missing' });
  expect(gate.check('')).toEqual({ allowed: false, reason: 'missing' });
  expect(store.lookups).toBe(0);
});

test('a good key is allowed under its id', () => {
  const { gate, key, record } = createScene();
  expect(gate.check(key)).toEqual({ allowed: true, keyId: record.id });
});

test('a mistyped key is invalid, and the store is not asked', () => {
  const { gate, key, store } = createScene();
  const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
  for (const text of [mistyped, ` ${key}`, `${key}, ${key}`, key.toUpperCase(), 'secret', ' ']) {
    expect(gate.check(text)).toEqual({ allowed: false, reason: 'invalid' });
  }
  expect(store.lookups).toBe(0);
});

test('a well-formed key that the store does not know is invalid', () => {
  const { gate, store } = createScene();
  expect(gate.check(createApiKey())).toEqual({ allowed: false, reason: 'invalid' });
  expect(store.lookups).toBe(1);
});

test('a key expires at its instant, not before', () => {
  const { gate, key, record, clock } = createScene({ expires: EXPIRES }, EXPIRY - 1);
  expect(gate.check(key)).toEqual({ allowed: true, keyId: record.id });
  clock.now = EXPIRY;
  expect(gate.check(key)).toEqual({ allowed: false, reason: 'expired' });
  clock.now = EXPIRY + 1e12;
  expect(gate.check(key)).toEqual({ allowed: false, reason: 'expired' });
});

test.each([
  { state: 'revoked' },
  { state: 'revoked', expires: EXPIRES },
  { state: 'replaced', replacedBy: REPLACEMENT },
  { state: 'replaced', replacedBy: REPLACEMENT, expires: EXPIRES },
] as const)('a key with %j is revoked, expired or not', (change) => {
  const { gate, key } = createScene(change);
  expect(gate.check(key)).toEqual({ allowed: false, reason: 'revoked' });
});

test('an active key whose successor is already known is still good', () => {
  const { gate, key, record } = createScene({ replacedBy: REPLACEMENT });
  expect(gate.check(key)).toEqual({ allowed: true, keyId: record.id });
});

test('a change counts from the next check on', () => {
  const { gate, key, record, records } = createScene();
  expect(gate.check(key)).toMatchObject({ allowed: true });
  records.set(digestApiKey(key), { ...record, state: 'revoked' });
  expect(gate.check(key)).toEqual({ allowed: false, reason: 'revoked' });
});

test('a store that fails is an error, never a refusal', () => {
  const { store, key } = createScene();
  store.findByDigest = () => {
    throw new KeyStoreError('KEY_STORE_FAILED', 'the store failed', 'try again');
  };
  expect(() => createKeyGate(store).check(key)).toThrow(KeyStoreError);
});
