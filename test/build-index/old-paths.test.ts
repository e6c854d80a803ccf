/** The paths of a snapshot in the next one: where the API and the site lead them, and that no other path leads anywhere. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readPlace } from '../../src/core/snapshot/place-fields.js';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import { type CountryStructures, openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { service } from '../../src/core/use-cases/service.js';
import { parseAnswer } from '../core/answer.js';
import { buildFrom, writeRelease } from '../fixtures/fixture-snapshot.js';
import type { FixtureRow } from '../fixtures/hand-made-release.js';
import { createOldPathsScene, OLD_PATH_CASES, type OldPathsScene, resolve } from '../fixtures/old-paths-scene.js';
import { seededRelease } from '../fixtures/seeded-release.js';
import { createSite, type SiteScene } from '../site/site-scene.js';

let scene: OldPathsScene;
let snapshot: Snapshot;
beforeAll(async () => {
  scene = await createOldPathsScene();
  snapshot = scene.after;
});
afterAll(() => scene?.remove());

const NOWHERE = [
  ['PL', '/mazurland/krakow'],
  ['PL', '/mazurland/warszawa/warszawa/warszawa'],
  ['PL', '/mazu'],
  ['LI', '/triesenberg'],
  ['LI', '/nendeln'],
  ['LI', '/ruggell'],
  ['MC', '/mazurland'],
] as const;

test.each(OLD_PATH_CASES)('the API: %s%s is %s', (country, path, to) => {
  const ask = (asked: string) => {
    const segments = asked.slice(1).split('/');
    return parseAnswer(service.resolvePath(snapshot, { country, segments }));
  };
  expect(ask(path)).toEqual(ask(to));
  expect(ask(path).path).toBe(to);
});

test.each(NOWHERE)('the API: %s%s is nowhere', (country, path) => {
  expect(resolve(snapshot, country, path)).toBe('PLACE_NOT_FOUND');
});

test('a path that a place has now leads there, not to the place that had it', () => {
  const codeAt = (from: Snapshot, path: string) =>
    parseAnswer(service.resolvePath(from, { country: 'AD', segments: [path] })).postalCode;
  expect([codeAt(scene.before, 'canillo'), codeAt(snapshot, 'canillo')]).toEqual(['AD500', 'AD100']);
  expect(codeAt(snapshot, 'canillo-ad500')).toBe('AD500');
  expect(snapshot.countryByCode.get('AD')?.structures?.oldPaths.places).toHaveLength(0);
});

test('every path of a larger snapshot leads to the place with the id, or to the place that has the path', async () => {
  const { FR = [], RU = [] } = seededRelease(11);
  const inOldUnit = (line: FixtureRow | string, index: number): FixtureRow => {
    const [code, name, admin1, admin2, ...rest] = line as FixtureRow;
    return [code, name, admin1.replace(/^(?=N|B|Н|Б)/, 'Alt '), index % 7 === 0 ? '' : admin2, ...rest];
  };
  writeRelease(scene.inFolder('large-before'), { FR: FR.map(inOldUnit), RU: RU.map(inOldUnit) });
  writeRelease(scene.inFolder('large-after'), { FR, RU });
  await buildFrom(scene.inFolder('large-before'), scene.inFolder('large-before.snapshot'));
  const previousPath = scene.inFolder('large-before.snapshot');
  const { previous } = await buildFrom(scene.inFolder('large-after'), scene.inFolder('large-after.snapshot'), {
    previousPath,
  });
  const [before, after] = [openSnapshot(previousPath), openSnapshot(scene.inFolder('large-after.snapshot'))];
  const counts = { led: 0, taken: 0, lost: 0 };
  const wrong: string[] = [];
  for (const code of ['FR', 'RU']) {
    const [old, now] = [placesOf(before, code), placesOf(after, code)];
    const pathsById = new Map(now.map(({ id, path }) => [id, path]));
    const paths = new Set(now.map(({ path }) => path));
    for (const { id, path } of old) {
      const to = resolve(after, code, path);
      const expected = paths.has(path) ? path : pathsById.get(id);
      // A place that was renamed has another id.
      if (expected === undefined) counts.lost++;
      else if (to !== expected) wrong.push(`${path} → ${to}, not ${expected}`);
      else if (to !== path) counts.led++;
      else if (to !== pathsById.get(id)) counts.taken++;
    }
  }
  expect(wrong).toEqual([]);
  expect(counts.led).toBeGreaterThan(300);
  expect(counts.taken).toBeGreaterThan(5);
  expect(previous?.oldPaths).toBeGreaterThanOrEqual(counts.led);
  expect(previous?.oldPaths).toBeLessThanOrEqual(counts.led + counts.lost);
});

function placesOf(from: Snapshot, code: string): PlaceResource[] {
  const structures = from.countryByCode.get(code)?.structures as CountryStructures;
  return Array.from({ length: structures.tree.placeCount }, (_, place) => readPlace(structures, place));
}

describe('the site', () => {
  let site: SiteScene;
  beforeAll(() => {
    site = createSite(snapshot);
  });
  const slugs: Record<string, string> = { PL: '/poland', LI: '/liechtenstein', MC: '/monaco', FO: '/faroe-islands' };

  test.each(OLD_PATH_CASES)('%s%s is moved to %s, with its query', async (country, path, to) => {
    for (const query of ['', '?page=2', '?utm=a']) {
      const { status, headers } = await site.get(slugs[country] + encodeURI(path) + query);
      expect([status, headers.location]).toEqual([308, slugs[country] + to + query]);
    }
    expect((await site.get(slugs[country] + to)).status).toBe(200);
  });

  test.each(NOWHERE)('%s%s is not found', async (country, path) => {
    expect((await site.get(slugs[country] + path)).status).toBe(404);
  });

  test("a postal code's page has its address, whichever place had it as a path", async () => {
    expect(resolve(snapshot, 'SM', '/postcode/47890')).toBe('/47890');
    const { status, text } = await site.get('/san-marino/postcode/47890');
    expect(status).toBe(200);
    expect(text).toContain('<title>47890');
  });
});
