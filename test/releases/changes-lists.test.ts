/** The lists of changes that lead to a snapshot: the chain of releases, pages of it, and files that nobody should trust. */

import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ChangeKind, PlaceChange } from '../../src/core/snapshot/release-changes.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { listChanges } from '../../src/core/use-cases/changes.js';
import { DomainError } from '../../src/core/use-cases/domain-error.js';
import { service } from '../../src/core/use-cases/service.js';
import { ChangesLists } from '../../src/releases/changes-lists.js';
import { openCurrentSnapshot } from '../../src/releases/current-snapshot.js';
import { findSnapshot, pinSnapshot } from '../../src/releases/find-snapshot.js';
import { parseAnswer } from '../core/answer.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { createPublishedReleases, type PublishedReleases } from '../fixtures/published-folder.js';
import { createRecordingLogger, type RecordingLogger } from '../fixtures/recording-logger.js';

const LI = (...names: string[]): RowsByCountry => ({
  LI: names.map((name, at) => [String(9490 + at), name, '', '', '', 47 + at / 100, 9.5]),
});
const MANY = Array.from({ length: 300 }, (_, at) => `Place ${String(at).padStart(3, '0')}`);
const MC: RowsByCountry = { MC: [['98000', 'Monaco', '', '', '', 43.73, 7.42]] };

let published: PublishedReleases;
let logger: RecordingLogger;
beforeAll(async () => {
  published = createPublishedReleases();
  await published.publish('r1', LI('Vaduz'));
  await published.publish('r2', { ...LI('Vaduz', 'Triesen'), ...MC });
  await published.publish('r3', { ...LI('Wolfen', 'Triesen', ...MANY), ...MC });
});
afterAll(() => published?.remove());
beforeEach(() => {
  logger = createRecordingLogger();
});

function openWithChanges(path = join(published.folder, 'current')): Snapshot {
  const snapshot = openSnapshot(path);
  return { ...snapshot, changes: new ChangesLists(path, snapshot, logger) };
}

interface Filter {
  readonly country?: string;
  readonly change?: ChangeKind[];
}
interface Answer {
  readonly since: string;
  readonly release: string;
  readonly countriesNotListed: string[];
  readonly items: (PlaceChange & { release: string })[];
  readonly totalCount: number;
  readonly totalPages: number;
}

function ask(snapshot: Snapshot, since: string, page = 1, pageSize = 100, filter: Filter = {}): Answer {
  const { country, change } = filter;
  return parseAnswer(listChanges(snapshot, { since, country, change, page, pageSize })) as unknown as Answer;
}

const told = ({ items }: Answer): string[] =>
  items.map(({ release, countryCode, change, name }) => `${release} ${countryCode} ${change} ${name}`);
const OF_R2 = ['r2 LI added Triesen', 'r2 MC added Monaco'];
const FIRST_OF_R3 = [...MANY.map((name) => `r3 LI added ${name}`), 'r3 LI renamed Wolfen'];

/** All pages. */
function askAll(snapshot: Snapshot, since: string, pageSize: number, filter?: Filter): string[] {
  const first = ask(snapshot, since, 1, pageSize, filter);
  const pages = Array.from({ length: first.totalPages }, (_, at) => ask(snapshot, since, at + 1, pageSize, filter));
  expect(pages.flatMap(({ items }) => items)).toHaveLength(first.totalCount);
  return pages.flatMap(told);
}

describe('a chain of releases', () => {
  test('is told from the release that was asked for, oldest first', () => {
    const snapshot = openWithChanges();
    expect(ask(snapshot, 'r3')).toMatchObject({ since: 'r3', release: 'r3', items: [], totalCount: 0, totalPages: 0 });
    expect(askAll(snapshot, 'r2', 100)).toEqual(FIRST_OF_R3);
    for (const pageSize of [1, 7, 100]) expect(askAll(snapshot, 'r1', pageSize)).toEqual([...OF_R2, ...FIRST_OF_R3]);
    expect(ask(snapshot, 'r1', 5)).toMatchObject({ items: [], totalCount: 303, countriesNotListed: [] });
    expect(logger.lines).toEqual([]);
  });

  test('can be filtered', () => {
    const snapshot = openWithChanges();
    expect(askAll(snapshot, 'r1', 2, { country: 'MC' })).toEqual([OF_R2[1]]);
    expect(askAll(snapshot, 'r1', 100, { change: ['renamed'] })).toEqual(['r3 LI renamed Wolfen']);
    expect(askAll(snapshot, 'r1', 100, { country: 'LI', change: ['removed', 'moved'] })).toEqual([]);
    expect(() => ask(snapshot, 'r1', 1, 1, { country: 'QQ' })).toThrow(DomainError);
  });

  test('is the same through any page first, however far', () => {
    const expected = [...OF_R2, ...FIRST_OF_R3];
    for (const page of [303, 150, 1, 257, 129, 130]) {
      expect(told(ask(openWithChanges(), 'r1', page, 1))).toEqual([expected[page - 1]]);
    }
  });

  test('ends where a list is missing; what can be asked is named', () => {
    const snapshot = openWithChanges();
    expect(() => ask(snapshot, 'r0')).toThrow(
      'No list starts at release r0. There are changes since r1, r2; r3 is served',
    );
    const [list, away] = [published.fileOf('r2', '.changes.ndjson'), join(published.folder, 'away')];
    renameSync(list, away);
    try {
      expect(() => ask(snapshot, 'r1')).toThrow('There are changes since r2; r3 is served');
      expect(askAll(snapshot, 'r2', 100)).toEqual(FIRST_OF_R3);
    } finally {
      renameSync(away, list);
    }
    // It is found again without another snapshot.
    expect(ask(snapshot, 'r1').totalCount).toBe(303);
  });

  test('is known through a pinned file, as workers open it, and for a link', async () => {
    const pinned = pinSnapshot(findSnapshot(published.folder));
    const live = await openCurrentSnapshot(pinned.openPath, service, { logger });
    expect(ask(live.current(), 'r1').totalCount).toBe(303);
    const link = join(published.folder, 'link');
    symlinkSync(published.fileOf('r2'), link);
    expect(told(ask(openWithChanges(link), 'r1'))).toEqual(OF_R2);
    pinned.release();
  });

  test('does not go in a circle', async () => {
    const others = createPublishedReleases();
    try {
      for (const [name, rows] of [
        ['a', LI('Vaduz')],
        ['b', LI('Vaduz', 'Triesen')],
        ['a', LI('Vaduz')],
      ] as const) {
        await others.publish(name, rows);
      }
      const snapshot = openWithChanges(join(others.folder, 'current'));
      expect(told(ask(snapshot, 'b'))).toEqual(['a LI removed Triesen']);
      expect(snapshot.changes.lists()).toHaveLength(1);
    } finally {
      others.remove();
    }
  });
});

test('a snapshot that is no published one has no lists, unless one is beside it', () => {
  const alone = join(published.folder, 'alone.snapshot');
  writeFileSync(alone, readFileSync(published.fileOf('r3')));
  const snapshot = openWithChanges(alone);
  expect(ask(snapshot, 'r3').items).toEqual([]);
  expect(() => ask(snapshot, 'r2')).toThrow('No list says what changed before release r3, which is served');
  writeFileSync(
    join(published.folder, 'alone.changes.ndjson'),
    readFileSync(published.fileOf('r3', '.changes.ndjson')),
  );
  expect(ask(snapshot, 'r1').totalCount).toBe(303);
});

describe('a list that is not as it should be', () => {
  let path: string;
  let text: string;
  beforeAll(() => {
    path = published.fileOf('r3', '.changes.ndjson');
    text = readFileSync(path, 'utf8');
  });
  const restore = (): void => {
    rmSync(path, { recursive: true });
    writeFileSync(path, text);
  };
  const header = (edit: (header: Record<string, unknown>) => object): string => {
    const [first = '', ...lines] = text.split('\n');
    return [JSON.stringify(edit(JSON.parse(first))), ...lines].join('\n');
  };
  const country = (edit: object): string =>
    header(({ countries, ...rest }) => ({ ...rest, countries: [{ ...(countries as object[])[0], ...edit }] }));
  /** Edits a line without changing its length. */
  const line = (from: string | RegExp, to: string): string => {
    const edited = text.replace(from, to);
    expect([edited === text, edited.length]).toEqual([false, text.length]);
    return edited;
  };

  const HEADERS: [string, () => string][] = [
    ['empty', () => ''],
    ['no line', () => 'x'.repeat(300_000)],
    ['no JSON', () => `no JSON\n${text}`],
    ['null', () => `null\n${text}`],
    ['of a later version', () => header((all) => ({ ...all, version: 2 }))],
    ['of another snapshot', () => header((all) => ({ ...all, snapshot: '0123456789abcdef' }))],
    ['with a path for a name', () => header((all) => ({ ...all, since: '../../etc/passwd' }))],
    ['with an id that is none', () => header((all) => ({ ...all, sinceSnapshot: '../x' }))],
    ['without countries', () => header((all) => ({ ...all, countries: 5 }))],
    ['with 1,000 countries', () => header((all) => ({ ...all, countries: new Array(1000).fill(null) }))],
    [
      'with a country twice',
      () => header(({ countries, ...all }) => ({ ...all, countries: [countries, countries].flat() })),
    ],
    ['with a country of null', () => header((all) => ({ ...all, countries: [null] }))],
    ['with a negative count', () => country({ added: -1 })],
    ['with half a count', () => country({ moved: 0.5 })],
    ['with lengths that are none', () => country({ bytes: { added: '5' } })],
    ['with lengths beyond the file', () => country({ bytes: { added: 2 ** 52, removed: 0, moved: 0, renamed: 0 } })],
    ['cut short', () => text.slice(0, -100)],
    ['with a line too many', () => `${text}{}\n`],
  ];
  const LINES: [string, () => string][] = [
    ['with more counted than its bytes', () => country({ added: 1e9 })],
    ['with fewer counted than listed', () => country({ added: 10 })],
    ['without line feeds', () => line(/\n(?=.*Place 00[5-9])/g, ' ')],
    [
      'with a line of no JSON',
      () => line('{"countryCode":"LI","change":"added"', '["countryCode":"LI","change":"added"'),
    ],
    ['with another country', () => line('"countryCode":"LI"', '"countryCode":"AT"')],
    ['with another kind', () => line('"change":"added"', '"change":"moved"')],
    ['with an id that is none', () => line(/"id":"[0-9a-f]{8}/, '"id":"<script>')],
    ['with a path that is none', () => line('"path":"/', '"path":"<')],
    ['with a name of another type', () => line('"name":"Place 000"', '"name":["lace 000"')],
  ];

  test.each([...HEADERS, ...LINES])('%s, is passed over and logged once', (_, edit) => {
    const snapshot = openWithChanges();
    chmodSync(path, 0o644);
    writeFileSync(path, edit());
    try {
      for (let time = 0; time < 3; time++) {
        expect(() => ask(snapshot, 'r2')).toThrow('No list says what changed before release r3');
      }
      expect(logger.lines).toEqual([
        {
          level: 'warn',
          fields: { path: path, reason: expect.any(String) },
          message: 'this list of changes is not usable',
        },
      ]);
    } finally {
      restore();
    }
    expect(ask(openWithChanges(), 'r2').totalCount).toBe(301);
  });

  test('a list that ends before its count is passed over where its end is read', () => {
    const snapshot = openWithChanges();
    writeFileSync(path, country({ added: 301 }));
    expect(ask(snapshot, 'r2').items).toHaveLength(100);
    expect(() => ask(snapshot, 'r2', 4)).toThrow('No list says what changed before release r3');
    expect(logger.lines).toMatchObject([{ fields: { reason: expect.stringContaining('has no end') } }]);
    restore();
  });

  test('a folder, or a file that changes while it is read', () => {
    const snapshot = openWithChanges();
    const [list] = snapshot.changes.lists();
    appendFileSync(path, 'more');
    expect(list?.read(list.header.countries[0] as never, 'added', 0, 1)).toBeUndefined();
    rmSync(path);
    mkdirSync(path);
    expect(() => ask(snapshot, 'r2')).toThrow(DomainError);
    expect(logger.lines.length).toBeGreaterThan(1);
    restore();
    expect(ask(snapshot, 'r2').totalCount).toBe(301);
  });

  test('a country that is counted only is named', () => {
    const [first = ''] = text.split('\n');
    const { countries, ...rest } = JSON.parse(first);
    writeFileSync(path, `${JSON.stringify({ ...rest, countries: [{ ...countries[0], bytes: null }] })}\n`);
    const snapshot = openWithChanges();
    expect(ask(snapshot, 'r1')).toMatchObject({ countriesNotListed: ['LI'], totalCount: 2 });
    expect(ask(snapshot, 'r1', 1, 9, { country: 'MC' })).toMatchObject({ countriesNotListed: [], totalCount: 1 });
    restore();
  });
});
