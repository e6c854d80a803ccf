/** The starter snapshot of `npm start`, compiled by the built builder: it opens, has its places, and points to the site. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { isStarterDue, STARTER_RELEASE, starterFileFor } from '../../quick-start/starter-snapshot.js';
import { openSnapshot } from '../../src/store/snapshot.js';
import { buildStarterSnapshot, type StarterSnapshot } from '../fixtures/starter-snapshot.js';

const SITE_URL = 'http://127.0.0.1:3001';

let starter: StarterSnapshot;
beforeEach(async () => {
  starter = await buildStarterSnapshot(SITE_URL);
});
afterEach(() => starter.cleanup());

test('it is compiled into a folder that is not there yet, and again only for another site', () => {
  const { release, manifest, countries } = openSnapshot(starter.path);
  expect(manifest.siteUrl).toBe(SITE_URL);
  const codes = countries.filter(({ structures }) => structures !== undefined).map(({ entry }) => entry.code);
  expect(release).toBe(STARTER_RELEASE);
  expect(codes).toEqual(expect.arrayContaining(['CA', 'LI', 'US']));
  expect(isStarterDue(starter.path, SITE_URL)).toBe(false);
  expect(isStarterDue(starter.path, 'http://127.0.0.1:4001')).toBe(true);
  // Whoever serves it for its own site is left alone by a start for another.
  expect(starterFileFor(starter.path, SITE_URL)).toBe(starter.path);
  const other = starterFileFor(starter.path, 'http://127.0.0.1:4001');
  expect(other).toBe(join(dirname(starter.path), 'starter-http-127-0-0-1-4001.snapshot'));
  expect(isStarterDue(other, 'http://127.0.0.1:4001')).toBe(true);
  expect(starterFileFor(`${starter.path}.missing`, SITE_URL)).toBe(`${starter.path}.missing`);
  expect(existsSync(`${starter.path}.missing`)).toBe(false);
  expect(isStarterDue(`${starter.path}.missing`, SITE_URL)).toBe(true);
});
