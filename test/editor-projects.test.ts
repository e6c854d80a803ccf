/** An editor types a file by the tsconfig.json that is nearest above it: that project must have the file. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../src/base/package-root.js';

const root = packageRoot();
const FOLDERS = ['build-index', 'cli', 'clients', 'demo', 'generate', 'scripts', 'src', 'test'];
/** Compiled files, and packages. */
const NOT_OURS = /(?:^|\/)(?:dist|node_modules)\//;

function nearestProject(file: string): string {
  let folder = dirname(file);
  while (!existsSync(join(root, folder, 'tsconfig.json'))) folder = dirname(folder);
  return folder;
}

function filesOf(project: string): string[] {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const list = execFileSync(process.execPath, [compiler, '-p', join(root, project), '--listFilesOnly']);
  return list
    .toString()
    .split('\n')
    .map((file) => relative(root, file));
}

test('each TypeScript file, and each script, is in the project that is nearest above it', () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ).filter((file) => /\.m?ts$|^scripts\/.*\.js$/.test(file) && !NOT_OURS.test(file));
  expect(files.length).toBeGreaterThan(1000);
  const projects = new Set(files.map(nearestProject));
  const missing = [...projects].flatMap((project) => {
    const known = new Set(filesOf(project));
    return files.filter((file) => nearestProject(file) === project && !known.has(file));
  });
  expect(missing).toEqual([]);
  expect([...projects].sort()).toEqual(['.', 'clients/typescript', 'clients/web', 'scripts', 'src/site/browser']);
});
