/**
 * Key stores that a disk or a careless copy has damaged: cut, zeroed or flipped anywhere in keys.mdb. Each is refused as
 * damaged, or works: no process that opens, reads and changes it ends by a signal. 60 copies, 2,000 in the soak
 * (DAMAGED_STORES). The other processes run the built program, which `npm test` builds.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openEmbeddedKeyStore } from '../../../src/keys/decision/embedded-key-store.js';
import { createPlanFinder, parsePlans } from '../../../src/keys/key/plan.js';
import { findDataFileDamage } from '../../../src/keys/storage/key-folder.js';
import { createRandom } from '../../fixtures/random.mjs';
import { newEntry } from '../key-store-scene.js';
import { createTemporaryFolders } from '../temporary-folders.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const BUILT = new URL('../../../dist/src/keys/', import.meta.url).href;
const PLANS = '{"free":{"requestsPerMonth":1000,"requestsPerSecond":10,"burst":10}}';
const SEED = 20261127;
const COPIES = Number(process.env.DAMAGED_STORES ?? 60);
/** Copies that one process opens. */
const BATCH_COPIES = 60;
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

/** Opens each store, reads all and changes something; prints "used", or the code of the error. */
const USE_ALL = `
  const { openEmbeddedKeyStore } = await import('${BUILT}decision/embedded-key-store.js');
  const { createPlanFinder, parsePlans } = await import('${BUILT}key/plan.js');
  const { createKeyRecord } = await import('${BUILT}key/key-record.js');
  const findPlan = createPlanFinder(parsePlans('${PLANS}'));
  for (const folder of process.argv.slice(1)) {
    let store;
    try {
      store = await openEmbeddedKeyStore({ folder, findPlan });
      for (let round = 0; round < 3; round++) {
        await store.directory.list(() => {});
        const record = createKeyRecord('new', new Date());
        const usage = { months: new Map(), days: new Map() };
        await store.directory.create({ digest: String(round).repeat(64), record, sealed: null, usage });
      }
      console.log('used');
    } catch (error) {
      if (error.name !== 'KeyStoreError') throw error;
      console.log(error.code);
    }
    await store?.close();
  }
`;

test('the sound store has no damage', () => {
  expect(findDataFileDamage(join(sound, 'keys.mdb'))).toBeUndefined();
});

test('an emptied store is no new one', () => {
  expect(findDataFileDamage(join(makeCopy(Buffer.alloc(0)), 'keys.mdb'))).toBe('it is empty, but keys were counted');
});

test.each([
  ['page size', 24 + 24],
  ['options', 24 + 24 + 5],
])('meta pages of which one has another %s are found, in either', (_, offset) => {
  for (const meta of [0, PAGE_BYTES]) {
    const copy = Buffer.from(bytes);
    copy[meta + offset] = (copy[meta + offset] as number) ^ 0x20;
    expect(findDataFileDamage(join(makeCopy(copy), 'keys.mdb'))).toEqual(expect.any(String));
  }
});

test('no damaged copy ends a process by a signal, and all that lmdb would fall over are found', () => {
  const outcomes: string[] = [];
  while (outcomes.length < COPIES) {
    const copies = Array.from({ length: BATCH_COPIES }, (_, index) => {
      return makeCopy((DAMAGES[index % DAMAGES.length] as (copy: Buffer) => Buffer)(Buffer.from(bytes)));
    });
    const used = spawnSync(process.execPath, ['--input-type=module', '-e', USE_ALL, ...copies], { encoding: 'utf8' });
    expect(used).toMatchObject({ signal: null, status: 0, stderr: '' });
    outcomes.push(...used.stdout.trim().split('\n'));
  }
  expect(outcomes).toHaveLength(Math.ceil(COPIES / BATCH_COPIES) * BATCH_COPIES);
  expect(new Set(outcomes)).toEqual(new Set(['used', 'KEY_STORE_DAMAGED']));
});

test('the commands tell of a damaged page in one line, which has the way back', () => {
  const newer = bytes.readBigUInt64LE(152) > bytes.readBigUInt64LE(PAGE_BYTES + 152) ? 0 : PAGE_BYTES;
  const root = Number(bytes.readBigUInt64LE(newer + 136));
  const folder = makeCopy(zeroPage(Buffer.from(bytes), root));
  const listed = spawnSync(process.execPath, [PROGRAM, 'keys', 'list', '--store', folder], { encoding: 'utf8' });
  expect(listed).toMatchObject({ signal: null, status: 1, stdout: '' });
  expect(listed.stderr).toContain(`keys import --store ${folder}`);
  expect(listed.stderr.trim().split('\n')).toHaveLength(1);
});
