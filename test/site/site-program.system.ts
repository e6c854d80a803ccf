/** The site's program as operators meet it: its settings, the snapshots it follows, its end; and `npm start`. */

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { InvalidValueError } from '../../src/base/errors.js';
import { OTHER_FILES } from '../../src/process/program/connection-limit.js';
import { readSiteSettings } from '../../src/site/site-settings.js';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { createPublishedFolder, type PublishedFolder } from '../fixtures/published-folder.js';
import { originOf, type ProgramLimits, type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import { waitUntil } from '../fixtures/wait-until.js';

const folder = createTemporaryFolder();
let published: PublishedFolder;
let running: ServerProgram[] = [];

beforeAll(async () => {
  published = await createPublishedFolder();
});
afterEach(async () => {
  for (const program of running) program.process.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  running = [];
});
afterAll(() => {
  published.remove();
  folder.remove();
});

function start(environment: Record<string, string>, name = 'site', limits?: ProgramLimits): ServerProgram {
  const program = startServerProgram(name, { SITE_PORT: '0', ...environment }, limits);
  running.push(program);
  return program;
}

async function coverageAt(origin: string): Promise<string> {
  return await (await fetch(`${origin}/coverage`)).text();
}

async function releaseAt(origin: string): Promise<string | undefined> {
  const text = await (await fetch(`${origin}/andorra`)).text();
  return /Release <a href="\/coverage">([^<]*)</.exec(text)?.[1];
}

describe('the program', () => {
  test('with few open files and the address of another site warns, takes fewer connections, follows what is published, and ends on SIGTERM', async () => {
    published.clear();
    await published.publish('one');
    // Its modules are read many at a time: with fewer than some 150 it does not even start.
    const openFiles = OTHER_FILES + 192;
    const settings = {
      SNAPSHOT: published.folder,
      SITE_ADMIN_PORT: '0',
      ACCOUNTS: 'off',
      SITE_URL: 'https://other.test',
    };
    const program = start(settings, undefined, { openFiles });
    await program.waitFor(/the url fields of the snapshot point to another site/);
    const [line] = await program.waitFor(/^.*ulimit -n.*$/m);
    expect(JSON.parse(line)).toMatchObject({ openFiles, connections: 192 });
    const [listening] = await program.waitFor(/^.*"msg":"listening".*$/m);
    const { port, adminPort } = JSON.parse(listening) as { port: number; adminPort: number };
    const sockets = Array.from({ length: 400 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    await program.waitFor(/"idleCut":[1-9]/);
    await published.publish('two');
    await program.waitFor(/"release":"two".*"msg":"serving another snapshot"/);
    // Operators are answered beside all this, on connections that don't count.
    const askOperators = async (path: string): Promise<[number, unknown]> => {
      const response = await fetch(`http://127.0.0.1:${adminPort}${path}`);
      return [response.status, await response.json()];
    };
    expect(await askOperators('/healthz')).toEqual([200, { status: 'ok' }]);
    const ready = { status: 'ready', snapshot: { release: 'two' }, refused: null, damaged: null };
    expect(await askOperators('/readyz')).toMatchObject([200, ready]);
    expect(await askOperators('/version')).toMatchObject([200, { version: expect.any(String) }]);
    expect(await askOperators('/metrics')).toMatchObject([404, {}]);
    for (const socket of sockets) socket.destroy();
    const origin = `http://127.0.0.1:${port}`;
    expect(await releaseAt(origin)).toBe('two');
    expect(await coverageAt(origin)).toContain('Since release one');
    await published.rollBack();
    await waitUntil('the first release again', async () => (await releaseAt(origin)) === 'one');
    expect(await coverageAt(origin)).not.toContain('Since release');
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    expect(program.stdout()).not.toMatch(/was refused|is damaged/);
    expect(program.stdout()).toContain('"msg":"stopped"');
  });

  test('stays with a whole file where a damaged one takes its place', async () => {
    const path = join(folder.path, 'places.snapshot');
    writeFileSync(path, readFileSync(published.source('one')));
    const program = start({ SNAPSHOT: path, SITE_URL: 'https://site.test' });
    const origin = await originOf(program);
    expect(await (await fetch(`${origin}/andorra`)).text()).toContain(
      'rel="canonical" href="https://site.test/andorra"',
    );
    const bytes = readFileSync(published.source('two'));
    bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] as number) ^ 1;
    writeFileSync(`${path}.bad`, bytes);
    renameSync(`${path}.bad`, path);
    await program.waitFor(/the snapshot was refused/);
    expect(await releaseAt(origin)).toBe('one');
    writeFileSync(`${path}.good`, readFileSync(published.source('two')));
    renameSync(`${path}.good`, path);
    await waitUntil('the whole file', async () => (await releaseAt(origin)) === 'two');
    expect(program.stdout()).not.toContain('another site');
  });

  test.each([
    ['SITE_PORT', { SITE_PORT: '70000' }, 2],
    ['SITE_HOST', { SITE_HOST: 'no.such.host.invalid' }, 1],
    ['SITE_ADMIN_PORT', { SITE_ADMIN_PORT: '0', ADMIN_HOST: 'no.such.host.invalid' }, 1],
    ['SNAPSHOT', { SNAPSHOT: '/nowhere' }, 1],
  ])('that cannot start says why in one line that names the variable: %s', async (variable, environment, code) => {
    const program = start({ SNAPSHOT: published.source('one'), ...environment });
    expect(await program.ended).toBe(code);
    expect(program.stdout()).toBe('');
    expect(program.stderr()).toMatch(new RegExp(`^postal-places: .*${variable}.*\n$`));
  });
});

describe('npm start', () => {
  const environment = () => ({
    PORT: '0',
    SNAPSHOT: published.source('one'),
    KEYS_DIR: join(folder.path, 'keys'),
  });

  test('a signal ends it quietly before the site is up', async () => {
    const program = start(environment(), 'scripts/start.js');
    await program.waitFor(/curl -H/);
    program.process.kill('SIGINT');
    expect([await program.ended, program.stderr()]).toEqual([0, '']);
  });

  test('ends where the site can not start', async () => {
    const program = start({ ...environment(), SITE_HOST: 'no.such.host.invalid' }, 'scripts/start.js');
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(/postal-places: .*SITE_HOST/);
  });
});

describe('settings', () => {
  test('have defaults for a start at home', () => {
    expect(readSiteSettings({})).toMatchObject({
      host: '127.0.0.1',
      port: 3001,
      siteUrl: null,
      apiUrl: 'http://127.0.0.1:3000',
      snapshotSource: null,
      snapshotKey: null,
      snapshotCache: null,
      snapshotChannel: null,
      snapshotIntervalMs: null,
      trustedProxies: [],
      drainSeconds: 10,
      logLevel: 'info',
      accounts: { isOn: true, keysPerAccount: 1, domains: null, mailUrl: null, mailFrom: null, keySecret: null },
    });
  });

  test.each([
    [{ SITE_URL: 'https://www.example.com' }, { siteUrl: 'https://www.example.com' }],
    [{ SITE_URL: 'https://www.example.com/' }, { siteUrl: 'https://www.example.com' }],
    [{ SITE_URL: 'http://[::1]:3001' }, { siteUrl: 'http://[::1]:3001' }],
    [{ API_URL: 'https://example.com/api/' }, { apiUrl: 'https://example.com/api' }],
    [{ PORT: 'wrong' }, {}],
    [{ ACCOUNTS: 'off' }, { accounts: expect.objectContaining({ isOn: false }) }],
    [
      { ACCOUNT_DOMAINS: 'Example.com, example.org' },
      { accounts: expect.objectContaining({ domains: ['example.com', 'example.org'] }) },
    ],
    [
      { MAIL_URL: 'smtp://u:p@mail.test:587', MAIL_FROM: 'Postal Places <places@site.test>' },
      { accounts: expect.objectContaining({ mailFrom: 'Postal Places <places@site.test>' }) },
    ],
  ])('%j is accepted', (environment, expected) => {
    expect(readSiteSettings(environment)).toMatchObject(expected);
  });

  test.each([
    [
      'SITE_URL',
      ['', 'example.com', 'ftp://a', 'https://a/b', 'https://a?b', 'https://u:p@a', `https://a"b`, 'https://a;b'],
    ],
    [
      'API_URL',
      ['', 'javascript:alert(1)', 'https://a/#b', "https://a/'", 'https://a b', `https://${'a'.repeat(200)}`],
    ],
    ['SITE_PORT', ['', '-1', '65536']],
    ['SITE_HOST', ['', 'a b']],
    ['ACCOUNTS', ['', 'yes', 'ON']],
    ['KEYS_PER_ACCOUNT', ['0', '21', 'one']],
    ['ACCOUNT_DOMAINS', ['', 'example', 'a@example.com', 'example.com,']],
    ['MAIL_FROM', ['', 'nobody', 'a@b@c', 'a@site.test\nBcc: b@site.test', '"x" <a@site.test>', 'A, B <a@site.test>']],
  ])('%s is one line that says what is allowed', (variable, values) => {
    for (const value of values) {
      expect(() => readSiteSettings({ [variable]: value })).toThrow(InvalidValueError);
      expect(() => readSiteSettings({ [variable]: value })).toThrow(new RegExp(`^${variable} must be [^\n]+; found "`));
    }
  });
});
