import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { makeFolder } from '../../src/base/make-folder.js';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';

const folder = createTemporaryFolder();
afterAll(() => folder.remove());
const inFolder = (...names: string[]): string => join(folder.path, ...names);

test('a folder is made with its parents, all with the mode, and made again it stays', () => {
  makeFolder(inFolder('one/two/three'), 0o700);
  writeFileSync(inFolder('one/two/three/file'), '');
  makeFolder(inFolder('one/two/three'), 0o755);
  expect(['one', 'one/two', 'one/two/three'].map((name) => statSync(inFolder(name)).mode & 0o777)).toEqual([
    0o700, 0o700, 0o700,
  ]);
  expect(statSync(inFolder('one/two/three/file')).isFile()).toBe(true);
});

test('a file in the way is an error that names it', () => {
  writeFileSync(inFolder('file'), '');
  for (const name of ['file', 'file/below']) {
    expect(() => makeFolder(inFolder(name))).toThrow(`EEXIST: file already exists, mkdir '${inFolder('file')}'`);
  }
});

// Node 20's own function does not end there.
test.each(['/proc/none', '/proc/none/below'])('%s, where nothing can be made, is an error', (path) => {
  expect(() => makeFolder(path)).toThrow("ENOENT: no such file or directory, mkdir '/proc/none'");
});
