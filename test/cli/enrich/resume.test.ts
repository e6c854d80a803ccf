/** A run that ends at any moment is continued: the result has the bytes, and the report the counts, of one run. */

import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { enrichTable } from '../../../cli/enrich/enrich-table.js';
import type { TableRequest } from '../../../cli/enrich/plan-table.js';
import { fileOutput, openTable, readCheckpoint } from '../../../cli/enrich/table-files.js';
import { ExpectedError } from '../../../src/base/errors.js';
import { openSnapshot, type Snapshot } from '../../../src/core/snapshot/snapshot.js';
import { buildScene } from './scene.js';

const { snapshotPath, folderPath } = buildScene(['AD']);
let snapshot: Snapshot;
beforeAll(() => {
  snapshot = openSnapshot(snapshotPath());
});

const ROWS = ['AD100,a', 'ad-101,"b\nb"', 'AD999,c', 'AD500', ',d', '"AD102,e', '', 'AD501,"f"'];
const TABLE = Buffer.from(`\ufeffplz,name\r\n${Array.from({ length: 12 }, () => `${ROWS.join('\r\n')}\r\n`).join('')}`);
const PIECE_BYTES = 97;

const REQUEST: TableRequest = {
  format: 'csv',
  kind: 'postcode',
  keyColumns: undefined,
  countryColumn: undefined,
  hasCountry: true,
  fields: ['city', 'latitude'],
};

async function* piecesOf(table: Buffer): AsyncGenerator<Buffer> {
  yield table.subarray(0, 50);
  yield table.subarray(50);
}

/** A run with a checkpoint after each piece, which ends after `pieceCount` pieces. */
function run(out: string, pieceCount = Infinity, { table = TABLE, request = REQUEST } = {}) {
  let left = pieceCount;
  return enrichTable({
    snapshot,
    source: { pieces: piecesOf(table), identity: String(table.length), totalBytes: table.length, bytesRead: () => 0 },
    request,
    country: snapshot.countryByCode.get('AD'),
    async start(fingerprint) {
      const from = readCheckpoint(out, fingerprint);
      return { from, output: await fileOutput(out, from) };
    },
    onPlan() {},
    onPiece() {
      if (left-- === 0) throw new Error('killed');
    },
    checkpointMs: 0,
    pieceBytes: PIECE_BYTES,
  });
}

test('killed after any piece and continued, the result is that of one run, and nothing else is left', async () => {
  const whole = join(folderPath(), 'whole.csv');
  const tally = await run(whole);
  const expected = readFileSync(whole);
  expect(tally.counts).toEqual({ exact: 24, normalised: 12, partial: 0, nearest: 0, none: 12, empty: 12, bad: 24 });
  const pieceCount = Math.ceil(TABLE.length / PIECE_BYTES);
  expect(pieceCount).toBeGreaterThan(7);
  for (let killed = 0; killed <= pieceCount; killed++) {
    const out = join(folderPath(), `killed-${killed}.csv`);
    await expect(run(out, killed)).rejects.toThrow('killed');
    expect(existsSync(out)).toBe(false);
    // Bytes behind the checkpoint, as a kill in the middle of a write leaves them.
    appendFileSync(`${out}.part`, 'AD10');
    const resumed = await run(out);
    expect(readFileSync(out).equals(expected)).toBe(true);
    expect(resumed.state).toEqual(tally.state);
  }
  expect(readdirSync(folderPath()).filter((name) => name.includes('.part'))).toEqual([]);
});

test('killed after every second piece again and again', async () => {
  const out = join(folderPath(), 'often.csv');
  let kills = 0;
  for (let isDone = false; !isDone; ) {
    try {
      await run(out, 2);
      isDone = true;
    } catch (error) {
      expect((error as Error).message).toBe('killed');
      kills++;
    }
  }
  expect(kills).toBeGreaterThan(3);
  expect(readFileSync(out).equals(readFileSync(join(folderPath(), 'whole.csv')))).toBe(true);
});

test.each([
  ['other options', { request: { ...REQUEST, fields: ['city'] as const } }, 'was made from another table'],
  ['another start of the table', { table: Buffer.from(TABLE.toString().replace('AD100', 'AD101')) }, 'another table'],
  ['a shorter table', { table: TABLE.subarray(0, -1) }, 'another table'],
])('a run with %s is not continued', async (change, changed, message) => {
  const out = join(folderPath(), `${change}.csv`);
  await expect(run(out, 3)).rejects.toThrow('killed');
  await expect(run(out, Infinity, changed)).rejects.toThrow(message);
});

test('a table is another one if its file was changed, or if it is read in another encoding', () => {
  const path = join(folderPath(), 'table.csv');
  writeFileSync(path, 'plz\nAD100\n');
  const identityOf = (encoding?: string): string => openTable(path, encoding, process.stdin).identity;
  const first = identityOf();
  expect(identityOf()).toBe(first);
  expect(identityOf('windows-1252')).not.toBe(first);
  expect(identityOf('windows-1252')).not.toBe(identityOf('windows-1251'));
  writeFileSync(path, 'plz\nAD102\n');
  utimesSync(path, 1, 1);
  expect(identityOf()).not.toBe(first);
});

test('a damaged state and a cut result are told', async () => {
  const out = join(folderPath(), 'damaged.csv');
  await expect(run(out, 3)).rejects.toThrow('killed');
  writeFileSync(`${out}.part`, 'plz');
  await expect(run(out)).rejects.toThrow('is cut off');
  for (const state of ['{"fing', 'null']) {
    writeFileSync(`${out}.part.json`, state);
    await expect(run(out)).rejects.toThrow('is damaged');
  }
});

test.each(['.part', '.part.json.tmp'])('a link that somebody left as %s is replaced', async (ending) => {
  const out = join(folderPath(), `linked${ending}.csv`);
  const victim = `${out}.precious`;
  writeFileSync(victim, 'precious');
  symlinkSync(victim, out + ending);
  await run(out);
  expect(readFileSync(victim, 'utf8')).toBe('precious');
  expect(readFileSync(out).equals(readFileSync(join(folderPath(), 'whole.csv')))).toBe(true);
});

test('a link in place of an interrupted result is not continued', async () => {
  const out = join(folderPath(), 'moved.csv');
  await expect(run(out, 3)).rejects.toThrow('killed');
  renameSync(`${out}.part`, `${out}.precious`);
  symlinkSync(`${out}.precious`, `${out}.part`);
  const bytes = readFileSync(`${out}.precious`);
  appendFileSync(`${out}.precious`, 'more');
  await expect(run(out)).rejects.toBeInstanceOf(ExpectedError);
  expect(readFileSync(`${out}.precious`, 'utf8')).toBe(`${bytes}more`);
});

test('a link in place of the state of an interrupted result is refused', async () => {
  const out = join(folderPath(), 'state.csv');
  await expect(run(out, 3)).rejects.toThrow('killed');
  renameSync(`${out}.part.json`, `${out}.moved`);
  symlinkSync(`${out}.moved`, `${out}.part.json`);
  await expect(run(out)).rejects.toBeInstanceOf(ExpectedError);
});

test('a second run with the same --out fails, and the result of the first is whole', async () => {
  const out = join(folderPath(), 'twice.csv');
  const first = await fileOutput(out, undefined);
  await first.write(Buffer.from('first'));
  await expect(run(out)).rejects.toThrow('another run writes');
  await first.finish();
  expect(readFileSync(out, 'utf8')).toBe('first');
  await run(out);
  expect(readFileSync(out).equals(readFileSync(join(folderPath(), 'whole.csv')))).toBe(true);
});
