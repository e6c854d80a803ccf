/** The command as a host runs it: a process whose output is the protocol and nothing else, and that ends with its input. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { packageRoot } from '../../../src/base/package-root.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';
import { sceneOf } from './mcp-scene.js';

/** The compiled command alone, as the program loads it. */
const moduleUrl = pathToFileURL(join(packageRoot(), 'dist/cli/mcp/mcp-command.js')).href;
const commander = pathToFileURL(join(packageRoot(), 'node_modules/commander/esm.mjs')).href;
const SCRIPT = `
  const { Command } = await import('${commander}');
  const { addMcpCommand } = await import('${moduleUrl}');
  const program = new Command();
  addMcpCommand(program);
  try { await program.parseAsync(['mcp', ...process.argv.slice(1)], { from: 'user' }); }
  catch (error) { console.error(error.message); process.exitCode = 1; }
`;
const ARGS = ['--input-type=module', '--eval', SCRIPT, '--'];

let snapshot: FixtureSnapshot;
beforeAll(async () => {
  snapshot = await buildFixtureSnapshot({ AD: HAND_MADE_ROWS.AD ?? [] });
});
afterAll(() => snapshot?.cleanup());

const start = (...args: string[]): ChildProcess => spawn(process.execPath, [...ARGS, ...args]);

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

test('a client of the protocol starts it, asks several things at once, and ends it', async () => {
  const env = { PATH: process.env.PATH ?? '', SNAPSHOT: snapshot.path };
  const transport = new StdioClientTransport({ command: process.execPath, args: ARGS, env, stderr: 'pipe' });
  let stderr = '';
  transport.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const mcp = sceneOf(client);
  const [found, missing, tools] = await Promise.all([
    mcp.textOf('postal_lookup_code', { country: 'AD', postcode: 'AD500' }),
    mcp.errorOf('postal_lookup_code', { country: 'AD', postcode: 'AD999' }),
    client.listTools(),
  ]);
  expect([found, missing, tools.tools.length]).toEqual([
    expect.stringContaining('Andorra la Vella'),
    expect.stringContaining('Codes of AD look like'),
    6,
  ]);
  await client.close();
  expect(stderr).toBe('');
});

test('a tool that a damaged file fails says which file that is, and quotes none of it', async () => {
  const bytes = readFileSync(snapshot.path);
  const file = `${snapshot.path}.damaged`;
  const name = '"Andorra la Vella"';
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at)) bytes.fill('~', at, at + name.length);
  writeFileSync(file, bytes);
  const env = { PATH: process.env.PATH ?? '', SNAPSHOT: file };
  const transport = new StdioClientTransport({ command: process.execPath, args: ARGS, env, stderr: 'pipe' });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  try {
    const told = await sceneOf(client).errorOf('postal_lookup_code', { country: 'AD', postcode: 'AD500' });
    expect(told).toMatch(/^.*\.damaged is damaged or wrong: postal-places verify .*\.damaged says where; SECTION_/);
    expect(told).not.toContain('~');
  } finally {
    await client.close();
  }
});

describe('the process', () => {
  test('answers a client of an earlier protocol, writes only messages, and ends by itself when its input ends', async () => {
    const child = start('--snapshot', snapshot.path);
    let [stdout, stderr] = ['', ''];
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    const answered = new Promise<void>((resolve, reject) => {
      child.once('close', () => reject(new Error(stderr)));
      child.stdout?.on('data', (chunk) => {
        stdout += chunk;
        if (stdout.includes('\n')) resolve();
      });
    });
    child.stdin?.write(`no json\n{"no":"message\\u001b"}\n${JSON.stringify(INITIALIZE)}\n`);
    await answered;
    child.stdin?.end();
    const [code, signal] = await once(child, 'close');
    expect([code, signal]).toEqual([0, null]);
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(messages).toMatchObject([{ jsonrpc: '2.0', id: 1, result: { serverInfo: { name: 'postal-places' } } }]);
    expect(stderr).toMatch(/invalid/i);
  });

  test('ends where nothing is sent at all, and where nobody reads', async () => {
    const silent = start('--snapshot', snapshot.path);
    silent.stdin?.end();
    expect((await once(silent, 'close'))[0]).toBe(0);

    const unread = start('--snapshot', snapshot.path);
    unread.stdout?.destroy();
    unread.stdin?.on('error', () => {});
    for (let id = 1; id < 4; id++) unread.stdin?.write(`${JSON.stringify({ ...INITIALIZE, id })}\n`);
    expect((await once(unread, 'close'))[0]).toBe(0);
  });

  test('answers many calls before a host reads any, and warns of nothing', async () => {
    const child = start('--snapshot', snapshot.path);
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    // Each list has 8 kB: these are many times what a pipe takes.
    const ids = Array.from({ length: 100 }, (_, at) => at + 2);
    const calls = ids.map((id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' }));
    child.stdin?.end(`${[JSON.stringify(INITIALIZE), ...calls].join('\n')}\n`);
    // It has read all calls when it has written as much as the pipe takes.
    await once(child.stdout as Readable, 'readable');
    const closed = once(child, 'close');
    const lines = (await text(child.stdout as Readable)).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).id).sort((a, b) => a - b)).toEqual([1, ...ids]);
    expect([(await closed)[0], stderr]).toEqual([0, '']);
  });

  test('answers arguments that are nested too deeply', async () => {
    const child = start('--snapshot', snapshot.path);
    const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const params = `{"name":"postal_lookup_code","arguments":{"postcode":${nested}}}`;
    child.stdin?.write(
      `${JSON.stringify(INITIALIZE)}\n{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${params}}\n`,
    );
    let stdout = '';
    for await (const chunk of child.stdout ?? []) {
      stdout += chunk;
      if (stdout.includes('"id":2')) child.stdin?.end();
    }
    expect(stdout).toContain('The arguments must have at most 4096 characters of JSON.');
  });

  test('fails behind a message that is too long to read', async () => {
    const child = start('--snapshot', snapshot.path);
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdin?.on('error', () => {});
    child.stdin?.write('x'.repeat(11 << 20));
    expect((await once(child, 'close'))[0]).toBe(1);
    expect(stderr).toContain('a message is longer than 10 MiB');
  });
});
