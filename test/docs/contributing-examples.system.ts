/**
 * The worked examples of docs/contributing/examples.md, done as a contributor does them: in a copy of the project their
 * patches are applied, and the commands behind them pass, as one command that compiles once. The copy with all changes has
 * no error of types or format.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/base/package-root.js';
import { type CopiedProject, copyProject } from '../fixtures/copied-project.js';

/** Milliseconds that a command may take: many times what the slowest needs. */
const COMMAND_LIMIT_MS = 100_000;

interface Example {
  readonly title: string;
  readonly patch: string;
  /** The words of `npm test -- …`. */
  readonly subjects: readonly string[];
}

const [, ...sections] = readFileSync(join(packageRoot(), 'docs/contributing/examples.md'), 'utf8').split(/^## /m);
const examples = sections.map((section): Example => {
  const blocks = [...section.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, block]) => block);
  const [, subjects = ''] = /^npm test -- (.+)$/m.exec(section) ?? [];
  return { title: section.split('\n', 1)[0] as string, patch: blocks.join(''), subjects: subjects.split(' ') };
});

/** The paths of the files that the patch changes or adds. */
const filesOf = (patch: string): string[] => Array.from(patch.matchAll(/^\+\+\+ b\/(.+)$/gm), ([, name]) => `${name}`);

let project: CopiedProject;
beforeAll(() => {
  project = copyProject([]);
});
afterAll(() => project.remove());

function run(command: string, args: readonly string[], input?: string): void {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: project.path,
    input,
    encoding: 'utf8',
    timeout: COMMAND_LIMIT_MS,
    // The copy is in no repository, also where the folder of temporary files is in one.
    env: { ...process.env, GIT_DIR: join(project.path, 'none') },
  });
  expect({ command: [command, ...args].join(' '), status, output: status === 0 ? '' : stdout + stderr }).toMatchObject({
    status: 0,
    output: '',
  });
}

test('there are three examples', () => {
  expect(examples.map(({ patch, subjects }) => [patch.includes('\n+'), subjects[0] !== ''])).toEqual([
    [true, true],
    [true, true],
    [true, true],
  ]);
});

test.each(examples)(
  '$title: the patch is one of the project as it is, and the command runs its tests',
  ({ patch, subjects }) => {
    run('git', ['apply', '--check', '--verbose', '-'], patch);
    const tests = filesOf(patch).filter((name) => name.startsWith('test/'));
    expect(tests.filter((name) => !subjects.some((word) => name.includes(word)))).toEqual([]);
    expect(subjects.filter((word) => !tests.some((name) => name.includes(word)))).toEqual([]);
  },
);

test('with all patches the tests of all pass', () => {
  for (const { patch } of examples) run('git', ['apply', '--verbose', '-'], patch);
  run(process.execPath, ['scripts/test.js', ...examples.flatMap(({ subjects }) => subjects)]);
});

test('the examples have no error of types or format', () => {
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']);
  const changed = examples.flatMap(({ patch }) => filesOf(patch));
  run(process.execPath, ['node_modules/@biomejs/biome/bin/biome', 'ci', ...changed]);
});
