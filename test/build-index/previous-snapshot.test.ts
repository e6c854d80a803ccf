/** What `build --previous` takes, what it refuses, and what the snapshots after it have. */

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildAsText } from '../../build-index/commands/build-report.js';
import { inspectSnapshot } from '../../build-index/commands/inspect-report.js';
import { checksumCheck, publishSnapshot } from '../../build-index/publishing/publish-snapshot.js';
import { packageVersion } from '../../src/base/package-root.js';
import { FULL_CODES_VERSION } from '../../src/core/snapshot/sections.js';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { damageStructure } from '../fixtures/damage.js';
import { withFormatVersion, withVersion } from '../fixtures/earlier-format.js';
import { createOldPathsScene, OLD_PATH_CASES, type OldPathsScene, resolve } from '../fixtures/old-paths-scene.js';
import { runProgram } from '../fixtures/program.js';
import { silentProgress } from '../fixtures/silent-progress.js';

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
    expect(buildAsText(report)).toContain('no previous snapshot: old paths lead nowhere (--previous names one)');
    const counts = openSnapshot(inFolder('alone.snapshot')).countries.map(
      ({ structures }) => structures?.oldPaths.places.length ?? 0,
    );
    expect(Math.max(...counts)).toBe(0);
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
    await publishSnapshot(
      inFolder('before.snapshot'),
      inFolder('published'),
      checksumCheck(silentProgress),
      silentProgress,
    );
    const { previous } = await scene.build('published.snapshot', 'published');
    expect(previous).toMatchObject({ release: 'before', oldPaths: 8 });
    expect(previous?.path).toMatch(/published\/before-[0-9a-f]{16}\.snapshot$/);
    expect(scene.isLikeAfter('published.snapshot')).toBe(true);
  });

  test('a folder that nothing was published to yet: there is no previous snapshot', async () => {
    const report = await scene.build('first.snapshot', 'before');
    expect(report.previous).toBeNull();
    expect(openSnapshot(inFolder('first.snapshot')).manifest.previousRelease).toBeNull();
    expect(buildAsText(report)).toContain(
      `no previous snapshot: no snapshot is in service in ${inFolder('before')} yet, so old paths lead nowhere; ` +
        'publish this snapshot there, and the next build finds it',
    );
  });

  test('not a folder whose snapshot in service is gone', async () => {
    mkdirSync(inFolder('broken'));
    symlinkSync('before-0123456789abcdef.snapshot', inFolder('broken/current'));
    await expect(scene.build('kept.snapshot', 'broken')).rejects.toThrow(/^FILE_UNREADABLE: .* is not there;/);
  });

  test.each([6, 7, 8])('a snapshot of format version %i', async (version) => {
    writeFileSync(inFolder('older.snapshot'), withFormatVersion(version, readFileSync(inFolder('before.snapshot'))));
    expect(() => openSnapshot(inFolder('older.snapshot'))).toThrow(/FORMAT_VERSION/);
    await scene.build('after-older.snapshot', 'older.snapshot');
    expect(scene.isLikeAfter('after-older.snapshot')).toBe(true);
  });

  test.each<[string, (bytes: Buffer) => Uint8Array, RegExp]>([
    ['no snapshot', () => Buffer.from('no snapshot'), /^FILE_TOO_SHORT: expected --previous .*bad\.snapshot: at least/],
    ['an older version', (bytes) => withVersion(bytes, 5), /^FORMAT_VERSION: .*version 6 to 10, found version 5;/],
    ['a newer version', (bytes) => withVersion(bytes, FULL_CODES_VERSION + 1), /^FORMAT_VERSION: /],
    ['a flipped bit', (bytes) => withFlippedBit(bytes), /^SECTION_DAMAGED: expected --previous .*without --previous$/],
    [
      'paths outside the answers',
      (bytes) => damageStructure(bytes, 'place-answers', 'PL', ({ offsets }) => offsets.fill(0xffffff00, 1, -1)),
      /^STRUCTURE_INVALID: expected place-answers of PL in the previous snapshot: a value within/,
    ],
    [
      'codes that are none',
      (bytes) => damageStructure(bytes, 'place-answers', 'LI', ({ text }) => text.fill(0x7b)),
      /^STRUCTURE_INVALID: expected place-answers of LI in the previous snapshot: a postal code or null, found \{/,
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
    expect(stdout).toMatch(/^previous snapshot: .*before\.snapshot, release before; 8 of its paths lead to places/m);
    const inspected = inspectSnapshot(inFolder('cli.snapshot'), {});
    expect(inspected).toMatch(/^previous {2}before$/m);
    expect(inspected).toContain(`\nbuilder   ${packageVersion()}\n`);
    expect(inspected).toMatch(/^country .* codes +old paths$/m);
    for (const line of [/^AD .* 0$/m, /^LI .* 1$/m, /^PL .* 5$/m, /^SM .* 1$/m]) expect(inspected).toMatch(line);
    const byOldPath = inspectSnapshot(inFolder('cli.snapshot'), { place: 'PL/mazurland' });
    expect(JSON.parse(byOldPath)).toMatchObject({ path: '/mazowsze' });
  });

  test('one line where there is no file', () => {
    const previous = ['--previous', inFolder('absent')];
    const { exitCode, stderr } = runProgram([
      'build',
      inFolder('after'),
      '--out',
      inFolder('no.snapshot'),
      ...previous,
    ]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^postal-places: FILE_UNREADABLE: expected --previous \S+: a snapshot, found .*; name the .*$/m,
    );
  });
});

function withFlippedBit(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[4096 + 100] = (copy[4096 + 100] as number) ^ 1;
  return copy;
}
