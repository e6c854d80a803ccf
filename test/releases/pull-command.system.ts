/** `pull` and `publish` to a channel as programs: killed, interrupted, without room, without rights, and again and again. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runHere } from '../cli/running.js';
import { stallAfter } from '../fixtures/file-server.js';
import { compiled, type ProgramResult, runProgram, runProgramAside } from '../fixtures/program.js';
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
  await scene.publish('one');
  await scene.pull();
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
  test('a key, a publication, a promotion and a pull, for machines', () => {
    const json = (...args: string[]): Record<string, unknown> => {
      const { exitCode, stdout, stderr } = runProgram([...args, '--json']);
      if (exitCode !== 0) throw new Error(stderr);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const key = json('signing-key', 'create', '--out', inRoot('new.key'));
    expect(key).toMatchObject({ secretKey: inRoot('new.key'), publicKey: inRoot('new.key.pub') });
    const [hosted, served] = [inRoot('new-hosted'), inRoot('new-served')];
    const signed = ['--to', hosted, '--signing-key', inRoot('new.key')];
    const published = json('publish', scene.source('two'), '--channel', 'next', ...signed);
    expect(published).toMatchObject({ channel: 'next', release: scene.nameOf('two'), changed: true });
    expect(json('promote', 'next', 'stable', ...signed)).toMatchObject({ channel: 'stable', changed: true });
    expect(json('list', '--to', hosted)).toMatchObject([{ name: scene.nameOf('two'), channels: ['next', 'stable'] }]);
    expect(json('pull', hosted, '--to', served, '--key', inRoot('new.key.pub'))).toMatchObject({
      ...{ release: scene.nameOf('two'), changed: true, isInService: true, bytesFetched: published.transferBytes },
    });
    expect(readlinkSync(join(served, 'current'))).toBe(`${scene.nameOf('two')}.snapshot`);
    expect(json('prune', '--to', hosted, '--keep', '1')).toMatchObject({ removed: [] });
    expect(runProgram(['rollback', ...signed]).stderr).toMatch(/^postal-places: NOTHING_BEFORE: /);
    // A key is never replaced.
    const again = runProgram(['signing-key', 'create', '--out', inRoot('new.key')]);
    expect(again).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/is there already, and is not replaced/),
    });
  });

  test('for people: sentences, also while the file comes', async () => {
    const { exitCode, stdout, stderr } = await runProgramAside(pullArgs(host.url));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^three-[0-9a-f]{16}: in service, sequence number \d+; fetched \S+ k?B\n$/);
    const lines = stderr.trim().split('\n');
    expect(lines[0]).toMatch(/^fetched 0 B of \S+ k?B$/);
    expect(lines.at(-1)).toMatch(/^fetched (\S+ k?B) of \1$/);
    expect(lines.length).toBeLessThanOrEqual(12);
    expect((await runProgramAside(pullArgs(host.url))).stdout).toMatch(/: in service already, sequence number \d+\n$/);
    expect(runProgram(['rollback', '--to', scene.served]).exitCode).toBe(0);
    expect((await runProgramAside(pullArgs(host.url))).stdout).toMatch(/but another snapshot was put in service since/);
  });

  test('the key may be the second line of its file', async () => {
    const [, line = ''] = scene.keyFiles.public.split('\n');
    const args = ['pull', scene.hosted, '--to', scene.served, '--key'];
    expect(await runProgramAside([...args, line])).toMatchObject({ exitCode: 0 });
    expect(scene.inService()).toBe('three');
    const { code, error } = await runHere(...args, line.slice(1));
    expect(code).toBe(1);
    expect(error).toMatch(/^postal-places: [^\n]*ENOENT[^\n]*\n$/);
  });

  test.each<[string, string[]]>([
    ['no key', ['pull', 'x', '--to', 'y']],
    ['a channel that is a path', ['pull', 'x', '--to', 'y', '--key', 'z', '--channel', '../x']],
    ['no time', ['pull', 'x', '--to', 'y', '--key', 'z', '--every', 'often']],
    ['a time that no timer can wait', ['pull', 'x', '--to', 'y', '--key', 'z', '--every', '999999h']],
    ['to keep nothing', ['pull', 'x', '--to', 'y', '--key', 'z', '--keep', '0']],
    ['a channel without a key', ['publish', 'x', '--to', 'y', '--channel', 'next']],
    ['a rollback of snapshots in a channel', ['rollback', '--to', 'y', '--channel', 'next']],
    ['a promotion to a path', ['promote', 'next', '../x', '--to', 'y', '--signing-key', 'z']],
  ])('a wrong call: %s', async (_, args) => {
    expect(await runHere(...args)).toMatchObject({ code: 2, out: '' });
  });
});

describe('pull --every', () => {
  test('tells each event in a sentence', async () => {
    const program = spawn(process.execPath, [
      compiled(),
      'pull',
      host.url,
      '--to',
      inRoot('told'),
      '--key',
      inRoot('key.pub'),
      '--every',
      '1s',
    ]);
    const ended = once(program, 'exit');
    let output = '';
    program.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const stable = join(scene.hosted, 'channels/stable.json');
    const text = readFileSync(stable, 'utf8');
    try {
      await waitUntil('the first pull', () => output.includes('\n'));
      expect(output).toMatch(
        /^\S+Z pulled another release: three-[0-9a-f]{16}: in service, sequence number \d+; fetched .+\n$/,
      );
      writeFileSync(stable, text.replace('three', 'threw'));
      await waitUntil('a failure', () => output.split('\n').length > 2);
      expect(output.split('\n')[1]).toMatch(/^\S+Z the channel could not be pulled: [^{}]+$/);
    } finally {
      writeFileSync(stable, text);
      program.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
  });

  test('follows the channel, says each failure once, and ends on a signal', async () => {
    const program = spawn(process.execPath, [compiled(), ...pullArgs(host.url, '--every', '1s', '--json')]);
    const ended = once(program, 'exit');
    let output = '';
    program.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const lines = () =>
      output
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as object);
    try {
      await waitUntil('the first pull', () => lines().length === 1);
      expect(lines()[0]).toMatchObject({ level: 'info', message: 'pulled another release', changed: true });
      expect(scene.inService()).toBe('three');
      const text = readFileSync(join(scene.hosted, 'channels/stable.json'), 'utf8');
      writeFileSync(join(scene.hosted, 'channels/stable.json'), text.replace('three', 'threw'));
      await waitUntil('a failure', () => lines().length === 2);
      expect(lines()[1]).toMatchObject({ level: 'error', code: 'SIGNATURE_INVALID', reason: expect.any(String) });
      const requests = host.requests.length;
      await waitUntil('another pull', () => host.requests.length > requests + 9);
      writeFileSync(join(scene.hosted, 'channels/stable.json'), text);
      await waitUntil('a success', () => lines().length > 2);
      expect(lines()[2]).toMatchObject({ level: 'info', message: 'the channel can be followed again' });
    } finally {
      program.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
  });
});

describe('a pull that is ended', () => {
  test.each(['SIGKILL', 'SIGINT'] as const)('by %s goes on with what it has fetched', async (signal) => {
    host.fault(/^releases\//, stallAfter(3_000), 1);
    const program = spawn(process.execPath, [compiled(), ...pullArgs(host.url)]);
    const ended = once(program, 'exit');
    const download = (): string | undefined => scene.partials().find((name) => name.includes('.br.'));
    await waitUntil('the start of the file', () => {
      const name = download();
      return name !== undefined && statSync(join(scene.served, name)).size === 3_000;
    });
    program.kill(signal);
    expect(await ended).toEqual(signal === 'SIGKILL' ? [null, signal] : [130, null]);
    expect(scene.inService()).toBe('one');
    host.clear();
    const { exitCode } = await runProgramAside(pullArgs(host.url));
    expect(exitCode).toBe(0);
    expect(host.requests.at(-1)?.headers.range).toBe('bytes=3000-');
    expect([scene.inService(), scene.partials()]).toEqual(['three', []]);
  });
});

describe('a folder that takes nothing', () => {
  /** A disk of `size`, which is gone with the script that has it, with a copy of the served folder. */
  const onDisk = (size: string, script: string): string =>
    `set -e; cp -a "$3" "$3.copy"; mount -t tmpfs -o size=${size} none "$3"; cp -a "$3.copy/." "$3"; rm -r "$3.copy"; set +e
    ${script}`;
  const ownDisk = ['unshare', '--map-root-user', '--mount'];
  const pullThere = '"$1" "$2" pull "$URL" --to "$3" --key "$KEY"; echo "exit code $?"';

  beforeAll(() => {
    const { status, stderr } = spawnSync('unshare', [...ownDisk.slice(1), 'mount', '-t', 'tmpfs', 'none', '/tmp'], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`these tests mount disks of their own, by unshare of util-linux: ${stderr}`);
  });

  test('because the disk has too little room: nothing is begun', async () => {
    const { stdout, stderr } = await runScript(
      onDisk('16m', `${pullThere}; readlink "$3/current"; ls -A "$3"`),
      ownDisk,
    );
    const name = `${scene.nameOf('one')}.snapshot`;
    expect(stderr).toMatch(/^postal-places: NO_SPACE: .* bytes free, and the release needs \d+; make room/m);
    expect(stdout).toMatch(new RegExp(`^exit code 1\n${name}\n`));
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
    const script = onDisk(
      '100m',
      `(${fill}) & ${pullThere}; cmp "$3/current" "$ONE"; rm "$3/fill"; ${pullThere}; readlink "$3/current"; ls -A "$3" | grep partial`,
    );
    const { stdout, stderr } = await runScript(script, ownDisk);
    expect(stderr).toMatch(/^postal-places: NO_SPACE: .*ENOSPC.*$/m);
    expect(stdout).toMatch(/^exit code 1\n(?!.*differ).*in service.*\nexit code 0\nthree-[0-9a-f]{16}\.snapshot\n$/s);
  });

  /** Runs a shell script that finds the program as "$1" "$2" and the served folder as "$3". */
  async function runScript(script: string, wrapper: readonly string[]): Promise<ProgramResult> {
    const [command = 'sh', ...args] = [
      ...wrapper,
      'sh',
      '-c',
      script,
      'sh',
      process.execPath,
      compiled(),
      scene.served,
    ];
    const env = { ...process.env, URL: host.url, KEY: inRoot('key.pub'), ROOT: scene.root, ONE: scene.source('one') };
    const child = spawn(command, args, { env, timeout: 60_000 });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const [exitCode] = (await once(child, 'close')) as [number | null];
    return { exitCode, stdout, stderr };
  }
});
