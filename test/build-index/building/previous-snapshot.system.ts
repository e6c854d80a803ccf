/** What `build --previous` takes, what it refuses, and what the snapshots after it have. */

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildReportForPeople } from '../../../build-index/commands/build-report.js';
import { inspectSnapshot } from '../../../build-index/commands/inspect-report.js';
import { publishSnapshot } from '../../../build-index/publishing/publish-snapshot.js';
import { checksumCheck } from '../../../build-index/publishing/snapshot-check.js';
import { packageVersion } from '../../../src/base/package-root.js';
import { service } from '../../../src/core/answers/service.js';
import { readPlace } from '../../../src/core/snapshot/place-fields.js';
import type { PlaceResource } from '../../../src/core/snapshot/rendered-places.js';
import { FORMAT_VERSION } from '../../../src/core/snapshot/sections.js';
import { type CountryStructures, openSnapshot, type Snapshot } from '../../../src/core/snapshot/snapshot.js';
import { parseAnswer } from '../../core/answer.js';
import { damageStructure, withFormatVersion, withVersion } from '../../fixtures/damage.js';
import { buildFrom, writeRelease } from '../../fixtures/fixture-snapshot.js';
import type { FixtureRow } from '../../fixtures/hand-made-release.js';
import { createOldPathsScene, OLD_PATH_CASES, type OldPathsScene, resolve } from '../../fixtures/old-paths-scene.js';
import { runProgram } from '../../fixtures/program.js';
import { seededRelease } from '../../fixtures/seeded-release.js';
import { silentProgress } from '../../fixtures/silent-progress.js';
import { createSite, type SiteScene } from '../../site/site-scene.js';

let scene: OldPathsScene;
beforeAll(async () => {
  scene = await createOldPathsScene();
});
afterAll(() => scene?.remove());
const inFolder = (name: string): string => scene.inFolder(name);

describe('a release later', () => {
  test('old paths are those of one release only', async () => {
    await scene.build('third.snapshot', 'after.snapshot');
    const third = openSnapshot(inFolder('third.snapshot'));
    for (const [country, path, to] of OLD_PATH_CASES) {
      expect([path, resolve(third, country, path)]).toEqual([path, 'PLACE_NOT_FOUND']);
      expect(resolve(third, country, to)).toBe(to);
    }
  });

  test('without a previous snapshot there are none', async () => {
    const report = await scene.build('alone.snapshot', null);
    expect(report.previous).toBeNull();
    expect(buildReportForPeople(report)).toMatchObject({ previous: expect.stringContaining('--previous names') });
    const { countries } = openSnapshot(inFolder('alone.snapshot'));
    expect(countries.map(({ structures }) => structures?.oldPaths.places.length ?? 0)).toEqual(countries.map(() => 0));
  });

  test('the same releases give the same bytes', async () => {
    await scene.build('again.snapshot', 'before.snapshot');
    expect(scene.isLikeAfter('again.snapshot')).toBe(true);
  });

  test('the previous snapshot may lie where the new one is written', async () => {
    writeFileSync(inFolder('same.snapshot'), readFileSync(inFolder('before.snapshot')));
    await scene.build('same.snapshot', 'same.snapshot');
    expect(scene.isLikeAfter('same.snapshot')).toBe(true);
  });
});

describe('what --previous takes', () => {
  test('the folder where the snapshot was published: the one in service', async () => {
    const check = checksumCheck(silentProgress);
    await publishSnapshot(inFolder('before.snapshot'), inFolder('published'), check, silentProgress);
    const { previous } = await scene.build('published.snapshot', 'published');
    expect(previous).toMatchObject({ release: 'before', oldPaths: 8 });
    expect(previous?.path).toMatch(/published\/before-[0-9a-f]{16}\.snapshot$/);
    expect(scene.isLikeAfter('published.snapshot')).toBe(true);
  });

  test('a folder that nothing was published to yet: there is no previous snapshot', async () => {
    const report = await scene.build('first.snapshot', 'before');
    expect(report.previous).toBeNull();
    expect(openSnapshot(inFolder('first.snapshot')).manifest.previousRelease).toBeNull();
    expect(buildReportForPeople(report)).toMatchObject({
      previous: expect.stringContaining(`no snapshot is in service in ${inFolder('before')} yet`),
    });
  });

  test('not a folder whose snapshot in service is gone, and not what is not there', async () => {
    mkdirSync(inFolder('broken'));
    symlinkSync('before-0123456789abcdef.snapshot', inFolder('broken/current'));
    await expect(scene.build('kept.snapshot', 'broken')).rejects.toThrow(/^FILE_UNREADABLE: .* is not there;/);
    const absent = /^FILE_UNREADABLE: expected --previous \S+: a snapshot, found .*; name the /;
    await expect(scene.build('kept.snapshot', 'absent')).rejects.toThrow(absent);
  });

  test.each([6, 7, 8, 9, 10, 11])('a snapshot of format version %i', async (version) => {
    writeFileSync(inFolder('older.snapshot'), withFormatVersion(version, readFileSync(inFolder('before.snapshot'))));
    expect(() => openSnapshot(inFolder('older.snapshot'))).toThrow(/FORMAT_VERSION/);
    await scene.build('after-older.snapshot', 'older.snapshot');
    expect(scene.isLikeAfter('after-older.snapshot')).toBe(true);
  });

  test.each<[string, (bytes: Buffer) => Uint8Array, RegExp]>([
    ['no snapshot', () => Buffer.from('no snapshot'), /^FILE_TOO_SHORT: expected --previous .*bad\.snapshot: at least/],
    ['an older version', (bytes) => withVersion(bytes, 5), /^FORMAT_VERSION: .*version 6 to 12, found version 5;/],
    ['a newer version', (bytes) => withVersion(bytes, FORMAT_VERSION + 1), /^FORMAT_VERSION: /],
    ['a flipped bit', (bytes) => withFlippedBit(bytes), /^SECTION_DAMAGED: expected --previous .*without --previous$/],
    [
      'paths outside the answers',
      (bytes) => damageStructure(bytes, 'place-answers', 'PL', ({ offsets }) => offsets.fill(0xffffff00, 1, -1)),
      /^STRUCTURE_INVALID: expected --previous .*bad\.snapshot: place-answers of PL\.offsets: /,
    ],
    [
      'codes that are none',
      (bytes) => damageStructure(bytes, 'place-answers', 'LI', ({ text }) => text.fill(0x7b)),
      /^STRUCTURE_INVALID: expected --previous .*bad\.snapshot: place-answers: place \d+: an answer, found other text/,
    ],
  ])('not %s: the build ends, and the file stays', async (_, change, message) => {
    writeFileSync(inFolder('bad.snapshot'), change(readFileSync(inFolder('before.snapshot'))));
    writeFileSync(inFolder('kept.snapshot'), 'kept');
    await expect(scene.build('kept.snapshot', 'bad.snapshot')).rejects.toThrow(message);
    expect(readFileSync(inFolder('kept.snapshot'), 'utf8')).toBe('kept');
  });

  test('two places of one id, as in a damaged snapshot, give no two paths of one place', async () => {
    const bytes = damageStructure(readFileSync(inFolder('before.snapshot')), 'place-tree', 'PL', ({ ids }) =>
      ids.copyWithin(16 * 4, 16 * 5, 16 * 6),
    );
    writeFileSync(inFolder('twins.snapshot'), bytes);
    // The build verifies what it writes.
    const { previous } = await scene.build('after-twins.snapshot', 'twins.snapshot');
    expect(previous?.oldPaths).toBeGreaterThan(0);
  });
});

describe('the program', () => {
  test('build reports, and inspect counts', () => {
    const previous = ['--previous', inFolder('before.snapshot')];
    const { exitCode, stdout } = runProgram([
      'build',
      inFolder('after'),
      '--out',
      inFolder('cli.snapshot'),
      ...previous,
    ]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^previous +path .*before\.snapshot, release before, old paths 8$/m);
    const oldPaths = Object.entries({ AD: 0, LI: 1, PL: 5, SM: 1 }).map(([code, count]) =>
      expect.objectContaining({ code, oldPaths: count }),
    );
    expect(inspectSnapshot(inFolder('cli.snapshot'), {})).toMatchObject({
      ...{ previousRelease: 'before', builderVersion: packageVersion() },
      countries: expect.arrayContaining(oldPaths),
    });
    const byOldPath = inspectSnapshot(inFolder('cli.snapshot'), { place: 'PL/mazurland' });
    expect(byOldPath).toMatchObject({ path: '/mazowsze' });
  });
});

function withFlippedBit(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[4096 + 100] = (copy[4096 + 100] as number) ^ 1;
  return copy;
}

describe('The paths of a snapshot in the next one', () => {
  let snapshot: Snapshot;
  beforeAll(() => {
    snapshot = scene.after;
  });

  const NOWHERE = [
    ['PL', '/mazurland/krakow'],
    ['PL', '/mazurland/warszawa/warszawa/warszawa'],
    ['PL', '/mazu'],
    ['LI', '/triesenberg'],
    ['LI', '/nendeln'],
    ['LI', '/ruggell'],
    ['MC', '/mazurland'],
  ] as const;

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
    writeRelease(inFolder('large-before'), { FR: FR.map(inOldUnit), RU: RU.map(inOldUnit) });
    writeRelease(inFolder('large-after'), { FR, RU });
    await buildFrom(inFolder('large-before'), inFolder('large-before.snapshot'));
    const previousPath = inFolder('large-before.snapshot');
    const options = { previousPath };
    const { previous } = await buildFrom(inFolder('large-after'), inFolder('large-after.snapshot'), options);
    const [before, after] = [openSnapshot(previousPath), openSnapshot(inFolder('large-after.snapshot'))];
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
});
