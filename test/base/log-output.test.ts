/** Lines on their way to a pipe: what is kept and dropped while nobody reads, and what comes out afterwards. */

import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { LogOutput } from '../../src/base/log-output.js';
import { waitUntil } from '../fixtures/wait-until.js';

const LINE_COUNT = 5_000;
/** Bytes that a pipe of Linux and the output hold together, at most. */
const HELD_BYTES = (64 + 1_024) * 1024;

const open: number[] = [];
afterEach(() => {
  for (const fd of open.splice(0)) closeSync(fd);
});

function openPipe(): { readonly reader: number; readonly writer: number } {
  const path = join(tmpdir(), `postal-places-log-${process.pid}-${performance.now()}`);
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  rmSync(path);
  open.push(reader, writer);
  return { reader, writer };
}

/** What the pipe has at the moment. */
function readAll(reader: number): string {
  const bytes = Buffer.alloc(65_536);
  let text = '';
  try {
    for (;;) text += bytes.toString('latin1', 0, readSync(reader, bytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return text;
    throw error;
  }
}

test('a pipe that nobody reads takes what it can, the rest is kept up to a bound, then dropped and told of', async () => {
  const { reader, writer } = openPipe();
  const told: number[] = [];
  const output = new LogOutput({ fd: writer, neverWaits: true }, (count) => told.push(count));
  const lineOf = (index: number): string => `${index} ${'x'.repeat(1_000)}\n`;
  for (let index = 0; index < LINE_COUNT; index++) output.write(lineOf(index));
  const keptCount = LINE_COUNT - output.droppedCount;
  expect(keptCount * lineOf(LINE_COUNT).length).toBeLessThanOrEqual(HELD_BYTES + LINE_COUNT);
  expect(keptCount * lineOf(LINE_COUNT).length).toBeGreaterThan(HELD_BYTES / 2);
  expect(told).toEqual([]);
  // Resolves without a reader.
  await output.end();
  let text = '';
  await waitUntil('the kept lines', () => {
    text += readAll(reader);
    return told.length > 0;
  });
  text += readAll(reader);
  expect(told).toEqual([output.droppedCount]);
  expect(text).toBe(Array.from({ length: keptCount }, (_, index) => lineOf(index)).join(''));
  output.write('again\n');
  expect(readAll(reader)).toBe('again\n');
  await output.end();
  expect(told).toHaveLength(1);
});
