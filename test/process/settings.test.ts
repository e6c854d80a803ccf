/** The environment's rules: defaults, every accepted form, and one clear line for every wrong one. */

import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { InvalidValueError, StartError } from '../../src/base/errors.js';
import { type Environment, readSettings } from '../../src/base/settings.js';
import { readKeyConfig } from '../../src/keys/decision/key-settings.js';
import { DEFAULT_PLANS, parsePlans } from '../../src/keys/key/plan.js';
import { parseRedisAddress } from '../../src/keys/storage/redis-address.js';
import { listeningOrigin } from '../../src/process/program/listen.js';
import { readProgramSettings, sourceSettings } from '../../src/process/program/settings.js';
import { firstDelayMs, readPulledSourceOrder } from '../../src/process/source/pulled-source.js';
import { startFromSource } from '../../src/process/source/snapshot-source.js';
import { createKeyFiles } from '../../src/releases/channel/minisign.js';
import { packagedStarterFile } from '../../src/releases/packaged/packaged-release.js';
import { readSiteSettings } from '../../src/site/site-settings.js';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { silentLogger } from '../fixtures/recording-logger.js';

const SECRET = 'thirty-two-characters-of-secrecy';
const PLANS = '{"free": {"requestsPerMonth": 7, "requestsPerSecond": 0.5, "burst": 1}}';

const SOURCE_DEFAULTS = {
  snapshotSource: null,
  snapshotKey: null,
  snapshotCache: null,
  snapshotChannel: null,
  snapshotIntervalMs: null,
};

const KEY_DEFAULTS = {
  keysDirectory: './var/keys',
  redis: null,
  redisTimeoutMs: 250,
  keyGraceSeconds: 3_600,
  plans: DEFAULT_PLANS,
};

test('an empty environment gives the defaults, frozen', () => {
  const config = readProgramSettings({});
  expect(config).toEqual({
    host: '127.0.0.1',
    port: 3000,
    adminHost: '127.0.0.1',
    adminPort: null,
    ...SOURCE_DEFAULTS,
    workers: 1,
    maxConnections: 10_000,
    trustedProxies: [],
    keylessNetworks: [],
    photon: false,
    siteUrl: null,
    sitePort: 3001,
    drainSeconds: 10,
    logLevel: 'info',
    accessLogShare: 0,
    ...KEY_DEFAULTS,
  });
  expect(Object.isFrozen(config)).toBe(true);
});

test('keys reads what concerns keys and nothing else', () => {
  const config = readKeyConfig({ PORT: 'wrong', SNAPSHOT: '', LOG_LEVEL: 'wrong' });
  expect(config).toEqual({ ...KEY_DEFAULTS, keySecret: null });
  expect(readKeyConfig({ KEY_SECRET: SECRET })).toMatchObject({ keySecret: SECRET });
  expect(Object.isFrozen(config)).toBe(true);
  expect(readKeyConfig({ KEYS_DIR: 'keys' }).keysDirectory).toBe('keys');
  expect(() => readKeyConfig({ KEYS_DIR: '' })).toThrow(InvalidValueError);
});

test.each([
  [{ HOST: '::1' }, { host: '::1' }],
  [{ HOST: 'localhost' }, { host: 'localhost' }],
  [{ PORT: '0' }, { port: 0 }],
  [{ PORT: '65535' }, { port: 65_535 }],
  [{ ADMIN_HOST: '::' }, { adminHost: '::' }],
  [{ ADMIN_PORT: '0' }, { adminPort: 0 }],
  [{ ADMIN_PORT: '9100' }, { adminPort: 9_100 }],
  [{ SNAPSHOT: '/data/my places.snapshot' }, { snapshotSource: '/data/my places.snapshot' }],
  [{ SNAPSHOT: 'https://data.example/places' }, { snapshotSource: 'https://data.example/places/' }],
  [{ SNAPSHOT: 'HTTP://data.example:8080/' }, { snapshotSource: 'http://data.example:8080/' }],
  [{ SNAPSHOT_KEY: 'places.key.pub' }, { snapshotKey: 'places.key.pub' }],
  [{ SNAPSHOT_CACHE: '/var/cache/places' }, { snapshotCache: '/var/cache/places' }],
  [{ SNAPSHOT_CHANNEL: 'next' }, { snapshotChannel: 'next' }],
  [{ SNAPSHOT_EVERY: '30s' }, { snapshotIntervalMs: 30_000 }],
  [{ SNAPSHOT_EVERY: '1h' }, { snapshotIntervalMs: 3_600_000 }],
  [{ DRAIN_SECONDS: '1' }, { drainSeconds: 1 }],
  [{ KEYS_DIR: 'keys' }, { keysDirectory: 'keys' }],
  [{ REDIS_URL: 'redis://host' }, { redis: parseRedisAddress('redis://host:6379/0') }],
  [
    { REDIS_URL: 'rediss-sentinel://:secret@one,two/master' },
    { redis: parseRedisAddress('rediss-sentinel://:secret@one,two/master') },
  ],
  [{ REDIS_TIMEOUT_MS: '1' }, { redisTimeoutMs: 1 }],
  [{ REDIS_TIMEOUT_MS: '60000' }, { redisTimeoutMs: 60_000 }],
  [{ KEY_GRACE_SECONDS: '0' }, { keyGraceSeconds: 0 }],
  [{ KEY_GRACE_SECONDS: '86400' }, { keyGraceSeconds: 86_400 }],
  [{ PLANS }, { plans: parsePlans(PLANS) }],
  [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
  [{ ACCESS_LOG: '1' }, { accessLogShare: 1 }],
  [{ ACCESS_LOG: '0.01' }, { accessLogShare: 0.01 }],
  [{ WORKERS: '4' }, { workers: 4 }],
  [{ WORKERS: 'auto' }, { workers: availableParallelism() }],
  [{ MAX_CONNECTIONS: '1' }, { maxConnections: 1 }],
  [
    { KEYLESS: '127.0.0.0/8, ::ffff:10.0.0.0/104,::1' },
    { keylessNetworks: ['127.0.0.0/8', '::ffff:10.0.0.0/104', '::1'] },
  ],
  [{ PHOTON: 'on' }, { photon: true }],
  [{ TRUST_PROXY: 'loopback, 10.0.0.0/8,2001:db8::1' }, { trustedProxies: ['loopback', '10.0.0.0/8', '2001:db8::1'] }],
  [{ OTHER: '', KEY_SECRET: '' }, {}],
])('%j is accepted', (environment, expected) => {
  expect(readProgramSettings(environment)).toMatchObject(expected);
});

describe('a wrong value is one line that names the variable, what is allowed and what was found', () => {
  test.each([
    ['HOST', ['', 'a b', 'http://a', 'a\n']],
    ['PORT', ['', '65536', '-1', '3000.0', '0x10', ' 80', 'http', '99999999']],
    ['ADMIN_HOST', ['', 'a b']],
    ['WORKERS', ['', '0', '257', 'all', '1.5']],
    ['MAX_CONNECTIONS', ['', '0', '-1', 'many']],
    [
      'KEYLESS',
      ['', 'loopback', '10.0.0.0/0', '10.0.0.0/33', '::/129', '10.0.0.1/8/8', '::1,', 'fe80::1%eth0/64', '010.0.0.1'],
    ],
    ['PHOTON', ['', 'yes', '1', 'ON']],
    ['TRUST_PROXY', ['', 'all', '10.0.0.0/0', '10.0.0.0/33', '::/129', '1.2.3', '10.0.0.1/8/8', 'loopback,']],
    ['ACCESS_LOG', ['', '2', '1.1', '-0.1', 'true', '1e-3']],
    ['ADMIN_PORT', ['', '65536', 'off']],
    ['SNAPSHOT', ['', '  ', 'a\0b']],
    ['SNAPSHOT_KEY', ['', '  ']],
    ['SNAPSHOT_CACHE', ['', 'a\0b']],
    ['SNAPSHOT_CHANNEL', ['', 'Stable', '../stable', 'a'.repeat(32)]],
    ['SNAPSHOT_EVERY', ['', '0s', '5', '5d', '-1m', '1.5h', '1m30s', '999999h']],
    ['KEYS_DIR', ['', '\t']],
    ['REDIS_TIMEOUT_MS', ['', '0', '60001', '250ms', '1.5']],
    ['KEY_GRACE_SECONDS', ['', '-1', '86401', '5m']],
    ['LOG_LEVEL', ['', 'INFO', 'verbose']],
  ])('%s', (variable, values) => {
    for (const value of values) {
      const attempt = () => readProgramSettings({ [variable]: value });
      expect(attempt).toThrow(InvalidValueError);
      expect(attempt).toThrow(new RegExp(`^${variable} must be [^\n]+; found "[^\n]*"$`));
    }
  });
});

describe('a wrong secret is one line that names the variable and what is allowed, and never shows the value', () => {
  test.each(['redis://anna:hunter2@host:99999', 'hunter2', ''])('REDIS_URL %j', (value) => {
    const message = messageOf({ REDIS_URL: value });
    expect(message).toMatch(/^REDIS_URL must be an address such as redis:\/\/host:6379\/0, but [^\n]+$/);
    for (const secret of ['anna', 'hunter2', 'ter2']) expect(message).not.toContain(secret);
  });

  test.each(['', 'hunter2', SECRET.slice(1)])('KEY_SECRET %j', (value) => {
    const message = messageOf({ KEY_SECRET: value }, readKeyConfig);
    expect(message).toBe('KEY_SECRET must be a text of 32 characters or more; found something else');
  });
});

test.each([
  ['https://', 'it is no address'],
  ['https://[::1', 'it is no address'],
  ['ftp://data.example/', 'it is neither an http or https address nor a path'],
  ['file:///srv/places', 'it is neither an http or https address nor a path'],
  ['http://data.example/?a=b', 'it has a query or a fragment'],
  ['http://data.example/#a', 'it has a query or a fragment'],
  ['https://anna:hunter2@data.example/', 'it has a user name or a password'],
])('SNAPSHOT can not be %s', (SNAPSHOT, why) => {
  expect(() => readProgramSettings({ SNAPSHOT })).toThrow(new RegExp(`^SNAPSHOT must be [^\\n@]+, but ${why}$`));
});

describe('a wrong address is shown without its user and password', () => {
  const ADDRESSES = [
    ['https://anna:hunter2@www.example.com', '"https://…@www.example.com"'],
    ['https://hunter2@www.example.com/', '"https://…@www.example.com/"'],
    ['HTTPS://anna:hun@ter2@www.example.com', '"HTTPS://…@www.example.com"'],
    ['https://anna:hunt/er2@www.example.com', '"https://…@www.example.com"'],
    ['https://anna:hunter2#@www.example.com?x', '"https://…@www.example.com?x"'],
    ['anna:hunter2@www.example.com', '"…@www.example.com"'],
    ['//anna:hunter2@www.example.com', '"…@www.example.com"'],
    ['https:/anna:hunter2@www.example.com', '"…@www.example.com"'],
    [' https://anna:hunter2@www.example.com', '"…@www.example.com"'],
    ['https://anna:hunter2\n@www.example.com', '"https://…@www.example.com"'],
  ];
  test.each(['SITE_URL', 'API_URL', 'OIDC_ISSUER'].flatMap((variable) => ADDRESSES.map((pair) => [variable, ...pair])))(
    '%s=%s',
    (variable = '', value = '', shown = '') => {
      const message = messageOf({ [variable]: value }, readSiteSettings);
      expect(message).toMatch(new RegExp(`^${variable} must be [^\n]+; found "[^\n]*"$`));
      expect(message.endsWith(`; found ${shown}`)).toBe(true);
      for (const secret of ['anna', 'hun', 'ter2', 'er2']) expect(message).not.toContain(secret);
    },
  );

  test('and one without them as it is', () => {
    expect(messageOf({ SITE_URL: 'https://www.example.com/x' }, readSiteSettings)).toContain('example.com/x"');
  });
});

test.each([
  ['{\n  "free": }', /it is not JSON [^\n]+$/],
  [PLANS.replace('0.5', '0'), /requestsPerSecond of the plan free [^\n]+$/],
])('wrong PLANS are one line that says what is wrong: %s', (value, pattern) => {
  const message = messageOf({ PLANS: value });
  expect(message).toMatch(/^PLANS must be a JSON object of plans, but /);
  expect(message).toMatch(pattern);
});

function messageOf(
  environment: Record<string, string>,
  read: (of: Environment) => object = readProgramSettings,
): string {
  try {
    read(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidValueError);
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
}

describe('SNAPSHOT and the variables of a pull', () => {
  const folder = createTemporaryFolder();
  // Without what this machine's user has compiled of the package's release.
  const { XDG_CACHE_HOME } = process.env;
  beforeAll(() => {
    process.env.XDG_CACHE_HOME = join(folder.path, 'cache');
  });
  afterAll(() => {
    if (XDG_CACHE_HOME === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = XDG_CACHE_HOME;
    folder.remove();
  });
  const keys = createKeyFiles();
  const [keyFile, secretFile] = [join(folder.path, 'key.pub'), join(folder.path, 'key')];
  writeFileSync(keyFile, keys.public);
  writeFileSync(secretFile, keys.secret);
  const SNAPSHOT = 'https://data.example/places';
  const RIGHT = { SNAPSHOT, SNAPSHOT_KEY: keyFile, SNAPSHOT_CACHE: '/cache' };

  const read = (environment: Environment) => readSettings(sourceSettings, environment);

  const open = (environment: Environment) =>
    startFromSource(read(environment), silentLogger, new AbortController().signal, async (source) => source);

  const orderOf = (environment: Environment) =>
    readPulledSourceOrder({ ...read(environment), snapshotSource: `${SNAPSHOT}/` });

  test.each<[Environment, string]>([
    [{}, packagedStarterFile()],
    [{ SNAPSHOT: '/srv/places' }, '/srv/places'],
    [{ SNAPSHOT: 'https' }, 'https'],
  ])('%j is served as it is', async (environment, path) => {
    expect(await open(environment)).toMatchObject({ path, channel: undefined });
  });

  test('an address is pulled with the defaults of the rest', async () => {
    expect(await orderOf(RIGHT)).toEqual({
      address: `${SNAPSHOT}/`,
      channel: 'stable',
      folder: '/cache',
      key: keys.public,
    });
  });

  test('the key may stand in the variable itself, and the channel is the one that is given', async () => {
    const [, line = ''] = keys.public.split('\n');
    const order = await orderOf({ ...RIGHT, SNAPSHOT_KEY: line, SNAPSHOT_CHANNEL: 'next' });
    expect(order).toMatchObject({ channel: 'next', key: line });
  });

  test.each<[Environment, RegExp]>([
    [{ SNAPSHOT }, /^SNAPSHOT is an address, so SNAPSHOT_KEY \([^)]+\) and SNAPSHOT_CACHE \([^)]+\) must be set$/],
    [{ ...RIGHT, SNAPSHOT_KEY: undefined }, /, so SNAPSHOT_KEY \([^)]+\) must be set$/],
    [{ ...RIGHT, SNAPSHOT_CACHE: undefined }, /, so SNAPSHOT_CACHE \([^)]+\) must be set$/],
    [
      { ...RIGHT, SNAPSHOT: '/srv/places' },
      /^SNAPSHOT_KEY and SNAPSHOT_CACHE may be set only where SNAPSHOT is an http/,
    ],
    [{ SNAPSHOT: '/srv/places', SNAPSHOT_EVERY: '5m' }, /^SNAPSHOT_EVERY may be set only where /],
    [{ SNAPSHOT_CHANNEL: 'stable' }, /^SNAPSHOT_CHANNEL may be set only where /],
  ])('%j is wrong usage', async (environment, message) => {
    const error = await open(environment).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(InvalidValueError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain('\n');
  });

  test('a key that can not be used is a failure', async () => {
    const error = await open({ ...RIGHT, SNAPSHOT_KEY: secretFile }).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(StartError);
    expect((error as Error).message).toMatch(/^SNAPSHOT_KEY: KEY_INVALID: \S+key is [^\n]*$/);
  });

  test('the first pulls of a fleet are spread over a tenth of the interval', () => {
    const delays = (isFilled: boolean) => Array.from({ length: 200 }, () => firstDelayMs(300_000, isFilled));
    for (const [isFilled, least] of [
      [true, 0],
      [false, 270_000],
    ] as const) {
      const found = delays(isFilled);
      expect(Math.min(...found)).toBeGreaterThanOrEqual(least);
      expect(Math.max(...found)).toBeLessThanOrEqual(least + 30_000);
      expect(Math.max(...found) - Math.min(...found)).toBeGreaterThan(15_000);
    }
  });
});

describe('the address of a server for a client of this machine', () => {
  test.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['0.0.0.0', 'http://127.0.0.1:3000'],
    ['::', 'http://[::1]:3000'],
    ['::1', 'http://[::1]:3000'],
    ['places.example', 'http://places.example:3000'],
  ])('a server on %s is found at %s', (host, origin) => {
    expect(listeningOrigin({ host, port: 3000 })).toBe(origin);
  });
});
