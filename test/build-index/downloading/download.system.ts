/**
 * Downloading a release from a server that is forgetful, out of order or malicious: what is there stays whole. Faults of
 * the network are in test/releases/fetching.
 */
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { DownloadOptions, DownloadResult } from '../../../build-index/downloading/download-release.js';
import { openRelease } from '../../../build-index/reading/release.js';
import {
  answerWith,
  breakOffAfter,
  type Fault,
  type FileServer,
  type ServedFile,
  stallAfter,
  startFileServer,
} from '../../fixtures/file-server.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../fixtures/fixture-snapshot.js';
import { type ProgramResult, runCalls, runProgramAside, startProgram } from '../../fixtures/program.js';
import { silentProgress } from '../../fixtures/silent-progress.js';
import { waitUntil } from '../../fixtures/wait-until.js';
import { deflatedZipOf, zipOf } from '../../fixtures/zip-writer.js';

const { downloadRelease } = await import('../../../build-index/downloading/download-release.js');

const DAY = 'Sat, 28 Mar 2026 01:02:03 GMT';
const NEXT_DAY = 'Sun, 29 Mar 2026 01:02:03 GMT';
/** A file as GeoNames publishes it, of about 200 kB; another version has another content of the same length. */
function publishedFile(country: string, version = 1): ServedFile {
  const content = Buffer.from(`${country}\t1000\tplace ${version}\t\t\t\t\t\t\t47\t9\t\n`.repeat(6000));
  const readme = { name: 'readme.txt', content: Buffer.from('Readme\n') };
  const bytes = zipOf([readme, { name: `${country}.txt`, content }]);
  return { bytes, etag: `"${country}-${version}"`, lastModified: version === 1 ? DAY : NEXT_DAY };
}

let server: FileServer;
let folder: TemporaryFolder;
const inFolder = (name: string): string => join(folder.path, name);

beforeEach(async () => {
  server = await startFileServer();
  folder = createTemporaryFolder();
  server.files.set('DE.zip', publishedFile('DE'));
  server.files.set('FR.zip', publishedFile('FR'));
});
afterEach(async () => {
  await server.stop();
  folder.remove();
});

async function download(options: Partial<DownloadOptions> = {}, retries = 2): Promise<DownloadResult[]> {
  return await downloadRelease(
    {
      from: new URL(server.url),
      gazetteerFrom: new URL(server.url),
      gazetteerFiles: [],
      folder: folder.path,
      countries: ['DE'],
      fullCodes: false,
      stallMs: 20_000,
      retries,
      ...options,
    },
    silentProgress,
  );
}

/** The result for DE.zip, which must be there, as published, if the result says so. */
async function downloadOne(options: Partial<DownloadOptions> = {}, retries = 2): Promise<DownloadResult> {
  const [result] = (await download(options, retries)) as [DownloadResult];
  if (result.status !== 'failed') {
    expect(readFileSync(inFolder('DE.zip')).equals(server.files.get('DE.zip')?.bytes as Buffer)).toBe(true);
    expect(readdirSync(folder.path).filter((name) => name.includes('partial'))).toEqual([]);
  }
  return result;
}

const partialSize = (): number => statSync(inFolder('.DE.zip.partial'), { throwIfNoEntry: false })?.size ?? 0;
const breakOff = breakOffAfter(50_000, () => partialSize() >= 50_000);
const headersOf = (request: number) => server.requests.at(request)?.headers ?? {};

test('a link that somebody left for a partial file is not followed, and a download that would go on begins anew', async () => {
  server.faults.push(breakOff);
  await download({}, 0);
  renameSync(inFolder('.DE.zip.partial'), inFolder('precious'));
  symlinkSync(inFolder('precious'), inFolder('.DE.zip.partial'));
  const bytes = readFileSync(inFolder('precious'));
  expect(await downloadOne()).toMatchObject({ status: 'fetched' });
  expect(readFileSync(inFolder('precious')).equals(bytes)).toBe(true);
});

test('a file system that gives files another owner gets a download from the beginning', async () => {
  const user = process.geteuid?.() as number;
  const asked = jest.spyOn(process as { geteuid(): number }, 'geteuid').mockReturnValue(user + 1);
  try {
    expect(await downloadOne({}, 0)).toMatchObject({ status: 'fetched' });
  } finally {
    asked.mockRestore();
  }
});

describe('what is there', () => {
  test('is fetched whole, has the date of the server, and makes a release', async () => {
    const results = await download({ countries: ['DE', 'FR'] });
    expect(results).toEqual([
      { file: 'DE.zip', status: 'fetched', bytes: statSync(inFolder('DE.zip')).size },
      { file: 'FR.zip', status: 'fetched', bytes: statSync(inFolder('FR.zip')).size },
    ]);
    expect(statSync(inFolder('DE.zip')).mtime).toEqual(new Date(DAY));
    expect(readdirSync(folder.path)).toEqual(['.download.json', 'DE.zip', 'FR.zip']);
    const release = await openRelease(folder.path);
    expect(release.countryFiles.map(({ countryCode }) => countryCode)).toEqual(['DE', 'FR']);
    expect(release.ignoredFiles).toEqual([]);
  });

  test('full codes come with the countries that have them', async () => {
    server.files.set('GB.zip', publishedFile('GB'));
    const content = Buffer.from('GB\tSW1A 1AA\t…\n');
    server.files.set('GB_full.csv.zip', { bytes: zipOf([{ name: 'GB_full.txt', content }]) });
    const filesOf = (results: DownloadResult[]): string[] => results.map(({ file, status }) => `${file} ${status}`);
    const countries = ['DE', 'GB'];
    expect(filesOf(await download({ countries, fullCodes: true }))).toEqual(
      ['DE.zip', 'GB.zip', 'GB_full.csv.zip'].map((file) => `${file} fetched`),
    );
    const all = await download({ countries: null, fullCodes: true }, 0);
    expect(all.map(({ file }) => file)).toEqual([
      'allCountries.zip',
      'CA_full.csv.zip',
      'GB_full.csv.zip',
      'NL_full.csv.zip',
    ]);
    const release = await openRelease(folder.path);
    expect(release.fullFiles).toMatchObject([{ countryCode: 'GB', textName: 'GB_full.txt' }]);
    expect(release.ignoredFiles).toEqual([]);
  });

  test.each(['etag', 'lastModified'] as const)('is not fetched again while its %s is the same', async (validator) => {
    const { bytes, [validator]: value } = publishedFile('DE');
    server.files.set('DE.zip', { bytes, [validator]: value as string });
    await downloadOne();
    const { ino } = statSync(inFolder('DE.zip'));
    expect(await downloadOne()).toEqual({ file: 'DE.zip', status: 'unchanged', bytes: bytes.length });
    expect(statSync(inFolder('DE.zip')).ino).toBe(ino);
  });

  test('is fetched again when it has changed', async () => {
    await downloadOne();
    server.files.set('DE.zip', publishedFile('DE', 2));
    expect(await downloadOne()).toMatchObject({ status: 'fetched' });
    expect(headersOf(-1)).toMatchObject({ 'if-none-match': '"DE-1"', 'if-modified-since': DAY });
  });

  test.each<[string, () => void]>([
    [
      'the file is damaged',
      () => writeFileSync(inFolder('DE.zip'), readFileSync(inFolder('DE.zip')).fill(0, 500, 600)),
    ],
    ['the file is another', () => appendFileSync(inFolder('DE.zip'), 'x')],
    ['the record is damaged', () => writeFileSync(inFolder('.download.json'), '{"files": {"DE.zip": null')],
    ['the record is of something else', () => writeFileSync(inFolder('.download.json'), '{"files": {"DE.zip": 7}}')],
  ])('is fetched again when %s', async (_, damage) => {
    await downloadOne();
    damage();
    expect(await downloadOne()).toMatchObject({ status: 'fetched' });
    expect(headersOf(-1)).not.toHaveProperty('if-none-match');
  });

  test('is fetched again from another address', async () => {
    await downloadOne();
    const from = new URL('../../other/', server.url);
    expect(await downloadOne({ from })).toMatchObject({ status: 'fetched' });
  });
});

describe('what broke off', () => {
  test('is a beginning that does not fit: the whole is fetched once more', async () => {
    server.faults.push(breakOff);
    await downloadOne({}, 0);
    writeFileSync(inFolder('.DE.zip.partial'), Buffer.alloc(1000));
    expect(await downloadOne()).toMatchObject({ status: 'fetched' });
    expect(server.requests).toHaveLength(3);
  });
});

/** Sound archives and others that are not what was asked for, with a length that is right. */
const { bytes: good } = publishedFile('DE');
const SMALL = { name: 'DE.txt', content: Buffer.from('DE') };
const RUBBISH: [string, Fault, RegExp][] = [
  ['a page instead of the file', answerWith(200, {}, '<!DOCTYPE html><p>Down for maintenance'), /not a sound zip/],
  ['an archive with a byte changed', answerWith(200, {}, Buffer.from(good).fill(0, 5000, 5001)), /CRC-32/],
  ['an archive of another country', answerWith(200, {}, publishedFile('FR').bytes), /no DE\.txt with content/],
  ['an empty list', answerWith(200, {}, zipOf([{ ...SMALL, content: Buffer.alloc(0) }])), /no DE\.txt with content/],
  [
    'an archive that unpacks to more than it says',
    answerWith(200, {}, deflatedZipOf('DE.txt', Buffer.alloc(1e6), 1000)),
    /not a sound zip/,
  ],
  [
    'an archive that unpacks to too much',
    answerWith(200, {}, deflatedZipOf('DE.txt', Buffer.alloc(1e6), 3e9)),
    /would unpack to more than 2000000000 bytes/,
  ],
  ['an archive of too many files', answerWith(200, {}, zipOf(Array(101).fill(SMALL))), /101 entries/],
];

describe('rubbish', () => {
  test.each(RUBBISH)('%s: the file there stays, and the next try gets the new one', async (_, fault, message) => {
    await downloadOne();
    const before = readFileSync(inFolder('DE.zip'));
    server.files.set('DE.zip', publishedFile('DE', 2));
    server.faults.push(fault);
    const failure = { status: 'failed', error: expect.stringMatching(message) };
    expect(await downloadOne({}, 0)).toMatchObject(failure);
    expect(readFileSync(inFolder('DE.zip')).equals(before)).toBe(true);
    server.faults.push(fault);
    expect(await downloadOne({}, 5)).toMatchObject({ bytes: before.length });
  });

  test('of a file that is too large nothing is left', async () => {
    server.faults.push(answerWith(200, { 'content-length': 1e12 }));
    expect(await downloadOne()).toMatchObject({ status: 'failed', error: 'is longer than 1000000000 bytes' });
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

describe('the program', () => {
  const from = (): string[] => ['download', '--from', server.url, '--to', inFolder('new'), '--retries', '0'];
  const statusesIn = (result?: ProgramResult): string[] =>
    JSON.parse(result?.stdout ?? '').files.map(({ file, status }: DownloadResult) => `${file} ${status}`);

  test('reports as one object, and which file cannot be had and why; the others are there', async () => {
    const args = [...from(), '--countries', 'de,FR', '--json'];
    const [first, second, failed] = await runCalls([args, args, [...from(), '--countries', 'XX,DE']]);
    const { files, ...report } = JSON.parse(first?.stdout ?? '');
    expect(report).toEqual({ from: server.url, to: inFolder('new') });
    const bytes = server.files.get('DE.zip')?.bytes.length;
    expect(files[0]).toEqual({ file: 'DE.zip', status: 'fetched', bytes });
    expect(statusesIn(second)).toEqual(['DE.zip unchanged', 'FR.zip unchanged']);
    expect([first, second, failed].map((result) => result?.exitCode)).toEqual([0, 0, 1]);
    expect(failed?.stdout).toMatch(/^XX\.zip +failed +none .*\nDE\.zip +unchanged +[\d.]+ kB /m);
    expect(failed?.stderr).toMatch(/1 of 2 files .*\n {2}XX\.zip: the host answers with status 404\n$/);
  });

  test('tables of the gazetteer come from their own folder, and from no mirror that is not said to have them', async () => {
    for (const name of ['cities500', 'alternateNamesV2', 'GB']) server.files.set(`${name}.zip`, publishedFile(name));
    const call = (...args: string[]): string[] => [...from(), '--countries', 'DE', '--json', ...args];
    const named = call('--gazetteer-from', server.url, '--alternate-names');
    const units = { etag: '"units"', lastModified: DAY };
    server.files.set('admin1CodesASCII.txt', { ...units, bytes: Buffer.from('<p>Gone</p>') });
    const gazetteer = ['cities500.zip', 'alternateNamesV2.zip', 'admin1CodesASCII.txt'];
    const expected = (de: string, ...statuses: string[]): string[] =>
      ['DE.zip', ...gazetteer].slice(0, statuses.length + 1).map((file, at) => `${file} ${[de, ...statuses][at]}`);
    expect((await runCalls([call(), named])).map(statusesIn)).toEqual([
      expected('fetched'),
      expected('unchanged', 'fetched', 'fetched', 'failed'),
    ]);
    server.files.set('admin1CodesASCII.txt', { ...units, bytes: Buffer.from('DE.02\tBavaria\tBavaria\t2951839\n') });
    const without = call('--gazetteer-from', server.url, '--no-gazetteer');
    const ofBritain = [call('--countries', 'GB', '--no-full'), call('--countries', 'GB')];
    expect((await runCalls([named, named, without, ...ofBritain])).map(statusesIn)).toEqual([
      expected('unchanged', 'unchanged', 'unchanged', 'fetched'),
      expected('unchanged', 'unchanged', 'unchanged', 'unchanged'),
      expected('unchanged'),
      ['GB.zip fetched'],
      ['GB.zip unchanged', 'GB_full.csv.zip failed'],
    ]);
  });

  test('interrupted, it leaves what has come, and goes on from there', async () => {
    server.faults.push(stallAfter(100_000));
    const program = startProgram([...from(), '--countries', 'DE']);
    const ended = once(program, 'exit');
    const partial = join(inFolder('new'), '.DE.zip.partial');
    await waitUntil('the first bytes', () => existsSync(partial) && statSync(partial).size > 0);
    program.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(statusesIn(await runProgramAside([...from(), '--countries', 'DE', '--json']))).toEqual(['DE.zip resumed']);
  });
});
