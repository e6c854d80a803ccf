/** The starter snapshot of `npm start`, compiled by the built builder: it opens, answers as README says, and points to the site. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isStarterDue, STARTER_RELEASE, starterFileFor } from '../../quick-start/starter-snapshot.js';
import { packageRoot } from '../../src/platform/package-root.js';
import { autocomplete } from '../../src/service/autocomplete.js';
import { findPostcode } from '../../src/service/find-postcode.js';
import { readResponseData } from '../../src/service/response-data.js';
import { openSnapshot } from '../../src/store/snapshot.js';
import { buildFixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { STARTER_SITE_URL, sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';

test('it is compiled, and again only for another site', async () => {
  const path = await sharedStarterSnapshot();
  const { release, manifest, countries } = openSnapshot(path);
  expect(manifest.siteUrl).toBe(STARTER_SITE_URL);
  const codes = countries.filter(({ structures }) => structures !== undefined).map(({ entry }) => entry.code);
  expect(release).toBe(STARTER_RELEASE);
  expect(codes).toEqual(expect.arrayContaining(['BG', 'DE', 'GB', 'LI', 'US']));
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

test('the starter dataset of another version is replaced, and a release of somebody’s own never', async () => {
  const rows = { LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] } as const;
  for (const [releaseName, isDue] of [[STARTER_RELEASE, true] as const, ['2026-03-30', false] as const]) {
    const fixture = await buildFixtureSnapshot(rows, { siteUrl: STARTER_SITE_URL, releaseName });
    try {
      expect([releaseName, isStarterDue(fixture.path, STARTER_SITE_URL)]).toEqual([releaseName, isDue]);
    } finally {
      fixture.cleanup();
    }
  }
});

/** `data` of the first answer that a document shows, behind the call with this target. */
function shownAnswer(path: string, target: string): unknown {
  const text = readFileSync(join(packageRoot(), path), 'utf8');
  const [, call = '', shown = ''] = /```sh\n(curl [^\n]*)\n```\n\n```json\n(.*?)\n```/s.exec(text) ?? [];
  expect(call).toContain(`'http://127.0.0.1:3000${target}'`);
  return JSON.parse(shown.replaceAll('http://127.0.0.1:3001/', `${STARTER_SITE_URL}/`)).data;
}

test("README's answer is what a fresh clone answers", async () => {
  const data = shownAnswer('README.md', '/v1/autocomplete?q=reyk&limit=1');
  const snapshot = openSnapshot(await sharedStarterSnapshot());
  expect(data).toEqual(
    JSON.parse(readResponseData(autocomplete(snapshot, { query: 'reyk', country: undefined, limit: 1 }))),
  );
  expect(data).toMatchObject([{ name: 'Reykjavík', countryCode: 'IS' }]);
});

test('the answer that is explained is what a fresh clone answers: 10115 is Berlin', async () => {
  const data = shownAnswer('docs/calls.md', '/v1/countries/DE/postcodes/10115');
  const snapshot = openSnapshot(await sharedStarterSnapshot());
  const answer = readResponseData(findPostcode(snapshot, { country: 'DE', postcode: '10115' }));
  expect(data).toEqual(JSON.parse(answer));
  expect(data).toMatchObject({ postcode: '10115', places: [{ name: 'Berlin', ancestors: [{ name: 'Berlin' }, {}] }] });
});
