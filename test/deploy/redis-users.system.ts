/**
 * The users of Redis that deploy/redis makes: each program does all of its work with its own and is refused nothing, and
 * with the server's nobody makes, changes or reads an account or a session.
 */

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import type { KeyStore } from '../../src/keys/decision/key-store.js';
import { openRedisKeyStore } from '../../src/keys/decision/redis-key-store.js';
import { digestApiKey } from '../../src/keys/key/api-key.js';
import { createPlanFinder, DEFAULT_PLANS } from '../../src/keys/key/plan.js';
import { RedisRecordStore } from '../../src/keys/records/redis-record-store.js';
import { parseRedisAddress } from '../../src/keys/storage/redis-address.js';
import { RedisClient } from '../../src/keys/storage/redis-client.js';
import { run, runJson, runText, SECRET } from '../cli/keys/run-cli.js';
import { buildFixtureSnapshot, createTemporaryFolder, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { silentLogger } from '../fixtures/recording-logger.js';
import {
  PASSWORD_VARIABLES,
  type RedisUser,
  type RedisWithUsers,
  runScript,
  startRedisWithUsers,
} from '../fixtures/redis-users.js';
import { originOf, startServerProgram } from '../fixtures/server-program.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { createAccountScene } from '../site/account-scene.js';

const CLEAR_KEY = /pp_[\da-z]{39}/;
const PREFIX = 'postal-places:{records}';

let users: RedisWithUsers;
let fixture: FixtureSnapshot;
/** What somebody made on the site, as the site's user of Redis. */
let made: { readonly clearKey: string; readonly accountId: string };
const cleanups: (() => unknown)[] = [];
beforeAll(async () => {
  [users, fixture] = await Promise.all([
    startRedisWithUsers(),
    buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] }),
  ]);
  made = await useSite();
});
afterEach(cleanUp);
afterAll(async () => {
  await cleanUp();
  await users?.stop();
  fixture?.cleanup();
});

async function cleanUp(): Promise<void> {
  for (const clean of cleanups.splice(0).reverse()) await clean();
}

function openStore(user: RedisUser, timeoutMs = 10_000): KeyStore {
  const store = openRedisKeyStore({
    address: parseRedisAddress(users.urlOf(user)),
    plans: DEFAULT_PLANS,
    findPlan: createPlanFinder(DEFAULT_PLANS),
    timeoutMs,
    graceMs: 300_000,
    logger: silentLogger,
  });
  cleanups.push(() => store.close());
  return store;
}

async function connect(user: RedisUser): Promise<RedisClient> {
  const client = new RedisClient(parseRedisAddress(users.urlOf(user)));
  cleanups.push(() => client.close());
  await client.whenReady(5_000);
  return client;
}

/** Signs up on the site, and uses every way to change a key. */
async function useSite(): Promise<typeof made> {
  const scene = await createAccountScene(openSnapshot(fixture.path), async () => openStore('places-site'));
  cleanups.push(() => scene.site.close());
  const browser = scene.browser();
  await browser.signIn('ada@example.org');
  const keyOf = (text: string): string => /key_[\da-z]{12}/.exec(text)?.[0] ?? '';
  const keyId = keyOf((await browser.get('/account')).text);
  const replaced = await browser.post(`/account/keys/${keyId}/replace`, { overlap: '60' });
  expect(replaced.text).toMatch(CLEAR_KEY);
  await browser.post(`/account/keys/${keyOf(replaced.text)}/revoke`, { name: 'key 1' });
  await browser.post(`/account/keys/${keyId}/revoke`, { name: 'key 1' });
  const shown = await browser.post('/account/keys');
  await browser.post('/account/fresh');
  const other = scene.browser();
  await other.signIn('bob@example.org');
  await other.post('/account/sign-out-everywhere');
  await other.signIn('bob@example.org');
  expect((await other.post('/account/close', { email: 'bob@example.org' })).text).toContain('is closed');
  await other.signIn('bob@example.org');
  await other.post('/account/sign-out');
  const [account] = await users.redis
    .command('ZRANGE', `${PREFIX}:ids:account`, '0', '-1')
    .then((text) => text.split('\n'));
  return { clearKey: CLEAR_KEY.exec(shown.text)?.[0] ?? '', accountId: account ?? '' };
}

async function refusals(): Promise<string> {
  return await users.redis.command('ACL', 'LOG');
}

describe('each program with its user', () => {
  test('the site', async () => {
    expect(made.clearKey).toMatch(CLEAR_KEY);
    expect(await refusals()).toBe('');
  });

  test('the server, as its program', async () => {
    const { clearKey } = made;
    const program = startServerProgram('serve', {
      PORT: '0',
      ADMIN_PORT: '0',
      SNAPSHOT: fixture.path,
      REDIS_URL: users.urlOf('places-server'),
      REDIS_TIMEOUT_MS: '10000',
    });
    cleanups.push(() => program.process.kill('SIGKILL'));
    const origin = await originOf(program);
    const ask = (key: string) => fetch(`${origin}/v1/countries/LI`, { headers: { 'x-api-key': key } });
    for (let count = 0; count < 3; count++) expect((await ask(clearKey)).status).toBe(200);
    expect((await ask('pp_00000000000000000000000000000000000000000')).status).toBe(401);
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    // It could look at the settings of Redis, and warned of what this one lacks.
    expect(program.stdout()).toContain('append-only');
    expect(program.stdout()).not.toContain('can not be looked at');
    const usage = (await users.redis.command('KEYS', `${PREFIX}:usage:*`)).split('\n');
    const counts = await Promise.all(usage.map((key) => users.redis.command('HVALS', key)));
    expect(counts.some((text) => text.split('\n').includes('3'))).toBe(true);
    expect(await refusals()).toBe('');
  });

  test('postal-places keys', async () => {
    const { accountId } = made;
    const env = { REDIS_URL: users.urlOf('places-keys'), KEY_SECRET: SECRET };
    const now = new Date().toISOString();
    const { id } = await runJson(['create', '--name', 'one'], { env, now });
    for (const command of [['list'], ['show', id], ['usage', id], ['reveal', id], ['accounts']])
      await runText(command, { env, now });
    await runText(['set-plan', id, 'free'], { env, now });
    await runText(['replace', id], { env, now });
    const { out: exported } = await run(['export'], { env, now });
    await runText(['suspend', accountId], { env, now });
    await runText(['resume', accountId], { env, now });
    await runText(['create', '--account', accountId], { env, now });
    await runText(['account', accountId], { env, now });
    await runText(['close', accountId], { env, now });
    for (const record of (await users.redis.command('KEYS', `${PREFIX}:*:key:*`)).split('\n'))
      await users.redis.command('DEL', record);
    expect(await run(['import', '-'], { env, now, input: exported })).toMatchObject({ status: 0, error: '' });
    expect(await refusals()).toBe('');
  });

  test('the server, through an outage of Redis', async () => {
    const env = { REDIS_URL: users.urlOf('places-keys') };
    const { key } = await runJson(['create', '--name', 'two'], { env });
    const digest = digestApiKey(key);
    const store = openStore('places-server', 200);
    const decide = async () => (await store.decide([{ digest, count: 1 }]))[0];
    await waitUntil('the key to be good', async () => (await decide())?.status === 'good');
    const bound = ['--origin', 'https://shop.example', '--only', 'check'];
    const shop = await runJson(['create', '--name', 'shop', ...bound], { env });
    const caller = { origin: 'https://shop.example', operation: 'checkPostcode', visitor: '0'.repeat(16) };
    const [visited] = await store.decide([{ digest: digestApiKey(shop.key), count: 1, callers: [caller] }]);
    expect(visited).toMatchObject({ status: 'publishable', allowedCount: 1 });
    users.redis.pause();
    expect((await decide())?.status).toBe('good');
    expect(store.health().state).toBe('degraded');
    users.redis.resume();
    await waitUntil('the outage to be over', () => store.health().state === 'ready');
    expect((await decide())?.status).toBe('good');
    await store.close();
    expect(await refusals()).toBe('');
  });
});

const KINDS = ['account', 'session', 'sign-in', 'provider-sign-in', 'rate-limit', 'closed-account', 'key'];

/** Every way in which a client writes one key of Redis, and some that read it. */
const ATTACKS: readonly (readonly string[])[] = [
  ['SET', '$', 'x'],
  ['GET', '$'],
  ['MGET', `${PREFIX}:record:key:x`, '$'],
  ['GETSET', '$', 'x'],
  ['GETDEL', '$'],
  ['GETEX', '$', 'PX', '1'],
  ['SETNX', '$', 'x'],
  ['MSET', `${PREFIX}:usage:x`, 'x', '$', 'x'],
  ['APPEND', '$', 'x'],
  ['SETRANGE', '$', '0', 'x'],
  ['SETBIT', '$', '0', '1'],
  ['INCR', '$'],
  ['DEL', '$'],
  ['UNLINK', '$'],
  ['HSET', '$', 'f', 'x'],
  ['HDEL', '$', 'f'],
  ['ZADD', '$', '0', 'x'],
  ['ZREM', '$', 'x'],
  ['ZRANGESTORE', '$', `${PREFIX}:usage:x`, '0', '-1'],
  ['PEXPIRE', '$', '1'],
  ['PEXPIREAT', '$', '1'],
  ['PERSIST', '$'],
  ['RENAME', `${PREFIX}:usage:x`, '$'],
  ['RENAME', '$', `${PREFIX}:usage:x`],
  ['COPY', `${PREFIX}:usage:x`, '$', 'REPLACE'],
  ['COPY', '$', `${PREFIX}:usage:x`],
  ['RESTORE', '$', '0', 'x', 'REPLACE'],
  ['DUMP', '$'],
  ['MIGRATE', '127.0.0.1', '1', '$', '0', '100'],
  ['SORT', `${PREFIX}:usage:x`, 'STORE', '$'],
  ['BITOP', 'NOT', '$', `${PREFIX}:usage:x`],
  ['LPUSH', '$', 'x'],
  ['SADD', '$', 'x'],
  ['XADD', '$', '*', 'f', 'x'],
];

const EVERYWHERE = [
  ...[['FLUSHALL'], ['FLUSHDB'], ['SWAPDB', '0', '1'], ['CONFIG', 'SET', 'dir', '/tmp'], ['CONFIG', 'GET', '*']],
  ...[['ACL', 'SETUSER', 'places-server', '+@all', '~*'], ['ACL', 'LIST'], ['SAVE'], ['SHUTDOWN'], ['BGREWRITEAOF']],
  ...[['KEYS', '*'], ['SCAN', '0'], ['RANDOMKEY'], ['MONITOR'], ['SUBSCRIBE', 'x'], ['PUBLISH', 'x', 'y']],
  ...[
    ['REPLICAOF', '127.0.0.1', '1'],
    ['MODULE', 'LIST'],
    ['CLIENT', 'LIST'],
    ['CLIENT', 'KILL', 'TYPE', 'normal'],
  ],
  ...[
    ['SCRIPT', 'LOAD', 'return 1'],
    ['FUNCTION', 'LOAD', "#!lua name=a\nredis.register_function('a', print)"],
  ],
  ...[['MULTI'], ['AUTH', 'places-site', 'x'], ['SLOWLOG', 'GET'], ['MEMORY', 'USAGE', 'x']],
];

/** All that Redis holds but what a server may write. */
async function contents(): Promise<string> {
  const admin = await connect('admin');
  const all = (await admin.run('KEYS', '*')) as string[];
  const names = all.filter((name) => !/:(?:usage|probe)\b/.test(name)).sort();
  const dumps = await Promise.all(names.map((name) => admin.run('DUMP', name)));
  return JSON.stringify(names.map((name, index) => [name, dumps[index]]));
}

async function refusalOf(client: RedisClient, [command = '', ...args]: readonly string[]): Promise<string> {
  return await client.run(command, ...args).then(
    () => 'done',
    (error: Error) => error.message,
  );
}

const REFUSED =
  /NOPERM|WRONGPASS|The user executing the script can't (?:run this command|access at least one of the keys)/;

describe("somebody with the server's user", () => {
  test('writes and reads no account, session or key, by no command and no script', async () => {
    const before = await contents();
    const client = await connect('places-server');
    const attempts: (readonly string[])[] = [];
    for (const kind of KINDS) {
      const targets = [`${PREFIX}:version`, ...['name', 'ids', 'ends'].map((part) => `${PREFIX}:${part}:${kind}`)];
      for (const part of ['record', 'name']) {
        const known = (await users.redis.command('KEYS', `${PREFIX}:${part}:${kind}:*`)).split('\n').filter(Boolean);
        targets.push(`${PREFIX}:${part}:${kind}:made`, ...known.slice(0, 1));
      }
      for (const target of targets) {
        for (const attack of ATTACKS) {
          const command = attack.map((word) => (word === '$' ? target : word));
          // A server reads the records of keys, and the version of the store.
          const isReadable = target.startsWith(`${PREFIX}:record:key:`) || target === `${PREFIX}:version`;
          if (/GET$/.test(command[0] ?? '') && isReadable) continue;
          attempts.push(command);
          // The same from a script: with the key declared, with none, and where the script goes on after an error.
          const call = `(${command.map((word) => `[==[${word}]==]`).join(',')})`;
          for (const [script, ...keys] of [
            [`return redis.call${call}`, '1', target],
            [`return redis.call${call}`, '0'],
            [`local reply = redis.pcall${call} return reply.err and redis.error_reply(reply.err) or reply`, '0'],
          ]) {
            attempts.push(['EVAL', script ?? '', ...keys]);
          }
        }
      }
    }
    const answers: (string | undefined)[] = [];
    // Not all at once: the client gives up a connection on which a reply takes seconds.
    for (let start = 0; start < attempts.length; start += 500) {
      const some = attempts.slice(start, start + 500);
      answers.push(...(await Promise.all(some.map((command) => refusalOf(client, command)))));
    }
    expect(attempts.length).toBeGreaterThan(3_000);
    const others = attempts.flatMap((command, index) =>
      REFUSED.test(answers[index] ?? '') ? [] : [[...command, answers[index]]],
    );
    expect(others).toEqual([]);
    expect(await contents()).toBe(before);
  });

  test('makes no session by our own script', async () => {
    const { accountId } = made;
    const before = await contents();
    const records = new RedisRecordStore(await connect('places-server'));
    const session = { accountId, generation: 0, createdMs: Date.now(), seenMs: Date.now(), provedMs: Date.now() };
    const create = { kind: 'session', id: 'a'.repeat(64), value: session, names: [], expiresMs: Date.now() + 60_000 };
    await expect(records.write([{ create }])).rejects.toThrow(REFUSED);
    await expect(records.get('account', accountId)).rejects.toThrow(REFUSED);
    expect(await contents()).toBe(before);
    // The site's user can, so this test would see it.
    await new RedisRecordStore(await connect('places-site')).write([{ create }]);
    expect(await contents()).not.toBe(before);
  });

  test('gives Redis itself no orders, and asks it for nothing but its state', async () => {
    const client = await connect('places-server');
    for (const command of EVERYWHERE)
      expect([command, await refusalOf(client, command)]).toEqual([command, expect.stringMatching(REFUSED)]);
  });
});

test('the other users have only their rights: no counts for the site, no sessions for postal-places keys', async () => {
  const site = await connect('places-site');
  expect(await refusalOf(site, ['HSET', `${PREFIX}:usage:x`, '2026-01', '0'])).toMatch(REFUSED);
  expect(await refusalOf(site, ['EVAL', `return redis.call('DEL', '${PREFIX}:usage:x')`, '0'])).toMatch(REFUSED);
  const keys = await connect('places-keys');
  for (const kind of ['session', 'sign-in', 'provider-sign-in', 'rate-limit']) {
    expect(await refusalOf(keys, ['GET', `${PREFIX}:record:${kind}:x`])).toMatch(REFUSED);
    expect(await refusalOf(keys, ['SET', `${PREFIX}:record:${kind}:x`, 'x'])).toMatch(REFUSED);
  }
  const nobody = new RedisClient(parseRedisAddress(`redis://127.0.0.1:${users.redis.port}`));
  cleanups.push(() => nobody.close());
  await nobody.whenReady(5_000);
  expect(await refusalOf(nobody, ['GET', 'x'])).toMatch(/NOAUTH/);
});

describe('the scripts of deploy/redis', () => {
  test.each([
    ['a password that is missing', { REDIS_SITE_PASSWORD: '' }, /REDIS_SITE_PASSWORD must be 32/],
    ['one that can be guessed', { REDIS_SERVER_PASSWORD: 'hunter2' }, /REDIS_SERVER_PASSWORD must be 32/],
    ['one that breaks an address', { REDIS_KEYS_PASSWORD: `${'x'.repeat(31)}@/` }, /REDIS_KEYS_PASSWORD must be of/],
    ['one that is another rule', { REDIS_ADMIN_PASSWORD: `${'x'.repeat(31)} ~*` }, /REDIS_ADMIN_PASSWORD must be of/],
  ])('refuse %s', (_, change, message) => {
    expect(() => runScript('users.sh', { ...PASSWORD_VARIABLES, ...change })).toThrow(message);
  });

  test('print no password, and leave nothing to fill in', () => {
    const text = runScript('users.sh', PASSWORD_VARIABLES);
    for (const password of Object.values(PASSWORD_VARIABLES)) expect(text).not.toContain(password);
    expect(text).toMatch(/^(?:user [\w-]+ reset(?: \S+)*\n){6}$/);
    expect(text).not.toMatch(/<|\\/);
  });

  test('start Redis with the users and without the passwords', () => {
    const folder = createTemporaryFolder();
    cleanups.push(() => folder.remove());
    // What the image of Redis has, here as a program that tells what it was given.
    const standIn = (name: string, text: string): void => {
      writeFileSync(join(folder.path, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(folder.path, name), 0o755);
    };
    standIn('docker-entrypoint.sh', 'echo "$@"; env; cat "$3"; rm "$3"');
    standIn('chown', ':');
    const out = runScript('start.sh', { ...PASSWORD_VARIABLES, PATH: `${folder.path}:${process.env.PATH}` });
    expect(out).toMatch(/^redis-server --aclfile \/\S+\/users\.acl\n/);
    expect(out).toContain('user places-server reset on #');
    expect(out).not.toMatch(/PASSWORD|thirty-two/);
  });
});
