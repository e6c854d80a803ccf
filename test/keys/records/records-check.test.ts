/**
 * Key stores that a disk or a careless copy has damaged: cut, zeroed or flipped anywhere in keys.mdb. Each is refused as
 * damaged, or can be read: hardly a process that opens and reads it ends by it, or never. 30 copies, 2,000 in the soak
 * (DAMAGED_STORES). The other processes run the built program, which `npm test` builds.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openEmbeddedKeyStore } from '../../../src/keys/decision/embedded-key-store.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/key/plan.js';
import { requireSoundRecords } from '../../../src/keys/records/records-check.js';
import { runProgram } from '../../fixtures/program.js';
import { createRandom } from '../../fixtures/random.mjs';
import { newEntry } from '../decision/key-store-scene.js';
import { createTemporaryFolders } from '../temporary-folders.js';

const BUILT = new URL('../../../dist/src/keys/', import.meta.url).href;
const PLANS = '{"free":{"requestsPerMonth":1000,"requestsPerSecond":10,"burst":10}}';
const SEED = 20261127;
const COPIES = Number(process.env.DAMAGED_STORES ?? 30);
/** Copies that one process opens. */
const BATCH_COPIES = 30;
const PAGE_BYTES = 4_096;

const folders = createTemporaryFolders();
afterAll(() => folders.clear());
const random = createRandom(SEED);
const below = (limit: number): number => Math.floor(random() * limit);

let sound: string;
let bytes: Buffer;
beforeAll(async () => {
  sound = folders.make();
  const store = await openEmbeddedKeyStore({ folder: sound, findPlan: createPlanFinder(parsePlans(PLANS)) });
  const entries = Array.from({ length: 120 }, () => newEntry());
  for (const entry of entries) await store.directory.create(entry);
  // A record longer than a page, and pages that are free again.
  await store.records.write([
    { create: { kind: 'long', id: 'one', names: [], expiresMs: null, value: { text: 'x'.repeat(9_000) } } },
  ]);
  await store.close();
  bytes = readFileSync(join(sound, 'keys.mdb'));
});

/** Meta pages of which one has another page size, or other options, in either. */
const TORN_META = [24 + 24, 24 + 24 + 5].flatMap((offset) => [offset, PAGE_BYTES + offset]);

const DAMAGES: readonly ((copy: Buffer) => Buffer)[] = [
  (copy) => copy.subarray(0, below(copy.length)),
  (copy) => zeroPage(copy, below(copy.length / PAGE_BYTES)),
  (copy) => flip(copy, below(copy.length)),
  // In the head of a page, which has most of what lmdb relies on.
  (copy) => flip(copy, below(copy.length / PAGE_BYTES) * PAGE_BYTES + below(64)),
  (copy) => Array.from({ length: 10 }).reduce<Buffer>((spoilt) => flip(spoilt, below(copy.length)), copy),
];

function zeroPage(copy: Buffer, page: number): Buffer {
  return copy.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
}

function flip(copy: Buffer, at: number): Buffer {
  copy[at] = (copy[at] as number) ^ (1 << below(8));
  return copy;
}

function makeCopy(damaged: Buffer): string {
  const folder = join(folders.make(), 'keys');
  mkdirSync(folder);
  copyFileSync(join(sound, 'usage.bin'), join(folder, 'usage.bin'));
  writeFileSync(join(folder, 'keys.mdb'), damaged);
  return folder;
}

/** Opens each store and reads all; prints "read", or the code of the error. */
const READ_ALL = `
  const { openEmbeddedKeyStore } = await import('${BUILT}decision/embedded-key-store.js');
  const { createPlanFinder, parsePlans } = await import('${BUILT}key/plan.js');
  const findPlan = createPlanFinder(parsePlans('${PLANS}'));
  for (const folder of process.argv.slice(1)) {
    let store;
    try {
      store = await openEmbeddedKeyStore({ folder, findPlan });
      for (let round = 0; round < 3; round++) await store.directory.list(() => {});
      console.log('read');
    } catch (error) {
      if (error.name !== 'KeyStoreError') throw error;
      console.log(error.code === 'KEY_STORE_DAMAGED' ? error.code : error.message);
    }
    await store?.close();
  }
`;

test('the sound store has no damage', async () => {
  await requireSoundRecords(sound);
});

test('an emptied store is no new one', async () => {
  await expect(requireSoundRecords(makeCopy(Buffer.alloc(0)))).rejects.toMatchObject({
    code: 'KEY_STORE_DAMAGED',
    found: expect.stringContaining('keys were counted'),
  });
});

/** Bytes from the number of 64 kB in the length of an entry's value to its key; lmdb's node is the length, flags, key length. */
const LENGTH_TO_KEY = 6;
/** Where a meta page has the number of the last page. lmdb maps no more, however long the file is. */
const LAST_PAGE_AT = 144;
/** Number of pages that follow the last one: more than a length leads on. */
const FURTHER_PAGES = 64;

test('a value whose length leads out of its page is found, also where the file goes on there', async () => {
  const copy = Buffer.concat([bytes, Buffer.alloc(FURTHER_PAGES * PAGE_BYTES)]);
  // Without this, the length of a late page leads out of the mapping: what lies there may end the process that reads it, or not.
  for (const at of [LAST_PAGE_AT, PAGE_BYTES + LAST_PAGE_AT]) {
    copy.writeBigUInt64LE(copy.readBigUInt64LE(at) + BigInt(FURTHER_PAGES), at);
  }
  for (let at = copy.indexOf('key:'); at !== -1; at = copy.indexOf('key:', at + 1)) {
    const length = copy.readUInt16LE(at - LENGTH_TO_KEY - 2);
    // The texts are longer, and the names' values are digests.
    if (length > 64 && length < 128) copy.writeUInt16LE(1, at - LENGTH_TO_KEY);
  }
  await expect(requireSoundRecords(makeCopy(copy))).rejects.toMatchObject({
    code: 'KEY_STORE_DAMAGED',
    found: expect.stringContaining('false length'),
  });
});

/** Milliseconds for which a batch is read, or a copy of it that holds its process: twice the check's limit. */
const READ_LIMIT_MS = 120_000;

/**
 * How many copies may end, or hold, a process that reads them all the same: a pointer that leads out of the mapping is fatal or not
 * as memory lies, so a check of another process can't see every one.
 */
const MOST_UNSEEN = 1;

test('hardly a damaged copy ends or holds a process that reads it, and all that lmdb would fall over are found', () => {
  const outcomes: string[] = [];
  const readAll = (copies: readonly string[]) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', READ_ALL, ...copies], {
      encoding: 'utf8',
      timeout: READ_LIMIT_MS,
      killSignal: 'SIGKILL',
    });
  const torn = TORN_META.map((at) => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] as number) ^ 0x20;
    return makeCopy(copy);
  });
  while (outcomes.length < COPIES) {
    const copies = Array.from({ length: BATCH_COPIES }, (_, index) => {
      return makeCopy((DAMAGES[index % DAMAGES.length] as (copy: Buffer) => Buffer)(Buffer.from(bytes)));
    }).concat(torn.splice(0));
    const whole = readAll(copies);
    const lines = whole.stdout.trim().split('\n');
    if (whole.status === 0 && whole.stderr === '' && lines.length === copies.length) {
      outcomes.push(...lines);
      continue;
    }
    for (const copy of copies) {
      const { status, signal, stdout, stderr } = readAll([copy]);
      outcomes.push(status === 0 && stderr === '' ? stdout.trim() : `unseen: ${signal ?? status} ${stdout}${stderr}`);
    }
  }
  const unseen = outcomes.filter((outcome) => outcome.startsWith('unseen'));
  expect(unseen.length > MOST_UNSEEN ? unseen : []).toEqual([]);
  expect(new Set(outcomes)).toEqual(new Set(['read', 'KEY_STORE_DAMAGED', ...unseen]));
});

test('the commands tell of a damaged page in one line, which has the way back', () => {
  const newer = bytes.readBigUInt64LE(152) > bytes.readBigUInt64LE(PAGE_BYTES + 152) ? 0 : PAGE_BYTES;
  const root = Number(bytes.readBigUInt64LE(newer + 136));
  const folder = makeCopy(zeroPage(Buffer.from(bytes), root));
  const listed = runProgram(['keys', 'list', '--store', folder]);
  expect(listed).toMatchObject({ exitCode: 1, stdout: '' });
  expect(listed.stderr).toContain(`keys import --store ${folder}`);
  expect(listed.stderr.trim().split('\n')).toHaveLength(1);
});
