/** The documents say what the code says: their tables, links, contents and map. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { marked, type Token, type Tokens } from 'marked';
import { pino } from 'pino';
import { FIELD_NAMES } from '../../cli/enrich/added-fields.js';
import { MATCHES } from '../../cli/enrich/row-finders.js';
import { FORMATS } from '../../cli/export/write-tables.js';
import { CSV_COLUMNS, formatsOf } from '../../src/api/description/answer-formats.js';
import { BULK_PATH, bulkOperation } from '../../src/api/description/bulk-operation.js';
import { type Route, routeTemplateOf } from '../../src/api/description/define-route.js';
import { statusOfCode } from '../../src/api/description/error-codes.js';
import { RELEASE_PATH } from '../../src/api/description/public-operations.js';
import { routes } from '../../src/api/description/routes.js';
import { type Environment, readSettings } from '../../src/base/settings.js';
import { TABLES } from '../../src/core/answers/tables.js';
import { FORMAT_VERSION, OLDEST_PREVIOUS_VERSION } from '../../src/core/snapshot/sections.js';
import { keySettings } from '../../src/keys/decision/key-settings.js';
import { createMetricsPage } from '../../src/process/admin/metrics.js';
import { readProgramSettings } from '../../src/process/program/settings.js';
import { serveApi } from '../../src/process/serving/serve-api.js';
import type { ChannelState } from '../../src/releases/fetching/channel-follower.js';
import { accountSettings } from '../../src/site/account/account-settings.js';
import { siteSettings } from '../../src/site/site-settings.js';
import { buildFixtureSnapshot } from '../fixtures/fixture-snapshot.js';

const textOf = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

/** The cells of the rows of the one table with this head. A bar in a cell is written `\|`. */
function tableOf(path: string, head: string): string[][] {
  const [, rest, ...more] = textOf(path).split(`\n${head}\n`);
  if (rest === undefined || more.length > 0) throw new Error(`${path} does not have one table with the head ${head}`);
  const cellsOf = (row: string): string[] => row.split(/(?<!\\)\|/).slice(1, -1);
  const lines = rest.split('\n');
  const rows = lines.slice(1, lines.indexOf('')).map((row) => cellsOf(row).map((cell) => cell.trim()));
  const odd = rows.filter(({ length }) => length !== cellsOf(head).length);
  if (odd.length > 0) throw new Error(`${path} has rows with other columns than ${head}: ${odd.join('\n')}`);
  return rows;
}

/** What stands between backticks. */
const termsIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, term]) => term as string);

const sorted = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

test('the table of errors is the table from code to status', () => {
  const found = tableOf('docs/errors-and-limits.md', '| Status | Codes | What to do |').flatMap(
    ([statuses = '', codes]) => {
      const [all, each] = [statuses.split(', ').map(Number), termsIn(codes)];
      // One status for all codes of the row, or one for each.
      expect([1, each.length]).toContain(all.length);
      return each.map((code, index): [string, number | undefined] => [code, all.length === 1 ? all[0] : all[index]]);
    },
  );
  expect(found.map(([code]) => code).sort()).toEqual(Object.keys(statusOfCode).sort());
  expect(Object.fromEntries(found)).toEqual(statusOfCode);
});

test('the tables of formats and of the columns of CSV are those of the routes', () => {
  const pathsIn = (cell = ''): string[] =>
    termsIn(cell).map((path) => `/v1${path.replace('…', '/countries/{country}')}`);
  const found = tableOf('docs/formats.md', '| Path, under `/v1` | `format` |').flatMap(([paths, formats]) =>
    pathsIn(paths).map((path): [string, string[]] => [path, termsIn(formats)]),
  );
  const expected = [...routes, bulkOperation].map((one): [string, readonly string[]] => [
    routeTemplateOf(one),
    formatsOf(one),
  ]);
  expect(sorted(Object.fromEntries(found))).toEqual(
    sorted(Object.fromEntries(expected.filter(([, formats]) => formats.length > 0))),
  );
  const columns = tableOf('docs/formats.md', '| List | Columns |');
  const { listPlaces = [] } = CSV_COLUMNS;
  for (const [paths = '', cell = ''] of columns) {
    if (paths.includes('by=postcode')) continue;
    const before = cell.startsWith('those of places, ') ? listPlaces : [];
    for (const path of pathsIn(paths)) {
      const { id } = routes.find((route) => routeTemplateOf(route) === path) as Route;
      expect([path, [...before, ...termsIn(cell)]]).toEqual([path, CSV_COLUMNS[id]]);
    }
  }
  expect(columns.flatMap(([paths]) => pathsIn(paths))).toHaveLength(Object.keys(CSV_COLUMNS).length + 2);
});

test("README's table of endpoints has every path of the API, with its query parameters", () => {
  const rows = tableOf('README.md', '| Path, under `/v1` | Query | `data` |');
  // Of these a sentence below the table says which routes take it.
  const isInTable = (name: string): boolean => !['include', 'lang', 'format'].includes(name);
  const found = rows.map(([path, query]) => {
    const names = termsIn(query).filter(isInTable);
    return [`/v1${termsIn(path)[0]}`, names.sort()] as const;
  });
  const queryOf = ({ parameters }: Route): string[] =>
    parameters
      .filter(({ name, source }) => source === 'query' && isInTable(name))
      .map(({ name }) => name)
      .sort();
  const others = [
    [RELEASE_PATH, []],
    [BULK_PATH, []],
  ] as const;
  const expected = [...routes.map((route) => [routeTemplateOf(route), queryOf(route)] as const), ...others];
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  expect(found).toHaveLength(expected.length);
});

test('the table of the fields that enrich adds has each of them once', () => {
  const rows = tableOf('docs/enrich.md', '| Fields | Meaning |');
  expect(rows.flatMap(([fields]) => termsIn(fields)).sort()).toEqual([...FIELD_NAMES].sort());
  const matches = tableOf('docs/enrich.md', '| `match` | Meaning |').flatMap(([match]) => termsIn(match));
  expect(matches).toEqual([...MATCHES]);
});

test('the table of what export writes has every table with its columns in their order', () => {
  const rows = tableOf('docs/export.md', '| `--what` | Rows | Columns |').map(
    ([what, , columns]) => [termsIn(what)[0], termsIn(columns)] as const,
  );
  const places = rows.find(([what]) => what === 'places')?.[1] ?? [];
  const ofPlace = places.slice(0, -2);
  const documented = rows.map(([what, names]) => [what, what === 'cities' ? [...ofPlace, ...names] : names]);
  const columns = Object.entries(TABLES).map(([what, table]) => [what, table.columns.map(({ name }) => name)]);
  expect(documented).toEqual(columns);
  const formats = tableOf('docs/export.md', '| `--format` | Result |').flatMap(([format]) => termsIn(format));
  expect(formats).toEqual([...FORMATS]);
});

test('the policy of versions names the formats that this program reads', () => {
  const text = textOf('docs/versions.md').replaceAll('\n', ' ');
  expect(text).toContain(`serves one snapshot format, today's is ${FORMAT_VERSION}, and refuses all others`);
  expect(text).toContain(`reads formats ${OLDEST_PREVIOUS_VERSION} to ${FORMAT_VERSION}`);
});

test('NOTICE has the text and the licence of every source of the data', () => {
  const notice = textOf('NOTICE').replaceAll(/\s+/g, ' ');
  const rows = textOf('data/sources.tsv')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(rows.length).toBeGreaterThan(1);
  for (const [, , , , , licence, text] of rows) {
    expect(notice).toContain(licence);
    expect(notice).toContain(text);
  }
});

type ReadSettings = (environment: Environment) => Readonly<Record<string, unknown>>;

describe.each<[string, ReadSettings]>([
  ['server', readProgramSettings],
  ['site', (environment) => readSettings({ ...siteSettings, ...accountSettings }, environment)],
  ['keys', (environment) => readSettings(keySettings, environment)],
])('the table of variables, for %s', (program, read) => {
  /** The variables that the program reads, in the order of the settings that are made of them. */
  const variables: string[] = [];
  const defaults = read(
    new Proxy<Record<string, string | undefined>>(
      {},
      {
        get: (_, name) => void variables.push(String(name)),
      },
    ),
  );
  const rows = tableOf('docs/configuration.md', '| Variable | Default | Read by | Meaning |').filter(([, , readBy]) =>
    readBy?.split(', ').includes(program),
  );

  test('has every variable once, and no other', () => {
    expect(variables).toHaveLength(Object.keys(defaults).length);
    expect(rows.flatMap(([variable]) => termsIn(variable)).sort()).toEqual([...variables].sort());
  });

  test.each(rows.map(([variable, fallback]) => [termsIn(variable)[0] ?? '', termsIn(fallback)[0]] as const))(
    'the default of %s is %s',
    (variable, text) => {
      const setting = Object.keys(defaults)[variables.indexOf(variable)] as string;
      if (text === undefined) expect([null, []]).toContainEqual(defaults[setting]);
      else expect(read({ [variable]: text })[setting]).toEqual(defaults[setting]);
    },
  );
});

test('every row of the table of variables names programs', () => {
  const programs = tableOf('docs/configuration.md', '| Variable | Default | Read by | Meaning |').map(
    ([, , readBy = '']) => readBy.split(', '),
  );
  expect(programs.length).toBeGreaterThan(25);
  expect([...new Set(programs.flat())].sort()).toEqual(['keys', 'server', 'site']);
});

/** The text of `/metrics` of a server that has refused a key. */
async function scrape(): Promise<string> {
  const fixture = await buildFixtureSnapshot({ VA: [['00120', 'Vatican City', '', '', '', 41.9, 12.45]] });
  const keysDir = join(fixture.releasePath, 'keys');
  const config = readProgramSettings({ PORT: '0', ADMIN_PORT: '0', KEYS_DIR: keysDir, DRAIN_SECONDS: '1' });
  const serving = await serveApi(config, fixture.path, pino({ level: 'silent' }));
  try {
    const { status } = await fetch(`http://127.0.0.1:${serving.port}/v1/countries`, {
      headers: { 'x-api-key': 'pp_wrong', connection: 'close' },
    });
    expect(status).toBe(401);
    const now = new Date().toISOString();
    const channel: ChannelState = {
      ...{ address: 'https://data.example/', channel: 'stable', release: 'one', changedAt: now, checkedAt: now },
      ...{ succeededAt: now, failure: { code: 'HOST_FAILED', reason: 'it is down', since: now }, isLate: false },
      counts: { changed: 1, unchanged: 1, skipped: 1, failed: 1 },
    };
    const state = {
      ...{ swapCount: 1, refusedCount: 0, expectedCount: 1, servingCount: 1, restartCount: 0 },
      ...{
        snapshot: { ...serving.snapshot(), sourceDate: '2026-03-30' },
        keyStores: [serving.keyStore()],
        refused: null,
        damaged: null,
        channel,
        isStopping: false,
      },
    };
    return await createMetricsPage(
      async () => state,
      async () => [await serving.metrics()],
    )();
  } finally {
    await serving.stop();
    fixture.cleanup();
  }
}

describe("operations' table of metrics", () => {
  const PREFIX = 'postal_places_';
  const rows = tableOf('docs/operations.md', '| Metric, after `postal_places_` | |');
  const documented = new Map(
    rows.flatMap(([metrics, meaning]) =>
      termsIn(metrics).map((term): [string, { labels: string[]; meaning: string }] => {
        const [, name = '', labels = ''] = /^(\w+)(?:\{([\w,]+)\})?$/.exec(term) ?? [];
        return [name, { labels: labels.split(',').filter(Boolean).sort(), meaning: meaning ?? '' }];
      }),
    ),
  );

  test('has every metric of ours with its labels, and no other', async () => {
    const page = await scrape();
    const types = [...page.matchAll(/^# TYPE postal_places_(\w+) (\w+)$/gm)] as unknown as [string, string, string][];
    const found = Object.fromEntries(
      types.map(([, name, type]) => {
        const suffix = type === 'histogram' ? '_(?:bucket|sum|count)' : '';
        const samples = [...page.matchAll(new RegExp(`^${PREFIX}${name}${suffix}(?:\\{(.*)\\})? `, 'gm'))];
        const labels = samples.flatMap(([, pairs = '']) => [...pairs.matchAll(/(\w+)="/g)].map(([, label]) => label));
        expect([name, samples.length]).not.toEqual([name, 0]);
        return [name, [...new Set(labels)].filter((label) => label !== 'le').sort()];
      }),
    );
    const expected = Object.fromEntries([...documented].map(([name, { labels }]) => [name, labels]));
    expect(sorted(expected)).toEqual(sorted(found));
    // Labels with few values have all of them in the table.
    for (const [, name = '', value] of page.matchAll(
      /^postal_places_(\w+)\{(?:channel="stable",)?(?:reason|state|outcome)="(.*)"\} /gm,
    )) {
      expect(termsIn(documented.get(name)?.meaning)).toContain(value);
    }
  });

  test('has every metric that alerts are made of', () => {
    const conditions = tableOf('docs/operations.md', '| Alert | Condition | What to do |').flatMap((row) =>
      row.slice(1),
    );
    const named = conditions
      .flatMap(termsIn)
      .flatMap(
        (term) =>
          term
            .replaceAll(/"[^"]*"/g, '')
            .match(/\b(?:http|key|snapshot|channel|worker|workers)_\w+|\bworkers(?=\{)/g) ?? [],
      );
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !documented.has(name))).toEqual([]);
  });
});

test('the log lines of keys are lines that the programs write', () => {
  const sources = readdirSync(join(import.meta.dirname, '../../src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => textOf(join('src', path)))
    .join('\n');
  const lines = [...textOf('docs/keys.md').matchAll(/^- (?:info|warn|error) `(.+?)`/gm)].map(([, line = '']) => line);
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.filter((line) => !sources.includes(line))).toEqual([]);
});

describe('the documents as a whole', () => {
  const root = join(import.meta.dirname, '../..');
  const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
  const markdownIn = (folder: string): string[] =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name));

  const FOLDERS = ['.', 'docs', 'docs/contributing', 'data', 'clients/typescript', 'clients/python'];
  const documents = FOLDERS.flatMap(markdownIn);

  /** All tokens of a document of one type, also inside lists and tables. */
  function tokensOf<Type extends Token['type']>(path: string, type: Type): Extract<Token, { type: Type }>[] {
    const found: Token[] = [];
    marked.walkTokens(marked.lexer(textOf(path)), (token) => void (token.type === type && found.push(token)));
    return found as Extract<Token, { type: Type }>[];
  }

  /** As GitHub makes it of a heading. */
  function anchorOf({ text }: Tokens.Heading): string {
    const plain = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
    return plain
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
  }

  const anchorsIn = (path: string): string[] => (tokensOf(path, 'heading') as Tokens.Heading[]).map(anchorOf);

  test.each(documents)('the links of %s lead to files and headings that are there', (path) => {
    const hrefs = [...tokensOf(path, 'link'), ...tokensOf(path, 'image')].map(({ href }) => href as string);
    const dead = hrefs
      .filter((href) => !/^https?:/.test(href))
      .filter((href) => {
        const [file = '', anchor] = href.split('#');
        const target = file === '' ? path : relative(root, join(root, dirname(path), file));
        if (target.startsWith('..') || !existsSync(join(root, target))) return true;
        return anchor !== undefined && !anchorsIn(target).includes(anchor);
      });
    expect(dead).toEqual([]);
  });

  test('the links are found', () => {
    expect(documents.length).toBeGreaterThan(15);
    expect(documents.flatMap((path) => tokensOf(path, 'link')).length).toBeGreaterThan(100);
  });

  test('no heading of a document is there twice, so that links to it are clear', () => {
    for (const path of documents) {
      const anchors = anchorsIn(path);
      expect({ path, twice: anchors.filter((anchor, at) => anchors.indexOf(anchor) !== at) }).toEqual({
        path,
        twice: [],
      });
    }
  });

  test('the table of contents has every document once', () => {
    const listed = tokensOf('docs/README.md', 'link').map(({ href }) => join('docs', href as string));
    const all = [...markdownIn('docs'), ...markdownIn('docs/contributing')].filter((path) => path !== 'docs/README.md');
    expect(listed.filter((path) => path.startsWith('docs/')).sort()).toEqual([...all, 'docs/openapi.json'].sort());
  });

  test('README stays short', () => {
    expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(140);
  });

  describe('CONTRIBUTING.md', () => {
    const cellsOf = (head: string): string[] => {
      const table = (tokensOf('CONTRIBUTING.md', 'table') as Tokens.Table[]).find(
        ({ header }) => header[0]?.text === head,
      );
      return (table?.rows ?? []).map(
        ([first]) => first?.text.replace(/^\[(.*)\]\(.*\)$/, '$1').replaceAll('`', '') ?? '',
      );
    };

    test('maps every room of the sources, and no other', () => {
      const folders = readdirSync(join(root, 'src'), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `src/${name}`);
      const mapped = cellsOf('Room');
      expect(mapped.filter((folder) => folder.startsWith('src/')).sort()).toEqual(folders.sort());
      expect(mapped.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
      for (const folder of ['build-index', 'test', 'docs']) expect(mapped).toContain(folder);
    });

    test('explains some twenty words, each once', () => {
      const words = cellsOf('Word');
      expect(words).toEqual(
        expect.arrayContaining(['leaf', 'unit', 'release', 'snapshot', 'slice', 'folding', 'rank']),
      );
      expect(new Set(words).size).toBe(words.length);
      expect(words.length).toBeGreaterThanOrEqual(20);
    });
  });
});
