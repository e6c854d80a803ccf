/** The starter snapshot of `npm start`, compiled by the built builder: it opens, has its places, and points to the site. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isStarterDue, STARTER_RELEASE, starterFileFor } from '../../quick-start/starter-snapshot.js';
import { openSnapshot } from '../../src/store/snapshot.js';
import { STARTER_SITE_URL, sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';

test('it is compiled into a folder that is not there yet, and again only for another site', async () => {
  const path = await sharedStarterSnapshot();
  const { release, manifest, countries } = openSnapshot(path);
  expect(manifest.siteUrl).toBe(STARTER_SITE_URL);
  const codes = countries.filter(({ structures }) => structures !== undefined).map(({ entry }) => entry.code);
  expect(release).toBe(STARTER_RELEASE);
  expect(codes).toEqual(expect.arrayContaining(['CA', 'LI', 'US']));
  expect(isStarterDue(path, STARTER_SITE_URL)).toBe(false);
  expect(isStarterDue(path, 'http://127.0.0.1:4001')).toBe(true);
  // Whoever serves it for its own site is left alone by a start for another.
  expect(starterFileFor(path, STARTER_SITE_URL)).toBe(path);
  const other = starterFileFor(path, 'http://127.0.0.1:4001');
  expect(other).toBe(join(dirname(path), 'starter-http-127-0-0-1-4001.snapshot'));
  expect(isStarterDue(other, 'http://127.0.0.1:4001')).toBe(true);
  expect(starterFileFor(`${path}.missing`, STARTER_SITE_URL)).toBe(`${path}.missing`);
  expect(existsSync(`${path}.missing`)).toBe(false);
  expect(isStarterDue(`${path}.missing`, STARTER_SITE_URL)).toBe(true);
});
