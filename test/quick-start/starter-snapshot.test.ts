/** The starter snapshot of `npm start`, compiled by the built builder: it opens, and has its places. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { compileStarterSnapshot, STARTER_RELEASE } from '../../quick-start/starter-snapshot.js';
import { openSnapshot } from '../../src/store/snapshot.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder.remove());

test('it is compiled into a folder that is not there yet', async () => {
  const path = join(folder.path, 'var/places.snapshot');
  await compileStarterSnapshot(path);
  const { release, countries } = openSnapshot(path);
  const codes = countries.filter(({ structures }) => structures !== undefined).map(({ entry }) => entry.code);
  expect(release).toBe(STARTER_RELEASE);
  expect(codes).toEqual(expect.arrayContaining(['CA', 'LI', 'US']));
});
