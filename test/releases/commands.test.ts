/** What `pull`, and `publish` refuse before they read or write anything. */

import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKeyFiles } from '../../src/releases/channel/minisign.js';
import { runHere } from '../cli/running.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';

let folder: TemporaryFolder;
const inFolder = (...names: string[]): string => join(folder.path, ...names);

beforeAll(() => {
  folder = createTemporaryFolder();
  const keys = createKeyFiles();
  writeFileSync(inFolder('places.key'), keys.secret);
  writeFileSync(inFolder('places.key.pub'), keys.public);
  mkdirSync(inFolder('hosted', 'channels'), { recursive: true });
  mkdirSync(inFolder('places'));
  symlinkSync('one-0123456789abcdef.snapshot', inFolder('places', 'current'));
});
afterAll(() => folder?.remove());

const pull = (address: string, to: string, ...rest: string[]) =>
  runHere('pull', address, '--to', inFolder(to), '--key', inFolder('places.key.pub'), ...rest);

describe('an address that nothing can be pulled from', () => {
  test.each([
    ['http://anna:hunter2@data.example/', 'it has a user name or a password'],
    ['https://data.example/?token=1', 'it has a query or a fragment'],
    ['http://127.0.0.1/#x', 'it has a query or a fragment'],
    ['https://[::1', 'it is no address'],
    ['ftp://data.example/', 'it is neither an http or https address nor a path'],
    ['file:///srv/releases', 'it is neither an http or https address nor a path'],
  ])('%s', async (address, why) => {
    const expected = { code: 2, out: '', error: `postal-places: the address can't be pulled from: ${why}\n` };
    expect(await pull(address, 'empty')).toEqual(expected);
    expect(await pull(address, 'empty', '--every', '1h')).toEqual(expected);
  });
});

describe('a folder is of channels or of snapshots, not of both', () => {
  test('pull and publish of a copy leave a folder of channels alone', async () => {
    expect(await pull(inFolder('hosted'), 'hosted')).toMatchObject({
      code: 2,
      error: expect.stringContaining('has channels: pull into another folder'),
    });
    const published = await runHere('publish', inFolder('none.snapshot'), '--to', inFolder('hosted'));
    expect(published).toMatchObject({ code: 2, error: expect.stringContaining('has channels: give --signing-key') });
    expect(readdirSync(inFolder('hosted'))).toEqual(['channels']);
  });

  test('publish to a channel leaves a folder of snapshots alone', async () => {
    const args = ['--to', inFolder('places'), '--signing-key', inFolder('places.key')];
    const published = await runHere('publish', inFolder('none.snapshot'), ...args);
    expect(published).toMatchObject({ code: 2, error: expect.stringContaining('channels need a folder of their own') });
    expect(readdirSync(inFolder('places'))).toEqual(['current']);
  });
});

test('the help of pull shows its times as they are given', async () => {
  expect((await runHere('pull', '--help')).out).toMatch(/--timeout <time> .*\(default: 1h\)/);
});
