/** What deploy/publish/publish-release.sh calls, with a program in its place that writes down its arguments. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';

const SCRIPT = join(import.meta.dirname, '../..', 'deploy', 'publish', 'publish-release.sh');
/** `inspect` answers with RELEASE of next.snapshot, and with SERVED of the snapshot that the channel names. */
const PROGRAM = `#!/bin/sh
echo "$*" >> "$CALLS"
[ "$1" = "$FAILING" ] && exit 3
case "$1 $2" in
  "inspect "*/next.snapshot) echo '{"release":"'"$RELEASE"'"}' ;;
  "inspect "*) echo '{"release":"'"$SERVED"'"}' ;;
esac
exit 0
`;

let folder: ReturnType<typeof createTemporaryFolder>;
beforeEach(() => {
  folder = createTemporaryFolder();
  writeFileSync(join(folder.path, 'postal-places'), PROGRAM, { mode: 0o755 });
});
afterEach(() => folder.remove());

/** The exit code, and the commands that were called. */
function run(environment: Record<string, string>, hasChannel = true) {
  const [releases, calls] = [join(folder.path, 'releases'), join(folder.path, 'calls')];
  mkdirSync(join(releases, 'channels'), { recursive: true });
  if (hasChannel) writeFileSync(join(releases, 'channels', 'stable.json'), '{}');
  const { status } = spawnSync(SCRIPT, {
    env: {
      PATH: [folder.path, process.env.PATH].join(delimiter),
      ...{ RELEASES: releases, SIGNING_KEY: 'places.key', WORK: join(folder.path, 'work'), CALLS: calls },
      ...{ RELEASE: '2026-03', SERVED: '2026-02', FAILING: '' },
      ...environment,
    },
  });
  const lines = readFileSync(calls, 'utf8').trim().split('\n');
  const commands = lines.map((line) => line.split(' ')[0]).filter((name) => name !== 'inspect');
  return { status, commands, lines };
}

const PUBLISHING = ['verify', 'diff', 'publish', 'promote', 'prune'];

test('a new release is compared, published and promoted', () => {
  const { status, commands, lines } = run({});
  expect({ status, commands }).toEqual({ status: 0, commands: ['download', 'pull', 'build', ...PUBLISHING] });
  expect(lines.find((line) => line.startsWith('build'))).toMatch(/--previous \S*served\/current$/);
  expect(lines.find((line) => line.startsWith('diff'))).toMatch(/served\/current \S*next.snapshot --max-loss 5$/);
});

test('a release that the channel names already is not published again, with itself as the release before', () => {
  const { status, commands } = run({ SERVED: '2026-03' });
  expect({ status, commands }).toEqual({ status: 0, commands: ['download', 'pull', 'build', 'prune'] });
});

test('the first release is compared with nothing', () => {
  const { status, commands, lines } = run({}, false);
  const expected = ['download', 'build', 'verify', 'publish', 'promote', 'prune'];
  expect({ status, commands }).toEqual({ status: 0, commands: expected });
  expect(lines.join('\n')).not.toContain('--previous');
  const again = run({ COMPARE: 'no' }).commands.slice(expected.length);
  expect(again).toEqual(expected);
});

test.each([
  ['diff', ['download', 'pull', 'build', 'verify', 'diff']],
  ['inspect', ['download', 'pull', 'build']],
  ['publish', ['download', 'pull', 'build', 'verify', 'diff', 'publish']],
])('where %s fails, the script ends', (name, expected) => {
  const { status, commands } = run({ FAILING: name });
  expect(status).not.toBe(0);
  expect(commands).toEqual(expected);
});

test('a country may lose as much as MAX_LOSS says', () => {
  expect(run({ MAX_LOSS: '100' }).lines.find((line) => line.startsWith('diff'))).toMatch(/--max-loss 100$/);
});
