/** What every key store must do, whatever it is made of. A store's own test file calls this with a way to open one. */

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiKey, digestApiKey } from '../../src/keys/api-key.js';
import { createKeyRecord, parseKeyRecord } from '../../src/keys/key-record.js';
import type { KeyStore } from '../../src/keys/key-store.js';

/** `open` opens a new, empty store; `reopen` opens the one opened last once more. */
export function describeKeyStore(name: string, open: () => KeyStore, reopen: () => KeyStore): void {
  describe(`${name} keeps the contract of KeyStore`, () => {
    let store: KeyStore;
    beforeEach(() => {
      store = open();
    });
    afterEach(() => store.close());

    test('an empty store has nothing', () => {
      expect(store.list()).toEqual([]);
      expect(store.findByDigest(digestApiKey(createApiKey()))).toBeUndefined();
    });

    test('finds what was created, every field and every script', async () => {
      const record = parseKeyRecord({
        id: 'key_0123456789ab',
        name: '図書館 "one" \\ 👩‍🔬',
        plan: 'team',
        created: '2024-02-29T00:00:00.000Z',
        expires: '2025-02-28T00:00:00.000Z',
        state: 'replaced',
        replacedBy: 'key_zzzzzzzzzzzz',
      });
      const digest = digestApiKey(createApiKey());
      await store.create(digest, record);
      expect(store.findByDigest(digest)).toEqual(record);
      expect(store.findByDigest(digest)).toEqual(record);
      expect(store.list()).toEqual([record]);
      expect(store.findByDigest(digestApiKey(createApiKey()))).toBeUndefined();
    });

    test('lists the oldest first, those of one instant by id', async () => {
      const instants = ['2024-03-01T00:00:00.000Z', '2023-12-31T23:59:59.999Z', '2024-03-01T00:00:00.000Z'];
      await Promise.all(
        Array.from({ length: 30 }, (_, index) => {
          const record = createKeyRecord(`key ${index}`, new Date(instants[index % 3] ?? ''));
          return store.create(digestApiKey(createApiKey()), record);
        }),
      );
      const order = store.list().map(({ created, id }) => `${created} ${id}`);
      expect(order).toHaveLength(30);
      expect(order).toEqual([...order].sort());
    });

    test('never changes a record by creating another under its digest', async () => {
      const digest = digestApiKey(createApiKey());
      const [first, second] = [createKeyRecord('first', new Date(0)), createKeyRecord('second', new Date(0))];
      const outcomes = await Promise.allSettled([store.create(digest, first), store.create(digest, second)]);
      expect(outcomes[0]).toMatchObject({ status: 'fulfilled' });
      expect(outcomes[1]).toMatchObject({ status: 'rejected', reason: { code: 'KEY_EXISTS' } });
      expect(store.findByDigest(digest)).toEqual(first);
    });

    test('has everything after it was closed and opened again', async () => {
      const digest = digestApiKey(createApiKey());
      const record = createKeyRecord('stays', new Date(0));
      await store.create(digest, record);
      await store.close();
      await store.close();
      store = reopen();
      expect(store.findByDigest(digest)).toEqual(record);
    });
  });
}
