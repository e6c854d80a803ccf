/** The starter snapshot of `npm start`, compiled by the built builder: it opens, has its places, and points to the site. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { compileStarterSnapshot, isStarterDue, STARTER_RELEASE } from '../../quick-start/starter-snapshot.js';
import { openSnapshot } from '../../src/store/snapshot.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';

const SITE_URL = 'http://127.0.0.1:3001';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder.remove());

test('it is compiled into a folder that is not there yet', async () => {
  const path = join(folder.path, 'var/places.snapshot');
  expect(isStarterDue(path, SITE_URL)).toBe(true);
  await compileStarterSnapshot(path, SITE_URL);
  const { release, manifest, countries } = openSnapshot(path);
  expect(manifest.siteUrl).toBe(SITE_URL);
  const codes = countries.filter(({ structures }) => structures !== undefined).map(({ entry }) => entry.code);
  expect(release).toBe(STARTER_RELEASE);
  expect(codes).toEqual(expect.arrayContaining(['CA', 'LI', 'US']));
  expect(isStarterDue(path, SITE_URL)).toBe(false);
  expect(isStarterDue(path, 'http://127.0.0.1:4001')).toBe(true);
});
