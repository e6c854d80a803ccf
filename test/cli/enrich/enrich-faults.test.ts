/** Encodings, wrong usage, what fails, and what a terminal sees. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { buildScene, runEnrich } from './scene.js';

const { snapshotPath, folderPath, enrich, resultOf } = buildScene(['DE']);

describe('encodings', () => {
  const table = 'plz,straße\n80331,a\n';

  test('--encoding: the result is UTF-8', async () => {
    expect(
      await resultOf(Buffer.from(table, 'latin1'), '--encoding', 'windows-1252', '--country', 'DE', '--add', 'city'),
    ).toBe('plz,straße,city,match\n80331,a,München,exact\n');
  });

  test('UTF-16 with a byte order mark is read by itself', async () => {
    expect(await resultOf(Buffer.from(`\ufeff${table}`, 'utf16le'), '--country', 'DE', '--add', 'city')).toBe(
      '\ufeffplz,straße,city,match\n80331,a,München,exact\n',
    );
  });

  test('another encoding is told', async () => {
    const { exitCode, out, errors } = await enrich(Buffer.from(table, 'latin1'), '--country', 'DE');
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
    expect(errors).toEqual(expect.stringMatching(/^line 1 is not UTF-8; .*--encoding windows-1252$/));
  });
});

describe('wrong usage, and what fails', () => {
  test.each<[string, string[], number, string]>([
    ['plz\n1\n', [], 2, 'a country: name one by --country-column'],
    ['a,land\n1,DE\n', [], 2, '--postcode-column or --text; the table has "a", "land"'],
    ['plz\n1\n', ['--postcode-column', 'zip', '--country', 'DE'], 2, 'no column "zip"; it has "plz"'],
    ['plz\n1\n', ['--country', 'Atlantis'], 2, 'no country is called "Atlantis"'],
    ['plz\n1\n', ['--country', 'FR'], 2, 'France is not in this snapshot'],
    ['plz\n1\n', ['--add', 'city,cty,toString'], 2, 'no field cty, toString; the fields are city, '],
    ['plz\n1\n', ['--add', ','], 2, '--add names no field'],
    ['plz\n1\n', ['--reverse', 'lat'], 2, '--reverse needs the names of two columns'],
    ['plz\n1\n', ['--reverse', 'lat,lng', '--text', 'a'], 2, 'cannot be used with'],
    ['plz\n1\n', ['--resume'], 2, '--resume needs --out with a file'],
    ['plz\n1\n', ['--out', '-', '--resume'], 2, '--resume needs --out with a file'],
    ['plz\n1\n', ['--encoding', 'klingon'], 2, 'no encoding is called "klingon"'],
    ['plz\n1\n', ['--format', 'xls'], 2, 'Allowed choices are csv, tsv, ndjson'],
    ['', ['--country', 'DE'], 1, 'the table is empty'],
    ['\ufeff \n\n', ['--country', 'DE'], 1, 'the table is empty'],
    ['', ['--format', 'ndjson', '--country', 'DE'], 1, 'the table is empty'],
    ['plz,n\r80331,a\r', ['--country', 'DE'], 1, 'CR alone'],
    ['"plz"\r"80331"\r'.padEnd(100_000, 'x'), ['--country', 'DE'], 1, 'CR alone'],
    ['{"plz":1}\r{"plz":2}', ['--format', 'ndjson', '--country', 'DE'], 1, 'CR alone'],
    ['plz,n,plz\n1,a,2\n', ['--country', 'DE'], 2, '2 columns called "plz"'],
    ['plz,land,land\n1,DE,DE\n', [], 2, '2 columns called "land"'],
    ['n,n\n1,2\n', ['--postcode-column', 'N', '--country', 'DE'], 2, '2 columns called "n"'],
    ['"plz\n1\n', ['--country', 'DE'], 1, 'line 1 opens a quote'],
    ['"a\n",plz,"n\n1\n', ['--country', 'DE'], 1, 'line 2 opens a quote'],
    ['plz'.padEnd(100_000, 'x'), ['--country', 'DE'], 1, 'no header in its first 64 KiB'],
    ['[]\n', ['--format', 'ndjson', '--country', 'DE'], 1, 'no JSON object'],
  ])('%j %j', async (stdin, args, exitCode, message) => {
    const run = await enrich(stdin, ...args);
    expect(run.errors).toContain(message);
    expect(run).toMatchObject({ exitCode, out: '' });
  });

  test('an input that is still open is left when the run fails', async () => {
    const stdin = new PassThrough();
    stdin.write(`plz\n${'1\n'.repeat(1 << 16)}`);
    const { exitCode } = await runEnrich(['-', '--format', 'csv', '--snapshot', snapshotPath()], { stdin });
    expect([exitCode, stdin.destroyed]).toEqual([2, true]);
  });

  test('a file whose name has no format, and one that is not there', async () => {
    const options = ['--snapshot', snapshotPath(), '--country', 'DE'];
    expect(await runEnrich(['a.txt', ...options])).toMatchObject({ exitCode: 2 });
    const missing = await runEnrich([join(folderPath(), 'missing.csv'), ...options]);
    expect(missing).toMatchObject({ exitCode: 1, errors: expect.stringContaining('ENOENT') });
  });

  test('a terminal sees a bar with rate and time left', async () => {
    const options = ['--format', 'csv', '--snapshot', snapshotPath(), '--country', 'DE'];
    const args = [...options, '--out', join(folderPath(), 'tty.csv')];
    const table = join(folderPath(), 'tty-table.csv');
    writeFileSync(table, 'plz\n80331\n');
    const { errors } = await runEnrich([table, ...args], { isTTY: true });
    expect(errors).toMatch(/100 % \| 1 rows, [\d,]+ a second \| 0:00 left/);
    expect((await runEnrich([table, ...args])).errors).not.toContain('left');
  });
});
