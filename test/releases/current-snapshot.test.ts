/** The snapshot that is served: how another takes its place, what is asked of it before, and the check of its file. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ExpectedError } from '../../src/base/errors.js';
import { type Service, service } from '../../src/core/answers/service.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import { readPath } from '../../src/core/snapshot/place-fields.js';
import { type CountryStructures, openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { openCurrentSnapshot, probeSnapshot } from '../../src/releases/current-snapshot.js';
import type { checkSnapshotFile as Check } from '../../src/releases/integrity-check.js';
import {
  buildFixtureSnapshot,
  buildFrom,
  createTemporaryFolder,
  type FixtureSnapshot,
  writeRelease,
} from '../fixtures/fixture-snapshot.js';
import { cityLineOf, cityOf } from '../fixtures/gazetteer.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { seededRelease } from '../fixtures/seeded-release.js';

describe('the current snapshot', () => {
  let one: FixtureSnapshot;
  let two: FixtureSnapshot;
  beforeAll(async () => {
    one = await buildFixtureSnapshot(HAND_MADE_ROWS, { releaseName: 'one' });
    two = await buildFixtureSnapshot(HAND_MADE_ROWS, { releaseName: 'two' });
  });
  afterAll(() => {
    one?.cleanup();
    two?.cleanup();
  });

  test('another file is served after serve(), and a request keeps its snapshot', async () => {
    const live = await openCurrentSnapshot(one.path, service);
    const taken = live.current();
    const serving = live.serve(two.path);
    expect(live.current().release).toBe('one');
    await serving;
    expect([live.current().release, taken.release]).toEqual(['two', 'one']);
  });

  test('a file that cannot be opened, or fails the probe, is not served', async () => {
    const broken = `${two.path}.broken`;
    writeFileSync(broken, 'no snapshot');
    const live = await openCurrentSnapshot(one.path, service);
    await expect(live.serve(broken)).rejects.toThrow(SnapshotError);
    await expect(openCurrentSnapshot(one.path, { ...service, autocomplete: () => '[]' })).rejects.toThrow(
      ExpectedError,
    );
    expect(live.current().release).toBe('one');
  });

  test('a snapshot is prepared before it is served, and not served if that fails', async () => {
    const prepared: string[] = [];
    const live = await openCurrentSnapshot(one.path, service, {
      *prepare({ release }) {
        yield;
        if (prepared.length === 2) throw new ExpectedError('cannot be prepared');
        prepared.push(release);
      },
    });
    expect(prepared).toEqual(['one']);
    const serving = live.serve(two.path).then(() => live.current().release);
    expect(live.current().release).toBe('one');
    expect([await serving, prepared]).toEqual(['two', ['one', 'two']]);
    await expect(live.serve(one.path)).rejects.toThrow('cannot be prepared');
    expect(live.current().release).toBe('two');
  });
});

describe('the probe before it is served', () => {
  const fixtures: FixtureSnapshot[] = [];
  let snapshot: Snapshot;
  beforeAll(async () => {
    for (const rows of [HAND_MADE_ROWS, seededRelease(5)]) fixtures.push(await buildFixtureSnapshot(rows));
    snapshot = openSnapshot((fixtures[0] as FixtureSnapshot).path);
  });
  afterAll(() => {
    for (const fixture of fixtures) fixture.cleanup();
  });

  test('sound snapshots answer', async () => {
    for (const { path } of fixtures) await probeSnapshot(openSnapshot(path), service);
  });

  test.each(Object.keys(service) as (keyof Service)[])(
    'a snapshot that does not answer %s is refused',
    async (name) => {
      const broken = {
        ...service,
        [name]: () => {
          throw new RangeError('offset out of bounds');
        },
      };
      await expect(probeSnapshot(snapshot, broken)).rejects.toThrow(ExpectedError);
      await expect(probeSnapshot(snapshot, broken)).rejects.toThrow(
        new RegExp(`^${name} of .*: offset out of bounds$`),
      );
    },
  );

  test.each([
    ['getCountry', '{"code":"XX"}'],
    ['resolvePath', '{"id":"another"}'],
    ['findPostcode', '{"places":[]}'],
    ['autocomplete', '[]'],
    ['reverse', '{"distanceKm":81}'],
    ['getPlace', '{"childCount":'],
    ['checkPostcode', '{"match":"normalised"}'],
    ['findPostcodes', '[{"countryCode":"XX"}]'],
    ['listPostcodes', '{"items":[]}'],
    ['nearby', '[]'],
    ['distance', '{"distanceKm":1}'],
  ] as const)('a wrong answer of %s is found', async (name, json) => {
    const wrong = { ...service, [name]: () => json };
    await expect(probeSnapshot(snapshot, wrong)).rejects.toThrow(new RegExp(`^${name} of `));
  });

  test.each<[keyof Service, () => string, string]>([
    ['getPlace', () => '{"name":TEXT', 'expected a text of the snapshot: JSON, found other characters'],
    ['resolvePath', () => '{"id":"TEXT"}', 'the answer is wrong'],
    [
      'findPostcode',
      () => {
        throw new DomainError('POSTCODE_NOT_FOUND', 'TEXT');
      },
      'POSTCODE_NOT_FOUND',
    ],
  ])('what is wrong with %s is told without a text of the file', async (name, answer, told) => {
    const { message } = (await probeSnapshot(snapshot, { ...service, [name]: answer }).catch(
      (error: Error) => error,
    )) as Error;
    expect(message).toMatch(new RegExp(`^${name} of [A-Z]{2}: .*${told}`));
    expect(message).not.toContain('TEXT');
  });

  test('a snapshot without what is told of places on request is refused', async () => {
    const getPlace: Service['getPlace'] = (from, { country, id }) => service.getPlace(from, { country, id });
    await expect(probeSnapshot(snapshot, { ...service, getPlace })).rejects.toThrow(
      /^getPlace of .*: the answer is wrong$/,
    );
  });

  test('cities without a postal code are passed over, on the first level and below it', async () => {
    const folder = createTemporaryFolder();
    try {
      const release = join(folder.path, 'release');
      writeRelease(release, {
        LI: [
          ['9494', 'Schaan', 'Oberland', '', '', 47.17, 9.51],
          ['9495', 'Triesen', 'Oberland', '', '', 47.11, 9.53],
        ],
      });
      // Far from all places, and among them: the first of the country, and the first of its unit.
      const cities = [
        cityOf('LI', 'Aa', 47.6, 9.9, { population: 9_000 }),
        cityOf('LI', 'Abc', 47.13, 9.53, { population: 9_000 }),
      ];
      writeFileSync(join(release, 'cities500.txt'), `${cities.map(cityLineOf).join('\n')}\n`);
      await buildFrom(release, join(folder.path, 'li.snapshot'));
      const ofCities = openSnapshot(join(folder.path, 'li.snapshot'));
      const structures = ofCities.countryByCode.get('LI')?.structures as CountryStructures;
      const paths = Array.from({ length: 4 }, (_, place) => readPath(structures, place));
      expect(paths).toEqual(['/aa', '/oberland', '/oberland/abc', '/oberland/schaan']);
      await probeSnapshot(ofCities, service);
      const broken: Service = {
        ...service,
        findPostcode: () => {
          throw new RangeError('offset out of bounds');
        },
      };
      await expect(probeSnapshot(ofCities, broken)).rejects.toThrow(/^findPostcode of /);
    } finally {
      folder.remove();
    }
  });
});

describe('the check of a file on a thread', () => {
  const never = new AbortController().signal;
  let check: typeof Check;
  let fixture: FixtureSnapshot;
  beforeAll(async () => {
    ({ checkSnapshotFile: check } = await import(
      join(import.meta.dirname, '../../dist/src/releases/integrity-check.js')
    ));
    fixture = await buildFixtureSnapshot(HAND_MADE_ROWS, { releaseName: 'one' });
  });
  afterAll(() => fixture?.cleanup());

  test('an undamaged file has the release and id of its manifest', async () => {
    expect(await check(fixture.path, never)).toEqual({ release: 'one', id: expect.stringMatching(/^[0-9a-f]{16}$/) });
  });

  test('a changed byte is found', async () => {
    const bytes = readFileSync(fixture.path);
    // Of the first section, behind the header's page.
    bytes.writeUInt8(bytes.readUInt8(5000) ^ 1, 5000);
    const damaged = `${fixture.path}.damaged`;
    writeFileSync(damaged, bytes);
    await expect(check(damaged, never)).rejects.toThrow(/checksum/);
  });

  test('an aborted check ends', async () => {
    const stopping = new AbortController();
    const checking = check(fixture.path, stopping.signal);
    stopping.abort();
    await expect(checking).rejects.toThrow(/^the check ended/);
  });
});
