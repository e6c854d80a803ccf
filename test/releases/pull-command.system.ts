/**
 * `pull` and `publish` to a channel as programs: what they print, and refuse before they read or write anything; killed,
 * interrupted, without room, without rights, and again and again.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runHere } from '../cli/running.js';
import { stallAfter } from '../fixtures/file-server.js';
import { compiled, type ProgramResult, runCalls, runOnOwnDisk, runProgramAside } from '../fixtures/program.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { type ChannelScene, createChannelScene } from './channel-scene.js';
import { type HostileHost, startHostileHost } from './hostile-host.js';

let scene: ChannelScene;
let host: HostileHost;
const inRoot = (name: string): string => join(scene.root, name);
const pullArgs = (address: string, ...more: string[]): string[] => [
  ...['pull', address, '--to', scene.served, '--key', inRoot('key.pub')],
  ...more,
];

beforeAll(async () => {
  scene = await createChannelScene();
  writeFileSync(inRoot('key'), scene.keyFiles.secret);
  writeFileSync(inRoot('key.pub'), scene.keyFiles.public);
  await scene.serve('one');
  await scene.publish('three');
  scene.save();
  host = await startHostileHost(scene.hosted);
});
beforeEach(() => {
  scene.restore();
  host.clear();
});
afterAll(async () => {
  await host?.stop();
  scene?.remove();
});

describe('the commands', () => {
  test('a key, a publication, a promotion and a pull, for machines', async () => {
    const [key, hosted, served] = ['new.key', 'new-hosted', 'new-served'].map(inRoot) as [string, string, string];
    const signed = ['--to', hosted, '--signing-key', key];
    const createKey = ['signing-key', 'create', '--out', key];
    const results = await runCalls(
      [
        createKey,
        ['publish', scene.source('two'), '--channel', 'next', ...signed],
        ['promote', 'next', 'stable', ...signed],
        ['list', '--to', hosted],
        ['pull', hosted, '--to', served, '--key', `${key}.pub`],
        ['prune', '--to', hosted, '--keep', '1'],
        ['rollback', ...signed],
        createKey,
      ].map((call) => [...call, '--json']),
    );
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0, 0, 1, 1]);
    const reports = results.slice(0, 6).map(({ stdout }) => JSON.parse(stdout));
    const release = scene.nameOf('two');
    expect(reports).toMatchObject([
      { secretKey: key, publicKey: `${key}.pub` },
      { channel: 'next', release, changed: true },
      { channel: 'stable', changed: true },
      [{ name: release, channels: ['next', 'stable'] }],
      { release, changed: true, isInService: true, bytesFetched: reports[1].transferBytes },
      { removed: [] },
    ]);
    expect(readlinkSync(join(served, 'current'))).toBe(`${release}.snapshot`);
    expect(results[6]?.stderr).toMatch(/^postal-places: NOTHING_BEFORE: /);
    // A key is never replaced.
    expect(results[7]?.stderr).toMatch(/is there already/);
  });

  test('for people: sentences, also while the file comes; the key may be the second line of its file', async () => {
    const [, line = ''] = scene.keyFiles.public.split('\n');
    const pull = ['pull', host.url, '--to', scene.served, '--key'];
    const rollback = ['rollback', '--to', scene.served];
    const results = await runCalls([
      [...pull, line],
      pullArgs(host.url),
      rollback,
      pullArgs(host.url),
      [...pull, line.slice(1)],
    ]);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 1]);
    const [first, second, , fourth, noKey] = results.map(({ stdout }) => stdout);
    expect(first).toMatch(/^three-[0-9a-f]{16}: in service, sequence number \d+; fetched \S+ k?B\n$/);
    expect(second).toMatch(/: in service already, sequence number \d+\n$/);
    expect(fourth).toMatch(/but another snapshot was put in service since/);
    expect([noKey, results[4]?.stderr]).toEqual(['', expect.stringMatching(/^postal-places: [^\n]*ENOENT[^\n]*\n$/)]);
    const lines = (results[0]?.stderr ?? '').trim().split('\n');
    expect(lines[0]).toMatch(/^fetched 0 B of \S+ k?B$/);
    expect(lines.at(-1)).toMatch(/^fetched (\S+ k?B) of \1$/);
    expect(lines.length).toBeLessThanOrEqual(12);
  });

  test('an address that nothing can be pulled from, as of SNAPSHOT', async () => {
    const why = 'it is neither an http or https address nor a path';
    for (const more of [[], ['--every', '1h']]) {
      const error = `postal-places: the address can't be pulled from: ${why}\n`;
      expect(await runHere(...pullArgs('file:///srv/releases', ...more))).toEqual({ code: 2, out: '', error });
    }
  });

  test('a folder is of channels or of snapshots, not of both', async () => {
    const [toHosted, toServed] = [scene.hosted, scene.served].map((folder) => ['--to', folder]) as [string[], string[]];
    const before = [readdirSync(scene.hosted), readdirSync(scene.served)];
    for (const [args, told] of [
      [['pull', scene.hosted, ...toHosted, '--key', inRoot('key.pub')], 'has channels: pull into another folder'],
      [['publish', inRoot('none'), ...toHosted], 'has channels: give --signing-key'],
      [['publish', inRoot('none'), ...toServed, '--signing-key', inRoot('key')], 'channels need a folder of their own'],
    ] as const) {
      expect(await runHere(...args)).toMatchObject({ code: 2, error: expect.stringContaining(told) });
    }
    expect([readdirSync(scene.hosted), readdirSync(scene.served)]).toEqual(before);
  });

  test('the help of pull shows its times as they are given', async () => {
    expect((await runHere('pull', '--help')).out).toMatch(/--timeout <time> .*\(default: 1h\)/);
  });
});

test('pull --every follows the channel, tells each event once, as JSON or in a sentence, and ends on a signal', async () => {
  const path = join(scene.hosted, 'channels/stable.json');
  const text = readFileSync(path, 'utf8');
  const programs = [
    follow(pullArgs(host.url, '--every', '1s', '--json')),
    follow(['pull', host.url, '--to', inRoot('told'), '--key', inRoot('key.pub'), '--every', '1s']),
  ];
  const untilLine = (count: number): Promise<unknown> =>
    waitUntil(`line ${count}`, () => programs.every(({ lines }) => lines().length >= count));
  try {
    await untilLine(1);
    expect(scene.inService()).toBe('three');
    writeFileSync(path, text.replace('three', 'threw'));
    await untilLine(2);
    const requests = host.requests.length;
    await waitUntil('other pulls', () => host.requests.length > requests + 18);
    writeFileSync(path, text);
    await untilLine(3);
  } finally {
    for (const { program } of programs) program.kill('SIGTERM');
  }
  expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual([
    [0, null],
    [0, null],
  ]);
  const [events, sentences] = programs.map(({ lines }) => lines().slice(0, 3)) as [string[], string[]];
  expect(events.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'info', message: 'pulled another release', changed: true },
    { level: 'error', code: 'SIGNATURE_INVALID', reason: expect.any(String) },
    { level: 'info', message: 'the channel can be followed again' },
  ]);
  expect(sentences[0]).toMatch(/^\S+Z pulled another release: three-[0-9a-f]{16}: in service, .*; fetched .+$/);
  expect(sentences[1]).toMatch(/^\S+Z the channel could not be pulled: [^{}]+$/);
});

function follow(args: readonly string[]) {
  const program = spawn(process.execPath, [compiled(), ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return { program, ended: once(program, 'exit'), lines: () => output.split('\n').slice(0, -1) };
}

test('a pull that is interrupted, and one that is killed, are gone on with from what was fetched', async () => {
  for (const [signal, bytes] of [
    ['SIGINT', 3_000],
    ['SIGKILL', 5_000],
  ] as const) {
    host.fault(/^releases\//, stallAfter(bytes - fetchedBytes()), 1);
    const program = spawn(process.execPath, [compiled(), ...pullArgs(host.url)]);
    const ended = once(program, 'exit');
    await waitUntil('the start of the file', () => fetchedBytes() === bytes);
    program.kill(signal);
    expect(await ended).toEqual(signal === 'SIGKILL' ? [null, signal] : [130, null]);
    expect(scene.inService()).toBe('one');
  }
  expect(await runProgramAside(pullArgs(host.url))).toMatchObject({ exitCode: 0 });
  const ranges = host.requests.filter(({ path }) => path.startsWith('releases/')).map(({ headers }) => headers.range);
  expect(ranges).toEqual([undefined, 'bytes=3000-', 'bytes=5000-']);
  expect([scene.inService(), scene.partials()]).toEqual(['three', []]);
});

/** Of the file of a release. */
function fetchedBytes(): number {
  const name = scene.partials().find((partial) => partial.includes('.br.'));
  return name === undefined ? 0 : statSync(join(scene.served, name)).size;
}

describe('a folder that takes nothing', () => {
  const pullThere = '"$1" "$2" pull "$URL" --to "$3" --key "$KEY"; echo "exit code $?"';
  const runThere = (options: string, script: string): Promise<ProgramResult> => {
    const env = { URL: host.url, KEY: inRoot('key.pub'), ROOT: scene.root, ONE: scene.source('one') };
    return runOnOwnDisk(scene.served, script, { env, options });
  };

  test('because the disk has too little room: nothing is begun', async () => {
    const { stdout, stderr } = await runThere('size=16m', `${pullThere}; readlink "$3/current"; ls -A "$3"`);
    expect(stderr).toMatch(/^postal-places: NO_SPACE: .* bytes free, and the release needs \d+; make room/m);
    expect(stdout).toMatch(new RegExp(`^exit code 1\n${scene.nameOf('one')}.snapshot\n`));
    expect(host.requests.some(({ path }) => path.startsWith('releases/'))).toBe(false);
  });

  test('because the disk gets full meanwhile: what is served stays, and the pull goes on when there is room', async () => {
    let isFull = false;
    host.fault(/^releases\//, (request, response, file) => {
      writeFileSync(inRoot('asked'), '');
      const answer = (): void => {
        isFull ||= existsSync(inRoot('full'));
        if (isFull) response.end(file.bytes);
        else setTimeout(answer, 10);
      };
      request.on('close', () => {});
      answer();
    });
    const fill =
      'while [ ! -e "$ROOT/asked" ]; do sleep 0.02; done; cat /dev/zero > "$3/fill" 2>/dev/null; touch "$ROOT/full"';
    const { stdout, stderr } = await runThere(
      'size=100m',
      `(${fill}) & ${pullThere}; cmp "$3/current" "$ONE"; rm "$3/fill"; ${pullThere}; readlink "$3/current"; ls -A "$3" | grep partial`,
    );
    expect(stderr).toMatch(/^postal-places: NO_SPACE: .*ENOSPC.*$/m);
    expect(stdout).toMatch(/^exit code 1\n(?!.*differ).*in service.*\nexit code 0\nthree-[0-9a-f]{16}\.snapshot\n$/s);
  });
});
