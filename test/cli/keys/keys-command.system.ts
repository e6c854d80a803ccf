/** `postal-places keys` as a whole: which store it uses, how it fails, and how it behaves as a process. */

import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createApiKey } from '../../../src/keys/key/api-key.js';
import { compiled } from '../../fixtures/program.js';
import { startRedis } from '../../fixtures/redis-server.js';
import { createTemporaryFolders } from '../../keys/temporary-folders.js';
import { PLANS, run, runFailure, runJson, runText, SECRET } from './run-cli.js';

const ID = 'key_0123456789ab';
const ACCOUNT = 'acct_0123456789ab';

/** Every command, with arguments that would do. */
const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['create', ['create', '--name', 'test']],
  ['list', ['list']],
  ['show', ['show', ID]],
  ['reveal', ['reveal', ID]],
  ['replace', ['replace', ID]],
  ['revoke', ['revoke', ID]],
  ['set-plan', ['set-plan', ID, 'free']],
  ['expire', ['expire', ID]],
  ['usage', ['usage', ID]],
  ['export', ['export']],
  ['import', ['import', '-']],
  ['accounts', ['accounts']],
  ['account', ['account', ACCOUNT]],
  ['suspend', ['suspend', ACCOUNT]],
  ['resume', ['resume', ACCOUNT]],
  ['close', ['close', ACCOUNT]],
];
const COMMANDS_WITH_ID = COMMANDS.filter(([, args]) => args.includes(ID));
/** With an account's id where one belongs. */
const CALLS_WITH_ACCOUNT = [
  ...COMMANDS.filter(([, args]) => args.includes(ACCOUNT)),
  ['create --account', ['create', '--account', ACCOUNT]] as const,
];

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

describe('the store', () => {
  test('KEYS_DIR names the folder, --store goes before it and before a REDIS_URL, whatever that is', async () => {
    const [fromEnv, fromOption] = [folders.make(), folders.make()];
    await runJson(['create', '--name', 'env'], { env: { KEYS_DIR: fromEnv } });
    const env = { KEYS_DIR: fromEnv, REDIS_URL: 'no address' };
    await runJson(['create', '--name', 'option', '--store', fromOption], { env });
    expect((await runJson(['list'], { env: { KEYS_DIR: fromEnv } })).keys).toMatchObject([{ name: 'env' }]);
    expect((await runJson(['list', '--store', fromOption])).keys).toMatchObject([{ name: 'option' }]);
  });

  test('a folder may begin with redis', async () => {
    const cwd = process.cwd();
    process.chdir(folders.make());
    try {
      await runText(['create', '--name', 'test', '--store', 'redis-keys']);
      expect(existsSync('redis-keys/keys.mdb')).toBe(true);
    } finally {
      process.chdir(cwd);
    }
  });

  test('a Redis is used by --store and by REDIS_URL, and its password shows nowhere', async () => {
    const redis = await startRedis({ password: 'pass-word' });
    try {
      const env = { REDIS_URL: redis.url, KEYS_DIR: join(folders.make(), 'unused') };
      const name = `redis://127.0.0.1:${redis.port}`;
      expect(await runText(['list', '--store', redis.url])).toBe(`No keys in ${name}.\n`);
      const { id, key } = await runJson(['create', '--name', 'test', '--store', redis.url], {
        env: { KEY_SECRET: SECRET },
      });
      expect(await runJson(['reveal', id], { env: { ...env, KEY_SECRET: SECRET } })).toEqual({ id, key });
      const { id: nextId } = await runJson(['replace', id], { env });
      expect(await runJson(['show', id], { env })).toMatchObject({ state: 'replaced', replacedBy: nextId });
      expect((await runJson(['list'], { env })).keys).toHaveLength(2);
      expect(await runFailure(1, ['revoke', ID], { env })).toMatch(/^there is no key/);
      expect(existsSync(env.KEYS_DIR)).toBe(false);
      const wrong = await runFailure(1, ['list', '--store', `redis://:wrong-pass@127.0.0.1:${redis.port}`]);
      expect(wrong).toContain(name);
      expect(wrong).not.toContain('wrong-pass');
    } finally {
      await redis.stop();
    }
  });

  test('a Redis that takes no writes is a failure of create and of import, and reading goes on', async () => {
    const redis = await startRedis({ args: ['--maxmemory', '1'] });
    try {
      const env = { REDIS_URL: redis.url };
      expect(await runFailure(1, ['create', '--name', 'test'], { env })).toContain('OOM');
      const source = folders.make();
      await runJson(['create', '--name', 'test', '--store', source]);
      const input = await runText(['export', '--store', source]);
      expect(await runFailure(1, ['import', '-'], { env, input })).toContain('OOM');
      expect(await runJson(['list'], { env })).toEqual({ keys: [] });
    } finally {
      await redis.stop();
    }
  });

  test('one that can not be used, or lacks the key, ends a command with one line and status 1', async () => {
    const path = join(folders.make(), 'file');
    writeFileSync(path, '');
    // An import without keys touches the store all the same.
    const input = '{"format":"postal-places-keys","version":2,"keys":[]}';
    for (const args of [['list'], ['import', '-']]) {
      expect(await runFailure(1, [...args, '--store', path], { input })).toContain('KEYS_DIR');
    }
    const env = { KEYS_DIR: folders.make(), KEY_SECRET: SECRET };
    await runText(['create', '--name', 'test'], { env });
    for (const [, args] of COMMANDS_WITH_ID) {
      expect(await runFailure(1, args, { env })).toBe(`there is no key "${ID}": keys list shows all keys`);
    }
  });
});

describe('a wrong call is refused with one line and status 2, and nothing is made', () => {
  async function refuse(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const folder = join(folders.make(), 'keys');
    const error = await runFailure(2, args, { env: { KEYS_DIR: folder, PLANS, ...env } });
    expect(existsSync(folder)).toBe(false);
    return error;
  }

  test.each<[string, readonly string[], RegExp]>([
    ['an unknown command', ['destroy'], /unknown command 'destroy'/],
    ['an unknown option', ['create', '--jsonn'], /--jsonn/],
    ['an option of old', ['list', '--keys-dir', 'x'], /--keys-dir/],
    ['an option of another command', ['list', '--plan', 'free'], /--plan/],
    ['an option without its value', ['create', '--name'], /--name/],
    ['a word too many', ['create', 'b'], /too many arguments/],
    ['no id', ['show'], /missing required argument 'id'/],
    ['no account', ['suspend'], /missing required argument 'account'/],
    ['no plan', ['set-plan', ID], /missing required argument 'plan'/],
    ['no file', ['import'], /missing required argument 'file'/],
    ['a plan that PLANS lacks', ['create', '--name', 'test', '--plan', 'gold'], /PLANS has free, team, unlimited$/],
    ['another plan that PLANS lacks', ['set-plan', ID, 'gold'], /PLANS has free, team, unlimited$/],
    ['an empty store', ['list', '--store', ''], /--store must be a folder/],
    ['a name with a line break', ['create', '--name', 'a\nb'], /control characters/],
    ['a time', ['expire', ID, '--at=tomorrow'], /^a time must be/],
    ['a duration', ['replace', ID, '--grace=10'], /^a duration must be/],
    ['a store that is no address', ['list', '--store', 'redis-ring://x'], /--store must be an address/],
    ['both ends of expire', ['expire', ID, '--never', '--at', '2027-01-01'], /cannot be used with/],
    ['a file that is not there', ['import', '/nowhere/to/be/found'], /ENOENT/],
    ['a line break in an argument', ['a\nb\u2028c'], /unknown command 'a b c'/],
  ])('%s', async (_, args, message) => {
    expect(await refuse(args)).toMatch(message);
  });

  test('a wrong variable', async () => {
    const args = ['list'];
    expect(await refuse(args, { PLANS: '{}' })).toMatch(/^PLANS must be/);
    expect(await refuse(args, { KEY_SECRET: 'too short' })).toMatch(/^KEY_SECRET must be .*; found something else$/);
    expect(await refuse(args, { REDIS_URL: 'redis://:pass-word@' })).toMatch(/^REDIS_URL must be (?!.*pass-word)/);
    expect(await refuse(args, { KEYS_DIR: '' })).toMatch(/^KEYS_DIR must be/);
  });

  test('a clear key among the arguments is never repeated, wherever it stands', async () => {
    const key = createApiKey();
    const calls = [
      [key],
      ['create', key],
      ['create', `--${key}`],
      ['create', '--name', 'test', '--plan', key],
      ['create', '--name', 'test', '--expires', key],
      ['create', '--name', `${key}\n`],
      ['list', key],
      ['list', '--store', `redis://${key}:${key}@x/${key}`],
      ['replace', ID, '--grace', key],
      ['set-plan', ID, key],
      ['expire', ID, '--at', key.toUpperCase()],
      ['import', join('/nowhere', key)],
      ...COMMANDS_WITH_ID.map(([, args]) => args.map((arg) => (arg === ID ? key : arg))),
      ...COMMANDS_WITH_ID.map(([, args]) => args.map((arg) => (arg === ID ? `${key}\n` : arg))),
      ...CALLS_WITH_ACCOUNT.map(([, args]) => args.map((arg) => (arg === ACCOUNT ? key : arg))),
    ];
    for (const args of calls) expect((await refuse(args)).toLowerCase()).not.toContain(key.slice(3, 11));
  });
});

test.each([
  ['no command', []],
  ['help on an unknown command', ['help', 'destroy']],
  ['help on a clear key', ['help', createApiKey()]],
])('%s: the help on stderr, which repeats no argument, and status 2', async (_, args) => {
  const { out: help } = await run(['--help']);
  expect(await run(args)).toEqual({ status: 2, out: '', error: help });
});

test.each(['--help', 'help'])('%s prints every command and is no failure', async (arg) => {
  const { status, out, error } = await run([arg]);
  expect({ status, error }).toEqual({ status: 0, error: '' });
  for (const [command] of COMMANDS) expect(out).toMatch(new RegExp(`^ {2}${command} `, 'm'));
});

describe('the built program', () => {
  function spawn(args: readonly string[], options: SpawnSyncOptions = {}) {
    const ended = spawnSync(process.execPath, [compiled(), 'keys', ...args], { timeout: 25_000, ...options });
    return { status: ended.status, out: String(ended.stdout), error: String(ended.stderr) };
  }

  test('prints exactly one line of JSON, ends with status 0, and reads an export from its standard input', () => {
    const [one, other] = [folders.make(), folders.make()];
    const created = spawn(['create', '--name', 'Anna', '--json', '--store', one]);
    expect(created).toMatchObject({ status: 0, error: '' });
    expect(created.out).toMatch(/^\{"id":"key_[^\n]+\}\n$/);
    const { out } = spawn(['export', '--store', one]);
    expect(spawn(['import', '-', '--json', '--store', other], { input: out })).toEqual({
      status: 0,
      out: '{"imported":1,"existing":0,"refused":0}\n',
      error: '',
    });
    expect(spawn(['list', '--json', '--store', other]).out).toBe(spawn(['list', '--json', '--store', one]).out);
  });

  test('ends by itself where the store is a Redis, there or not, in seconds, and without its password', async () => {
    const redis = await startRedis();
    try {
      expect(spawn(['list', '--store', redis.url])).toMatchObject({ status: 0, error: '' });
    } finally {
      await redis.stop();
    }
    const started = performance.now();
    const { status, out, error } = spawn(['list', '--store', 'redis://:pass-word@127.0.0.1:1']);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(error).toMatch(/^postal-places: [^\n]*redis:\/\/127\.0\.0\.1:1\b[^\n]*\n$/);
    expect(error).not.toContain('pass-word');
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test('an answer that can not be written is a failure of one line', () => {
    const stdio: SpawnSyncOptions['stdio'] = ['ignore', openSync('/dev/full', 'w'), 'pipe'];
    const { status, error } = spawn(['create', '--name', 'test', '--store', folders.make()], { stdio });
    expect(status).toBe(1);
    expect(error).toMatch(/^postal-places: the output can't be written [^\n]+\n$/);
  });
});
