/** The program `postal-keys`: what it prints, for people and for machines, and how it fails. */

import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { digestApiKey, isWellFormedApiKey } from '../../src/keys/api-key.js';
import { main } from '../../src/keys/cli.js';
import { openEmbeddedKeyStore } from '../../src/keys/embedded-key-store.js';
import { createTemporaryFolders } from './temporary-folders.js';

const PROGRAM = fileURLToPath(new URL('../../dist/src/keys/cli.js', import.meta.url));
const NOW = '2024-02-29T12:34:56.789Z';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

async function run(args: string[], env: Record<string, string> = {}) {
  const output = { out: '', error: '' };
  const status = await main(args, {
    env,
    clock: () => Date.parse(NOW),
    writeOut(text) {
      output.out += text;
    },
    writeError(text) {
      output.error += text;
    },
  });
  return { status, ...output };
}

describe('create', () => {
  test('--json prints one line with the id and the key, and the store knows the key', async () => {
    const folder = folders.make();
    const { status, out, error } = await run(['create', '--name', 'Anna', '--json', '--keys-dir', folder]);
    expect({ status, error }).toEqual({ status: 0, error: '' });
    expect(out).toMatch(/^[^\n]+\n$/);
    const made = JSON.parse(out);
    const { id, key, ...others } = made;
    expect(others).toEqual({
      name: 'Anna',
      plan: 'free',
      created: NOW,
      expires: null,
      state: 'active',
      replacedBy: null,
    });
    expect(isWellFormedApiKey(key)).toBe(true);
    const store = openEmbeddedKeyStore(folder);
    expect(store.findByDigest(digestApiKey(key))).toEqual({ id, ...others });
    await store.close();
  });

  test('tells people that the key is shown only this once', async () => {
    const { status, out } = await run(['create', '--name', 'Anna', '--keys-dir', folders.make()]);
    expect(status).toBe(0);
    expect(out).toContain('only this once');
    const key = /^ {2}(pp_\w+)$/m.exec(out)?.[1] ?? '';
    expect(isWellFormedApiKey(key)).toBe(true);
    expect(out.match(/key_[0-9a-z]{12}/g)).toHaveLength(1);
  });

  test('KEYS_DIR names the folder, --keys-dir goes before it', async () => {
    const [fromEnv, fromOption] = [folders.make(), folders.make()];
    await run(['create', '--name', 'env', '--json'], { KEYS_DIR: fromEnv });
    await run(['create', '--name', 'option', '--json', '--keys-dir', fromOption], { KEYS_DIR: fromEnv });
    const listed = await run(['list', '--json'], { KEYS_DIR: fromEnv });
    expect(JSON.parse(listed.out).keys).toMatchObject([{ name: 'env' }]);
    expect(JSON.parse((await run(['list', '--json', '--keys-dir', fromOption])).out).keys).toHaveLength(1);
  });

  test.each([
    ['no name', ['create']],
    ['an empty name', ['create', '--name', '']],
    ['a blank name', ['create', '--name', '  ']],
    ['a name of 101 characters', ['create', '--name', 'x'.repeat(101)]],
    ['a name with a line break', ['create', '--name', 'a\nb']],
    ['a name with an escape sequence', ['create', '--name', '\u001b[31mred']],
    ['an unknown option', ['create', '--name', 'a', '--jsonn']],
    ['a word too many', ['create', '--name', 'a', 'b']],
    ['an unknown command', ['destroy']],
  ])('%s is refused with one line and status 2, and nothing is made', async (_, args) => {
    const folder = join(folders.make(), 'keys');
    const { status, out, error } = await run(args, { KEYS_DIR: folder });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(error).toMatch(/^[\x20-\x7e]+\n$/);
    expect(existsSync(folder)).toBe(false);
  });

  test.each(['create', 'list'])(
    '%s with a store that can not be used ends with one line and status 1',
    async (command) => {
      const path = join(folders.make(), 'file');
      writeFileSync(path, '');
      const args = command === 'create' ? [command, '--name', 'a'] : [command];
      const { status, out, error } = await run([...args, '--keys-dir', path]);
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(error).toMatch(/^postal-keys: [^\n]*KEYS_DIR[^\n]*\n$/);
    },
  );
});

describe('list', () => {
  test('says where there are none', async () => {
    const folder = folders.make();
    expect((await run(['list', '--keys-dir', folder])).out).toBe(`No keys in ${folder}.\n`);
    expect((await run(['list', '--json', '--keys-dir', folder])).out).toBe('{"keys":[]}\n');
  });

  test('shows a table without clear keys', async () => {
    const folder = folders.make();
    const { key } = JSON.parse((await run(['create', '--name', 'Anna', '--json', '--keys-dir', folder])).out);
    await run(['create', '--name', 'Bücherei Köln', '--keys-dir', folder]);
    const { out } = await run(['list', '--keys-dir', folder]);
    const [head, ...rows] = out.trimEnd().split('\n');
    expect(head).toMatch(/^ID +STATE +PLAN +CREATED +EXPIRES +NAME$/);
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row).toMatch(/^key_\w{12} {2}active +free +2024-02-29T12:34:56\.789Z +never +\S.*$/);
    expect(out).toContain('Bücherei Köln');
    expect(out).not.toContain(key);
  });
});

test('--help prints help and is no failure', async () => {
  const { status, out } = await run(['--help']);
  expect(status).toBe(0);
  expect(out).toContain('create');
});

describe('the built program', () => {
  test('prints exactly one line of JSON and ends with status 0', () => {
    const folder = folders.make();
    const ended = spawnSync(process.execPath, [PROGRAM, 'create', '--name', 'Anna', '--json'], {
      env: { ...process.env, KEYS_DIR: folder },
    });
    expect(ended.stderr.toString()).toBe('');
    expect(ended.status).toBe(0);
    expect(ended.stdout.toString()).toMatch(/^\{"id":"key_[^\n]+\}\n$/);
  });

  test('fails with a status and without a stack trace', () => {
    const ended = spawnSync(process.execPath, [PROGRAM, 'create', '--name', '']);
    expect(ended.status).toBe(2);
    expect(ended.stdout.toString()).toBe('');
    expect(ended.stderr.toString()).toMatch(/^postal-keys: [^\n]+\n$/);
  });
});
