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
import { askExamples } from '../../src/api/description/ask-examples.js';
import { listChanges } from '../../src/core/answers/changes.js';
import { checkPostcode } from '../../src/core/answers/check-postcode.js';
import { findPostcode, findPostcodes } from '../../src/core/answers/postcodes.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import type { EntryKind, PlaceChange } from '../../src/core/snapshot/changes-file.js';
import { NO_CHANGES } from '../../src/core/snapshot/release-changes.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { findSnapshot } from '../../src/releases/folder/find-snapshot.js';
import { pinSnapshot } from '../../src/releases/folder/pinned-snapshot.js';
import { ChangesLists } from '../../src/releases/served/changes-lists.js';
import { openCurrentSnapshot } from '../../src/releases/served/current-snapshot.js';
import { parseAnswer } from '../core/answer.js';
import { type FixtureRow, lineOf, type RowsByCountry } from '../fixtures/hand-made-release.js';
import { notFoundDetails } from '../fixtures/not-found-details.js';
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
  readonly change?: EntryKind[];
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
    expect(() => ask(snapshot, 'r0')).toThrow('changes since r1, r2; r3 is served');
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
    const live = await openCurrentSnapshot(pinned.openPath, askExamples, logger);
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
    ['of a later version', () => header((all) => ({ ...all, version: 3 }))],
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

describe('codes that an earlier release has', () => {
  const row = (code: string, name: string, latitude = 51.5): FixtureRow => [code, name, '', '', '', latitude, -0.1];
  const full = (...codes: (readonly [string, string])[]): string[] =>
    codes.map(([code, name]) => lineOf('GB', row(code, name)));
  const VADUZ = row('9490', 'Vaduz', 47);
  const TRIESEN = row('94-95', 'Triesen', 47);
  const GB = [row('M1', 'Manchester'), row('SW1A', 'Abbey'), row('SW1A', 'Whitehall')];
  const ABBEY: [string, string] = ['SW1A 1AA', 'Abbey'];

  let releases: PublishedReleases;
  let snapshot: Snapshot;
  beforeAll(async () => {
    releases = createPublishedReleases();
    await releases.publish('w1', {
      LI: [VADUZ, TRIESEN, row('9498', 'Planken', 47)],
      GB,
      GB_full: full(['M1 1AA', 'Manchester'], ABBEY, ['SW1A 1AB', 'Abbey'], ['SW1A 2AA', 'Whitehall']),
    });
    // SW1A 2AA comes back, and is gone again.
    await releases.publish('w2', {
      LI: [VADUZ, row('9498', 'Planken', 47)],
      GB,
      GB_full: full(['M1 1AA', 'Manchester'], ABBEY),
    });
    await releases.publish('w3', {
      LI: [VADUZ, row('9498', 'Planken', 47)],
      GB,
      GB_full: full(['M1 1AA', 'Manchester'], ABBEY, ['SW1A 2AA', 'Whitehall']),
    });
    await releases.publish('w4', {
      LI: [VADUZ],
      CH: [row('8000', 'Zürich', 47)],
      GB: GB.slice(1),
      GB_full: full(ABBEY),
    });
    snapshot = openFrom(releases);
  });
  afterAll(() => releases?.remove());

  function openFrom({ folder }: PublishedReleases): Snapshot {
    const path = join(folder, 'current');
    const opened = openSnapshot(path);
    return { ...opened, changes: new ChangesLists(path, opened, createRecordingLogger()) };
  }

  const notFoundIn = (country: string, postcode: string, from = snapshot) =>
    notFoundDetails(() => findPostcode(from, { country, postcode }));
  const notFound = (country: string[] | undefined, postcode: string) =>
    notFoundDetails(() => findPostcodes(snapshot, { country, postcode }));
  const check = (country: string, postcode: string, from = snapshot) =>
    parseAnswer(checkPostcode(from, { country, postcode }));

  const TOLD: [string, string, string, string, string][] = [
    ['LI', '94-95', '94-95', 'w2', 'Triesen'],
    ['LI', '9495', '94-95', 'w2', 'Triesen'],
    ['LI', 'LI-9495', '94-95', 'w2', 'Triesen'],
    ['LI', '9498', '9498', 'w4', 'Planken'],
    ['GB', 'M1', 'M1', 'w4', 'Manchester'],
    ['GB', 'M1 1AA', 'M1 1AA', 'w4', 'Manchester'],
    ['GB', 'm11aa', 'M1 1AA', 'w4', 'Manchester'],
  ];

  test.each(TOLD)(
    '%s %s: the error and the check name the release and the place',
    (country, typed, code, release, name) => {
      const withdrawn = {
        ...{ postcode: code, release, countryCode: country, placeName: name, placePath: `/${name.toLowerCase()}` },
        placeId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      };
      const postcode = typed.toUpperCase();
      const told = [{ param: 'postcode', withdrawn, message: expect.any(String), expected: expect.any(String) }];
      expect(notFoundIn(country, postcode)).toEqual(told);
      expect(notFound([country], postcode)).toEqual(told);
      expect(notFound(undefined, postcode)).toEqual(told);
      expect(check(country, typed)).toMatchObject({ match: 'withdrawn', postcode: null, withdrawn });
    },
  );

  test('a territory of the country is told of too, and once', () => {
    const told = [
      expect.objectContaining({ withdrawn: expect.objectContaining({ countryCode: 'LI', release: 'w4' }) }),
    ];
    expect(notFoundIn('CH', '9498')).toEqual(told);
    expect(notFound(['CH', 'LI'], '9498')).toEqual(told);
  });

  test('a full code whose first part lives finds that, and the check says that it is withdrawn', () => {
    for (const [code, release, name] of [
      ['SW1A 1AB', 'w2', 'Abbey'],
      ['SW1A 2AA', 'w4', 'Whitehall'],
    ]) {
      const found = parseAnswer(findPostcode(snapshot, { country: 'GB', postcode: code as string }));
      expect(found).toEqual(parseAnswer(findPostcode(snapshot, { country: 'GB', postcode: 'SW1A' })));
      const withdrawn = { postcode: code, release, placeName: name };
      expect(check('GB', code as string)).toMatchObject({ match: 'partial', postcode: 'SW1A', withdrawn });
    }
  });

  test('what is found, or what no release has, is answered as without lists', () => {
    const without = { ...snapshot, changes: NO_CHANGES };
    for (const [country, code] of [
      ['GB', 'SW1A 1AA'],
      ['GB', 'SW1A 9ZZ'],
      ['GB', 'E1'],
      ['LI', '9490'],
      ['LI', '9999'],
    ] as const) {
      expect(check(country, code)).toEqual(check(country, code, without));
      expect(check(country, code)).not.toHaveProperty('withdrawn');
    }
    expect(notFoundIn('LI', '9999')).toBeUndefined();
    expect(notFoundIn('LI', '9498', without)).toBeUndefined();
    // A code that is probably meant is told where the typed one is not known to be withdrawn.
    expect(notFoundIn('LI', '949O')).toMatchObject([{ expected: '9490' }]);
  });

  test('full codes are listed on request only, in pages as places are', () => {
    const codes = (kinds: EntryKind[], since = 'w1', page = 1, pageSize = 100) => {
      const request = { since, country: undefined, change: kinds, page, pageSize };
      const { items } = parseAnswer(listChanges(snapshot, request)) as unknown as Answer;
      return items.map(({ release, change, postalCode, name }) => `${release} ${change} ${postalCode} ${name}`);
    };
    const all = [
      'w2 fullCodeRemoved SW1A 1AB Abbey',
      'w2 fullCodeRemoved SW1A 2AA Whitehall',
      'w3 fullCodeAdded SW1A 2AA Whitehall',
      'w4 fullCodeRemoved M1 1AA Manchester',
      'w4 fullCodeRemoved SW1A 2AA Whitehall',
    ];
    const kinds: EntryKind[] = ['fullCodeMoved', 'fullCodeRemoved', 'fullCodeAdded'];
    expect(codes(kinds)).toEqual(all);
    expect([1, 2, 3, 4, 5].flatMap((page) => codes(kinds, 'w1', page, 1))).toEqual(all);
    expect(codes(['fullCodeAdded'], 'w2')).toEqual([all[2]]);
    expect(told(ask(snapshot, 'w1'))).toEqual([
      'w2 LI removed Triesen',
      'w4 CH added Zürich',
      'w4 GB removed Manchester',
      'w4 LI removed Planken',
    ]);
    expect(codes(['removed', 'fullCodeRemoved'], 'w3')).toEqual([
      'w4 removed M1 Manchester',
      ...all.slice(3),
      'w4 removed 9498 Planken',
    ]);
  });

  test('a country whose full codes are new as a whole is named where codes are asked for', async () => {
    const others = createPublishedReleases();
    try {
      await others.publish('n1', { GB });
      await others.publish('n2', { GB, GB_full: full(ABBEY) });
      const first = openFrom(others);
      expect(ask(first, 'n1', 1, 100, { change: ['fullCodeAdded'] })).toMatchObject({
        items: [],
        countriesNotListed: ['GB'],
      });
      expect(ask(first, 'n1')).toMatchObject({ items: [], countriesNotListed: [] });
      expect(check('GB', 'SW1A 9ZZ', first)).not.toHaveProperty('withdrawn');
    } finally {
      others.remove();
    }
  });

  test('a list that is damaged or counts only is as good as none, and older ones are not asked', () => {
    const path = releases.fileOf('w4', '.changes.ndjson');
    const text = readFileSync(path, 'utf8');
    const [first = '', ...lines] = text.trimEnd().split('\n');
    chmodSync(path, 0o644);
    const opened = (content: string): Snapshot => {
      writeFileSync(path, content);
      return openFrom(releases);
    };
    try {
      const header = JSON.parse(first);
      const countries = header.countries.map((one: object) => ({ ...one, bytes: null, fullCodes: undefined }));
      const counted = opened(`${JSON.stringify({ ...header, version: 1, countries })}\n`);
      expect(notFoundIn('LI', '9498', counted)).toBeUndefined();
      expect(notFoundIn('LI', '9495', counted)).toBeUndefined();
      const damaged = opened(`${first}\n${lines.join('\n').replaceAll('"change"', '"chance"')}\n`);
      expect(notFoundIn('LI', '9498', damaged)).toBeUndefined();
      expect(check('GB', 'M1 1AA', damaged)).not.toHaveProperty('withdrawn');
      for (const [from, to] of [
        ['"fullCodeRemoved":2', '"fullCodeRemoved":2.5'],
        ['"fullCodes":{', '"fullCodes":{"bytes":7,"_":{'],
        ['"before":3', '"before":-3'],
      ] as const) {
        expect(first).toContain(from);
        expect(opened(text.replace(from, to)).changes.lists()).toEqual([]);
      }
    } finally {
      writeFileSync(path, text);
    }
  });
});
