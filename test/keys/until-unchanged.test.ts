/** Attempts again while others change records: how often, and at which errors. */

import { expect, test } from '@jest/globals';
import { RecordError, untilUnchanged } from '../../src/keys/records/record-store.js';

const changed = new RecordError('RECORD_CHANGED', 'changed');

test('attempts until one is not disturbed', async () => {
  let count = 0;
  const attempt = async () => {
    if (++count < 5) throw changed;
    return 'done';
  };
  expect(await untilUnchanged(attempt)).toBe('done');
  expect(count).toBe(5);
});

test('gives up after a hundred attempts', async () => {
  let count = 0;
  const attempt = async () => {
    count++;
    throw changed;
  };
  await expect(untilUnchanged(attempt)).rejects.toMatchObject({ name: 'KeyStoreError', code: 'KEY_STORE_FAILED' });
  expect(count).toBe(100);
});

test.each([new RecordError('RECORD_EXISTS', 'exists'), new RangeError('other')])(
  'lets %s out at once',
  async (error) => {
    let count = 0;
    const attempt = async () => {
      count++;
      throw error;
    };
    await expect(untilUnchanged(attempt)).rejects.toBe(error);
    expect(count).toBe(1);
  },
);
