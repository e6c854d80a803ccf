/**
 * A download that a public host redirects: to public hosts, and never to a private one, whatever name or notation the
 * private one hides behind. The whole of 127.0.0.0/8 is the loopback interface, so that here 127.1.0.0/16 plays the public
 * internet, and names are those of the test.
 */

import { closeSync, fstatSync, openSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { isPrivateAddress } from '../../../src/base/private-addresses.js';
import { answerWith, type FileServer, startFileServer } from '../../fixtures/file-server.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../fixtures/fixture-snapshot.js';

const PUBLIC = '127.1.0.1';
const PRIVATE = '127.0.0.1';

let folder: TemporaryFolder;
let fd: number;
let publicServer: FileServer;
let privateServer: FileServer;
/** The addresses of each name, for each time that it is looked up; the last ones stay. */
let names: Record<string, string[][]>;
let lookups: string[];

const lookup: LookupFunction = (hostname, options, callback) => {
  lookups.push(hostname);
  const turns = names[hostname] ?? [];
  const found = (turns.length > 1 ? turns.shift() : turns[0]) ?? [];
  const addresses = found.map((address) => ({ address, family: 4 }));
  const error =
    addresses.length === 0 ? Object.assign(new Error(`${hostname} is unknown`), { code: 'ENOTFOUND' }) : null;
  if (options.all) callback(error, addresses);
  else callback(error, addresses[0]?.address ?? '', 4);
};
jest.unstable_mockModule('node:dns', () => ({ lookup }));
jest.unstable_mockModule('../../../src/base/private-addresses.js', () => ({
  isPrivateAddress: (address: string) => !address.startsWith('127.1.'),
}));
const { publicLookup } = await import('../../../src/base/requests.js');
const { download } = await import('../../../src/releases/fetching/download.js');

beforeEach(async () => {
  folder = createTemporaryFolder();
  fd = openSync(join(folder.path, 'file'), 'w+');
  publicServer = await startFileServer(PUBLIC);
  privateServer = await startFileServer(PRIVATE);
  for (const server of [publicServer, privateServer]) server.files.set('file', { bytes: Buffer.from('Berlin') });
  [names, lookups] = [{}, []];
});
afterEach(async () => {
  closeSync(fd);
  folder.remove();
  await Promise.all([publicServer.stop(), privateServer.stop()]);
});

const portOf = ({ url }: FileServer): string => new URL(url).port;

const fetchFrom = (from: string) =>
  download({ url: new URL('file', from), fd, stallMs: 20_000, retries: 0, maxBytes: 1_000 });

async function expectRefusal(from: string, address: string): Promise<void> {
  const refusal = new RegExp(
    `^redirects to ".*" at the private address ${address.replaceAll('.', '\\.')}, which is not`,
  );
  await expect(fetchFrom(from)).rejects.toMatchObject({ message: expect.stringMatching(refusal), isFinal: true });
  expect(privateServer.requests).toEqual([]);
  expect(fstatSync(fd).size).toBe(0);
}

describe('a redirect of a public host', () => {
  const redirectTo = (location: string): void => {
    publicServer.faults.push(answerWith(302, { location }));
  };

  test('to another public host is followed', async () => {
    names['mirror.test'] = [[PUBLIC]];
    redirectTo(`http://mirror.test:${portOf(publicServer)}/file`);
    expect(await fetchFrom(publicServer.url)).toBe('fetched');
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
    redirectTo(`http://${host}:${portOf(privateServer)}/file`);
    await expectRefusal(publicServer.url, address);
  });

  test('to a private host by name is not, nor to one of whose addresses one is private', async () => {
    names['inside.test'] = [[PRIVATE]];
    names['both.test'] = [[PUBLIC, PRIVATE]];
    for (const name of ['inside.test', 'both.test']) {
      redirectTo(`http://${name}:${portOf(privateServer)}/file`);
      await expectRefusal(publicServer.url, PRIVATE);
    }
  });

  test('to its own name is not where that has become private: what is checked is what is connected to', async () => {
    names['rebinding.test'] = [[PUBLIC], [PRIVATE]];
    redirectTo(`http://rebinding.test:${portOf(privateServer)}/file`);
    await expectRefusal(`http://rebinding.test:${portOf(publicServer)}/`, PRIVATE);
    expect(lookups).toEqual(['rebinding.test', 'rebinding.test']);
  });

  test('to a private host by way of other public ones is not', async () => {
    redirectTo('/elsewhere/file');
    redirectTo(`http://${PRIVATE}:${portOf(privateServer)}/file`);
    await expectRefusal(publicServer.url, PRIVATE);
    expect(publicServer.requests).toHaveLength(2);
  });

  test('to a name that nobody has may be tried again', async () => {
    redirectTo('http://nowhere.test/file');
    await expect(fetchFrom(publicServer.url)).rejects.toMatchObject({
      message: 'nowhere.test is unknown',
      isFinal: false,
    });
  });
});

describe('a private host that the operator names', () => {
  test('is asked', async () => {
    names['intranet.test'] = [[PRIVATE]];
    const from = `http://intranet.test:${portOf(privateServer)}/`;
    expect(await fetchFrom(from)).toBe('fetched');
  });

  test('may redirect to private hosts, but not by way of a public one', async () => {
    privateServer.faults.push(answerWith(302, { location: '/elsewhere/file' }));
    expect(await fetchFrom(privateServer.url)).toBe('fetched');
    privateServer.requests.length = 0;
    privateServer.faults.push(answerWith(302, { location: publicServer.url }));
    publicServer.faults.push(answerWith(302, { location: `${privateServer.url}file` }));
    await expect(fetchFrom(`${privateServer.url}other/`)).rejects.toThrow('at the private address');
    expect(privateServer.requests).toHaveLength(1);
  });
});

describe('addresses', () => {
  const PRIVATE_ONES = `
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.0.1 169.254.169.254 172.16.0.1 172.31.255.255
    192.0.0.1 192.168.1.1 198.18.0.1 224.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1
    ::ffff:a9fe:a9fe 64:ff9b::10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2001::1 2002:7f00:1:: fc00::1 fd12:3456::1 fe80::1
    fe80::1%eth0 fec0::1 ff02::1 localhost`;
  const PUBLIC_ONES = `
    1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 169.253.0.1 172.15.255.255
    172.32.0.0 192.167.0.1 192.169.0.1 223.255.255.255 ::ffff:1.1.1.1 64:ff9b::1.1.1.1 2001:4860:4860::8888
    2606:4700:4700::1111 2a01:4f8::1`;

  test('private and public ones', () => {
    const listed = (text: string): string[] => text.trim().split(/\s+/);
    expect(['', ...listed(PRIVATE_ONES)].filter((address) => !isPrivateAddress(address))).toEqual([]);
    expect(listed(PUBLIC_ONES).filter(isPrivateAddress)).toEqual([]);
  });

  test('a lookup of one address is held to it as one of all is', async () => {
    const look = (url: string, all: boolean): Promise<unknown[]> =>
      new Promise((resolve) =>
        publicLookup(new URL(url))(new URL(url).hostname, { all }, (...found) => resolve(found)),
      );
    names['a.test'] = [[PUBLIC]];
    names['inside.test'] = [[PRIVATE]];
    expect(await look('http://a.test/', false)).toEqual([null, PUBLIC, 4]);
    for (const all of [true, false]) {
      const [error] = await look('http://inside.test/', all);
      expect(String(error)).toMatch(/DownloadError: redirects to "http:\/\/inside.test\/" at the private address /);
    }
  });
});
