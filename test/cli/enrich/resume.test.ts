/** A run that ends at any moment is continued: the result has the bytes of one run, and the report the rows before. */

import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { fileOutput } from '../../../cli/enrich/table-output.js';
import { buildScene, type Run, runEnrich } from './scene.js';

const { snapshotPath, folderPath } = buildScene(['AD']);
const inFolder = (name: string): string => join(folderPath(), name);

const ROWS = ['AD100,a', 'ad-101,"b\nb"', 'AD999,é', ',d', '"AD102,e', '', 'AD501,"f"'];
const TABLES = {
  csv: `\ufeffplz,"n\nn"\r\n${`${ROWS.join('\r\n')}\r\n`.repeat(2)}AD100,x`,
  ndjson: `\ufeff${'{"plz":"AD100"}\n {"plz":"AD999","n":"é"} \r\n\n[1]\n'.repeat(2)}{"plz":"AD101"}`,
};
type Format = keyof typeof TABLES;

/** Enriches from standard input, so that a test can end it. */
function run(format: Format, out: string, stdin: string | Readable = TABLES[format], ...more: string[]): Promise<Run> {
  const args = ['-', '--format', format, '--out', inFolder(out), '--country', 'AD', '--add', 'city,latitude'];
  return runEnrich([...args, '--snapshot', snapshotPath(), '--json', ...more], { stdin });
}

/** An input that breaks off. */
function breaking(start: string): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    yield Buffer.from(start);
    throw new Error('broken');
  }
  return Readable.from(pieces());
}

/** Leaves an unfinished result. */
async function interrupt(format: Format, out: string): Promise<void> {
  // So much of a table is read before anything is written.
  const start = TABLES[format].padEnd(1 << 16, ' ');
  expect(await run(format, out, breaking(start))).toMatchObject({ exitCode: 1, errors: 'broken' });
  expect(existsSync(inFolder(out))).toBe(false);
}

const bytesOf = (name: string): Buffer => readFileSync(inFolder(name));

beforeAll(async () => {
  for (const format of ['csv', 'ndjson'] as const) {
    expect(await run(format, `whole.${format}`)).toMatchObject({ exitCode: 0 });
  }
});

test.each(['csv', 'ndjson'] as const)(
  '%s: killed after any byte and continued, it is as of one run',
  async (format) => {
    const [out, whole] = [`killed.${format}`, bytesOf(`whole.${format}`)];
    await interrupt(format, out);
    const id = bytesOf(`${out}.part.id`);
    const rowCount = TABLES[format].split('\n').filter((line) => line.trim() !== '').length;
    let before = 0;
    for (let bytes = 0; bytes <= whole.length; bytes++) {
      writeFileSync(inFolder(`${out}.part`), whole.subarray(0, bytes));
      writeFileSync(inFolder(`${out}.part.id`), id);
      const { exitCode, errors } = await run(format, out, TABLES[format], '--resume');
      expect([exitCode, bytesOf(out).equals(whole)]).toEqual([0, true]);
      const { rows, rowsBefore, matches, empty, bad } = JSON.parse(errors);
      const counts: number[] = [...Object.values<number>(matches), empty, bad];
      expect(counts.reduce((sum, count) => sum + count, rowsBefore)).toBe(rows);
      expect(rowsBefore).toBeGreaterThanOrEqual(before);
      before = rowsBefore;
    }
    // All but the last row, which has no line break.
    expect(before).toBeGreaterThan(5);
    expect(before).toBeLessThan(rowCount);
    expect(readdirSync(folderPath()).filter((name) => name.startsWith(`${out}.`))).toEqual([]);
  },
);

test('interrupted again and again, it is as of one run, and says what it does', async () => {
  const table = `plz\n${'AD100\nAD999\n'.repeat(20_000)}`;
  const args = [
    '-',
    '--format',
    'csv',
    '--country',
    'AD',
    '--snapshot',
    snapshotPath(),
    '--out',
    inFolder('often.csv'),
  ];
  const resume = (stdin: string | Readable) => runEnrich([...args, '--resume'], { stdin });
  const first = await resume(breaking(table.slice(0, 80_000)));
  expect(first.errors).toContain('nothing to resume: starting anew\n');
  const sizes = [bytesOf('often.csv.part').length];
  for (const bytes of [70_000, 150_000, 200_000]) {
    expect((await resume(breaking(table.slice(0, bytes)))).errors).toContain('resuming\n');
    sizes.push(bytesOf('often.csv.part').length);
  }
  expect(sizes[1]).toBe(sizes[0]);
  expect(sizes[2]).toBeGreaterThan(sizes[0] as number);
  expect(sizes[3]).toBeGreaterThan(sizes[2] as number);
  const { errors } = await resume(table);
  expect(errors).toMatch(/^40,000 rows \([1-9][\d,]+ of them before\) in /m);
  expect(bytesOf('often.csv').toString()).toBe(
    `plz,city,state,latitude,longitude,match\n${'AD100,Canillo,Canillo,42.5667,1.6,exact\nAD999,,,,,none\n'.repeat(20_000)}`,
  );
});

describe('is not continued', () => {
  test.each<[string, string | undefined, string[], string]>([
    ['with other options', undefined, ['--raw-cells'], 'with other options'],
    ['in another encoding', undefined, ['--encoding', 'windows-1252'], 'has other rows than the table'],
    ['with another field', undefined, ['--add', 'city'], 'with other options'],
    ['from another row', TABLES.csv.replace('AD999', 'AD998'), [], 'has other rows than the table'],
    ['from another header', TABLES.csv.replace('plz', 'zip'), [], 'has other rows than the table'],
  ])('%s', async (name, table, more, message) => {
    const out = `${name}.csv`;
    await interrupt('csv', out);
    writeFileSync(inFolder(`${out}.part`), bytesOf('whole.csv').subarray(0, -20));
    const before = bytesOf(`${out}.part`);
    const { exitCode, errors } = await run('csv', out, table, ...more, '--resume');
    expect([exitCode, errors]).toEqual([1, expect.stringContaining(message)]);
    expect(bytesOf(`${out}.part`).equals(before)).toBe(true);
  });

  test.each(['.part', '.part.id'])('where %s is a link', async (ending) => {
    const out = `moved${ending}.csv`;
    await interrupt('csv', out);
    renameSync(inFolder(out + ending), inFolder(`${out}.precious`));
    symlinkSync(inFolder(`${out}.precious`), inFolder(out + ending));
    const before = bytesOf(`${out}.precious`);
    expect(await run('csv', out, undefined, '--resume')).toMatchObject({ exitCode: 1, out: '' });
    expect(bytesOf(`${out}.precious`).equals(before)).toBe(true);
  });
});

test('a table that has got more rows, or another time of change, is continued', async () => {
  await interrupt('csv', 'longer.csv');
  const part = inFolder('longer.csv.part');
  writeFileSync(part, bytesOf('whole.csv'));
  expect(await run('csv', 'longer.csv', `${TABLES.csv}\nAD101,y\n`, '--resume')).toMatchObject({ exitCode: 0 });
  expect(bytesOf('longer.csv').toString()).toBe(`${bytesOf('whole.csv')}\nAD101,y,Soldeu,42.57,exact\n`);
});

test.each(['.part', '.part.id'])('without --resume a link that somebody left as %s is replaced', async (ending) => {
  const out = `linked${ending}.csv`;
  writeFileSync(inFolder('precious'), 'precious');
  symlinkSync(inFolder('precious'), inFolder(out + ending));
  await run('csv', out);
  expect(bytesOf('precious').toString()).toBe('precious');
  expect(bytesOf(out).equals(bytesOf('whole.csv'))).toBe(true);
});

test('without --resume a run begins anew', async () => {
  await interrupt('csv', 'anew.csv');
  appendFileSync(inFolder('anew.csv.part'), 'and more\n'.repeat(100));
  expect(JSON.parse((await run('csv', 'anew.csv')).errors).rowsBefore).toBe(0);
  expect(bytesOf('anew.csv').equals(bytesOf('whole.csv'))).toBe(true);
});

test('a second run with the same --out fails, and the result of the first is whole', async () => {
  const first = await fileOutput(inFolder('twice.csv'), 'id', false);
  await first.write(Buffer.from('first'));
  expect((await run('csv', 'twice.csv')).errors).toContain('another run writes');
  await first.finish();
  expect(bytesOf('twice.csv').toString()).toBe('first');
  await run('csv', 'twice.csv');
  expect(bytesOf('twice.csv').equals(bytesOf('whole.csv'))).toBe(true);
});
