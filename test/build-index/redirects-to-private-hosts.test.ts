/**
 * A download that a public host redirects: to public hosts, and never to a private one, whatever name or notation the
 * private one hides behind. The whole of 127.0.0.0/8 is the loopback interface, so that here 127.1.0.0/16 plays the public
 * internet, and names are those of the test.
 */

import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  DEFAULT_LIMITS,
  type DownloadResult,
  downloadRelease,
} from '../../build-index/downloading/download-release.js';
import { isPrivateAddress, type Network, publicLookup, SYSTEM_NETWORK } from '../../src/base/requests.js';
import { answerWith, type FileServer, startFileServer } from '../fixtures/file-server.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import { zipOf } from '../fixtures/zip-writer.js';

const PUBLIC = '127.1.0.1';
const PRIVATE = '127.0.0.1';

let folder: TemporaryFolder;
let publicServer: FileServer;
let privateServer: FileServer;
/** The addresses of each name, for each time that it is looked up; the last ones stay. */
let names: Record<string, string[][]>;
let lookups: string[];

const NETWORK: Network = {
  isPrivate: (address) => !address.startsWith('127.1.'),
  lookup: (hostname, options, callback) => {
    lookups.push(hostname);
    const turns = names[hostname] ?? [];
    const found = (turns.length > 1 ? turns.shift() : turns[0]) ?? [];
    const addresses = found.map((address) => ({ address, family: 4 }));
    const error =
      addresses.length === 0 ? Object.assign(new Error(`${hostname} is unknown`), { code: 'ENOTFOUND' }) : null;
    if (options.all) callback(error, addresses);
    else callback(error, addresses[0]?.address ?? '', 4);
  },
};

beforeEach(async () => {
  folder = createTemporaryFolder();
  publicServer = await startFileServer(PUBLIC);
  privateServer = await startFileServer(PRIVATE);
  const bytes = zipOf([{ name: 'DE.txt', content: Buffer.from('DE\t10115\tBerlin\n') }]);
  for (const server of [publicServer, privateServer]) server.files.set('DE.zip', { bytes });
  [names, lookups] = [{}, []];
});
afterEach(async () => {
  await Promise.all([publicServer.stop(), privateServer.stop()]);
  folder.remove();
});

const portOf = ({ url }: FileServer): string => new URL(url).port;

async function download(from: string): Promise<DownloadResult> {
  const [result] = await downloadRelease(
    {
      from: new URL(from),
      gazetteerFrom: new URL(from),
      gazetteerFiles: [],
      folder: folder.path,
      countries: ['DE'],
      fullCodes: false,
      limits: { ...DEFAULT_LIMITS, network: NETWORK },
      retryPolicy: { retries: 2, wait: async () => {}, random: () => 0 },
    },
    silentProgress,
  );
  return result as DownloadResult;
}

async function expectRefusal(from: string, address: string): Promise<void> {
  const result = await download(from);
  expect(result).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(
      /^redirects to ".*" at the private address .*, which is not followed from a public host$/,
    ),
  });
  expect(result).toMatchObject({ error: expect.stringContaining(`private address ${address},`) });
  expect(privateServer.requests).toEqual([]);
  expect(readdirSync(folder.path)).toEqual([]);
}

describe('a redirect of a public host', () => {
  const redirectTo = (location: string): void => {
    publicServer.faults.push(answerWith(302, { location }));
  };

  test('to another public host is followed', async () => {
    names['mirror.test'] = [[PUBLIC]];
    redirectTo(`http://mirror.test:${portOf(publicServer)}/DE.zip`);
    expect(await download(publicServer.url)).toMatchObject({ status: 'fetched' });
    expect([lookups, publicServer.requests.length]).toEqual([['mirror.test'], 2]);
  });

  test.each([
    ['its address', PRIVATE, PRIVATE],
    ['its address as one number', '2130706433', PRIVATE],
    ['its address in hexadecimal', '0x7f.1', PRIVATE],
    ['its address in octal', '0177.0.0.01', PRIVATE],
    ['its address within IPv6', '[::ffff:127.0.0.1]', '::ffff:7f00:1'],
    ['the unspecified address', '0.0.0.0', '0.0.0.0'],
    ['the loopback address of IPv6', '[::1]', '::1'],
  ])('to a private host, by %s, is not', async (_, host, address) => {
    redirectTo(`http://${host}:${portOf(privateServer)}/DE.zip`);
    await expectRefusal(publicServer.url, address);
  });

  test('to a private host by name is not, nor to one of whose addresses one is private', async () => {
    names['inside.test'] = [[PRIVATE]];
    names['both.test'] = [[PUBLIC, PRIVATE]];
    for (const name of ['inside.test', 'both.test']) {
      redirectTo(`http://${name}:${portOf(privateServer)}/DE.zip`);
      await expectRefusal(publicServer.url, PRIVATE);
    }
  });

  test('to its own name is not where that has become private: what is checked is what is connected to', async () => {
    names['rebinding.test'] = [[PUBLIC], [PRIVATE]];
    redirectTo(`http://rebinding.test:${portOf(privateServer)}/DE.zip`);
    await expectRefusal(`http://rebinding.test:${portOf(publicServer)}/`, PRIVATE);
    expect(lookups).toEqual(['rebinding.test', 'rebinding.test']);
  });

  test('to a private host by way of other public ones is not', async () => {
    redirectTo('/elsewhere/DE.zip');
    redirectTo(`http://${PRIVATE}:${portOf(privateServer)}/DE.zip`);
    await expectRefusal(publicServer.url, PRIVATE);
    expect(publicServer.requests).toHaveLength(2);
  });

  test('to a name that nobody has is tried again', async () => {
    for (let count = 0; count < 3; count++) redirectTo('http://nowhere.test/DE.zip');
    expect(await download(publicServer.url)).toMatchObject({ error: 'nowhere.test is unknown (try 3, the last)' });
  });
});

describe('a private host that the operator names', () => {
  test('is asked', async () => {
    names['intranet.test'] = [[PRIVATE]];
    const from = `http://intranet.test:${portOf(privateServer)}/`;
    expect(await download(from)).toMatchObject({ status: 'fetched' });
  });

  test('may redirect to private hosts, but not by way of a public one', async () => {
    privateServer.faults.push(answerWith(302, { location: '/elsewhere/DE.zip' }));
    expect(await download(privateServer.url)).toMatchObject({ status: 'fetched' });
    privateServer.requests.length = 0;
    privateServer.faults.push(answerWith(302, { location: publicServer.url }));
    publicServer.faults.push(answerWith(302, { location: `${privateServer.url}DE.zip` }));
    expect(await download(`${privateServer.url}other/`)).toMatchObject({ status: 'failed' });
    expect(privateServer.requests).toHaveLength(1);
  });
});

describe('addresses', () => {
  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::10.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '2001::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
  ])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));

  test.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '169.253.0.1',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.0.1',
    '192.169.0.1',
    '223.255.255.255',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
    '2001:4860:4860::8888',
    '2606:4700:4700::1111',
    '2a01:4f8::1',
  ])('%s is public', (address) => expect(isPrivateAddress(address)).toBe(false));

  test("the system's lookup is held to it, whether one address is asked for or all", async () => {
    const lookup = publicLookup(new URL('http://localhost/'), SYSTEM_NETWORK);
    for (const all of [true, false]) {
      const error = await new Promise((resolve) => lookup('localhost', { all }, resolve));
      expect(String(error)).toMatch(/DownloadError: redirects to "http:\/\/localhost\/" at the private address /);
    }
    const one = publicLookup(new URL('http://a.test/'), NETWORK);
    names['a.test'] = [[PUBLIC]];
    expect(await new Promise((resolve) => one('a.test', {}, (...found) => resolve(found)))).toEqual([null, PUBLIC, 4]);
  });
});
