/** Threads that are ended at bad moments, of the compiled program: a thread loads files of its own. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { startThread as Start } from '../../src/base/thread.js';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';

const folder = createTemporaryFolder();
let startThread: typeof Start;
beforeAll(async () => {
  ({ startThread } = await import(join(import.meta.dirname, '../../dist/src/base/thread.js')));
});
afterAll(() => folder.remove());

function heardOf(worker: ReturnType<typeof Start>['worker']): unknown[] {
  const heard: unknown[] = [];
  worker.on('message', (message) => heard.push(message));
  return heard;
}

test('native code returns before its thread ends', async () => {
  const { worker, end } = startThread(pathToFileURL(join(import.meta.dirname, '../fixtures/native-thread.mjs')));
  const heard = heardOf(worker);
  await once(worker, 'message');
  await Promise.all([end(), end()]);
  expect(heard).toEqual(['native', 'returned']);
});

test('a program is loaded before its thread ends', async () => {
  const { worker, end } = startThread(pathToFileURL(join(import.meta.dirname, '../fixtures/native-thread.mjs')));
  const exited = once(worker, 'exit');
  await end();
  expect(await exited).toEqual([1]);
});

test('a program that cannot be loaded ends', async () => {
  const program = join(folder.path, 'broken.mjs');
  writeFileSync(program, 'throw new Error("broken");');
  const { worker, end } = startThread(pathToFileURL(program));
  const failed = once(worker, 'error');
  await end();
  expect(String(await failed)).toContain('broken');
});
