/** `export`: every format against the places of the snapshot, read by other programs' readers where there are some. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Command, CommanderError } from 'commander';
import { parse } from 'csv-parse/sync';
import { addExportCommand } from '../../cli/export/export-command.js';
import { createSplitter, parseValue, TABLES } from '../../src/core/answers/tables.js';
import { cityOf as cityOfPlace } from '../../src/core/snapshot/place-cities.js';
import { readPlace } from '../../src/core/snapshot/place-fields.js';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import {
  type CountryStructures,
  decodeSnapshot,
  openSnapshot,
  type Snapshot,
} from '../../src/core/snapshot/snapshot.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { damageStructure } from '../fixtures/damage.js';
import {
  buildFixtureSnapshot,
  createTemporaryFolder,
  type FixtureSnapshot,
  type TemporaryFolder,
} from '../fixtures/fixture-snapshot.js';
import { cityOf } from '../fixtures/gazetteer.js';
import { type FixtureRow, HAND_MADE_ROWS, lineOf } from '../fixtures/hand-made-release.js';
import { keepText } from './enrich/scene.js';

const GB_ROWS: readonly FixtureRow[] = [
  ['M1', 'Manchester', 'England', '', '', 53.47, -2.23],
  ['M2', 'Manchester', 'England', '', '', 53.48, -2.24],
  ['M2', 'Ancoats', 'England', '', '', 53.49, -2.22],
  ['M10', 'Moston', 'England', '', '', 53.5, -2.18],
];
const FULL_ROWS: readonly FixtureRow[] = [
  ['M2 1AA', 'Ancoats', 'England', '', '', 53.4912, -2.2234],
  ['M1 1AE', 'Manchester', 'England', '', '', 53.4771, -2.2308],
  ['M1 1AD', 'Manchester', 'England', '', '', 53.4772, -2.2309],
];
/** What a spreadsheet would run, what CSV quotes, what JSON escapes, and letters of several scripts. */
const ODD_NAMES = ['=1+2', '＝3+4', '@sum(a)', '-Ö, "x"', 'back\\slash', 'Zürich', 'plain'];

let fixture: FixtureSnapshot;
let folder: TemporaryFolder;
let snapshot: Snapshot;

beforeAll(async () => {
  const rows = {
    AD: HAND_MADE_ROWS.AD ?? [],
    AX: HAND_MADE_ROWS.AX ?? [],
    CH: ODD_NAMES.map((name, index): FixtureRow => [`${8000 + index}`, name, '', '', '', 47 + index / 10, 8.5]),
    GB: GB_ROWS,
    GB_full: FULL_ROWS.map((row) => lineOf('GB', row)),
    IE: ['1', '2', '4'].map(
      (number, at): FixtureRow => [`D0${number}`, `Dublin ${number}`, 'Leinster', '', '', 53.34 + at / 100, -6.26],
    ),
  };
  const cities = [
    cityOf('IE', 'Dublin', 53.35, -6.26, { population: 1_024_027, timezone: 'Europe/Dublin' }),
    cityOf('GB', 'Manchester', 53.48, -2.24, { population: 395_515, timezone: 'Europe/London' }),
  ];
  fixture = await buildFixtureSnapshot(rows, { cities });
  folder = createTemporaryFolder();
  snapshot = openSnapshot(fixture.path);
});
afterAll(() => {
  fixture?.cleanup();
  folder?.remove();
});

interface Run {
  readonly exitCode: number;
  readonly out: Buffer;
  readonly errors: string;
}

/** Exit code 2 for wrong usage, 1 for any other error. */
async function runExport(args: readonly string[], { isTTY = false, env = {} } = {}): Promise<Run> {
  const [out, errors] = [keepText(), keepText()];
  const terminal = new PassThrough();
  terminal.pipe(errors.stream);
  const program = new Command('postal-places').exitOverride();
  const stderr = Object.assign(isTTY ? terminal : errors.stream, { isTTY });
  addExportCommand(program, { env, stdout: out.stream, stderr });
  let exitCode = 0;
  try {
    for (const command of program.commands) {
      command.exitOverride().configureOutput({ writeErr: (text) => errors.stream.write(text) });
    }
    await program.parseAsync(['export', ...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) errors.stream.write((error as Error).message);
    exitCode = error instanceof CommanderError ? 2 : 1;
  }
  return { exitCode, out: out.bytes(), errors: errors.text() };
}

async function exported(...args: string[]): Promise<Buffer> {
  const { exitCode, out, errors } = await runExport(['--snapshot', fixture.path, ...args]);
  if (exitCode !== 0) throw new Error(errors);
  return out;
}

const structuresOf = (country: string): CountryStructures =>
  snapshot.countryByCode.get(country)?.structures as CountryStructures;

interface ExportedPlace extends PlaceResource {
  readonly city: string | null;
  readonly cityId: string | null;
}

/** The places of the snapshot with their cities, country by country. */
function listPlaces(codes = ['AD', 'AX', 'CH', 'GB', 'IE']): ExportedPlace[] {
  return codes.flatMap((code) => {
    const structures = structuresOf(code);
    return Array.from({ length: structures.tree.placeCount }, (_, place) => {
      const city = cityOfPlace(structures, place);
      const { id: cityId, name } = city === undefined ? { id: null, name: null } : readPlace(structures, city);
      return { ...readPlace(structures, place), city: name, cityId };
    });
  });
}

const linesOf = (bytes: Buffer): string[] => bytes.toString('utf8').trimEnd().split('\n');
const objectsOf = (bytes: Buffer): Record<string, unknown>[] => linesOf(bytes).map((line) => JSON.parse(line));

/** The values as CSV has them. */
const asCells = (row: object): string[] => Object.values(row).map((value) => (value === null ? '' : String(value)));

describe('places', () => {
  test('NDJSON has the bytes of the snapshot, then the city', async () => {
    const lines = linesOf(await exported('--format', 'ndjson', '--countries', 'AX,CH'));
    const expected = ['AX', 'CH'].flatMap((code) => {
      const { renderedPlaces, tree } = structuresOf(code);
      return Array.from({ length: tree.placeCount }, (_, place) =>
        renderedPlaces.text.toString(
          'utf8',
          renderedPlaces.offsets[place],
          (renderedPlaces.offsets[place + 1] as number) - 2,
        ),
      );
    });
    expect(lines.map((line) => line.slice(0, line.lastIndexOf(',"city":')))).toEqual(expected);
    expect(objectsOf(await exported('--format', 'ndjson'))).toEqual(listPlaces());
  });

  test('a part of a city has the city, a town itself, and a unit around several towns none', async () => {
    const rows = objectsOf(await exported('--format', 'ndjson', '--countries', 'AD,GB'));
    const cityByName = new Map(rows.map(({ name, city }) => [name, city]));
    const names = ['Manchester', 'Ancoats', 'Moston', 'Soldeu', 'Vall', 'England'];
    expect(names.map((name) => cityByName.get(name))).toEqual([
      ...['Manchester', 'Manchester', 'Manchester', 'Soldeu', null, null],
    ]);
  });

  test('CSV has a column for each field, in the order of the fields', async () => {
    const [header, ...rows] = parse(await exported('--format', 'csv', '--raw-cells')) as string[][];
    const places = listPlaces();
    expect(header).toEqual(Object.keys(places[0] as object));
    expect(rows).toEqual(places.map(asCells));
  });

  test('a cell that a spreadsheet would run gets an apostrophe, and no number does', async () => {
    const rows = parse(await exported('--format', 'csv', '--countries', 'CH,GB'), { columns: true }) as Record<
      string,
      string
    >[];
    const names = new Set(rows.filter(({ countryCode }) => countryCode === 'CH').map(({ name }) => name));
    expect(names).toEqual(new Set(["'=1+2", "'＝3+4", "'@sum(a)", `'-Ö, "x"`, 'back\\slash', 'Zürich', 'plain']));
    expect(rows.some(({ longitude }) => longitude === '-2.23')).toBe(true);
  });

  test('a text sequence has each place as a feature between a record separator and a line feed', async () => {
    const text = (await exported('--format', 'geojsonseq')).toString('utf8');
    const records = text.split('\x1e');
    expect(records.shift()).toBe('');
    expect(records.every((record) => record.endsWith('}\n'))).toBe(true);
    expect(records.map((record) => JSON.parse(record))).toEqual(
      listPlaces().map((place) => ({
        type: 'Feature',
        id: place.id,
        geometry: { type: 'Point', coordinates: [place.longitude, place.latitude] },
        properties: place,
      })),
    );
  });

  test('DuckDB reads the Parquet with its types', async () => {
    const file = join(folder.path, 'places.parquet');
    await exported('--format', 'parquet', '--out', file);
    expect(await queryParquet(file, 'SELECT * FROM t')).toEqual(listPlaces());
    const types = await queryParquet(file, 'SELECT column_name, column_type, "null" FROM (DESCRIBE t)');
    expect(types).toContainEqual({ column_name: 'level', column_type: 'INTEGER', null: 'YES' });
    expect(types).toContainEqual({ column_name: 'latitude', column_type: 'DOUBLE', null: 'YES' });
    expect(types).toContainEqual({ column_name: 'name', column_type: 'VARCHAR', null: 'YES' });
  });
});

test('DuckDB reads the Parquet of more rows than a group has', async () => {
  const rows = Array.from(
    { length: 8_300 },
    (_, at): FixtureRow => [`${10_000 + at}`, `Place ${at}`, '', '', '', 40, 8 - at / 1e4],
  );
  const large = await buildFixtureSnapshot({ PT: rows });
  const file = join(folder.path, 'large.parquet');
  const { exitCode } = await runExport(['--snapshot', large.path, '--format', 'parquet', '--out', file]);
  large.cleanup();
  expect(exitCode).toBe(0);
  const [counts] = await queryParquet(file, 'SELECT count(DISTINCT name)::INT AS names, min(longitude) AS west FROM t');
  expect(counts).toEqual({ names: 8_300, west: 7.1701 });
  const groups = await queryParquet(
    file,
    `SELECT DISTINCT row_group_num_rows::INT AS n FROM parquet_metadata('${file}') ORDER BY n`,
  );
  expect(groups).toEqual([{ n: 108 }, { n: 8_192 }]);
});

async function queryParquet(file: string, sql: string): Promise<unknown[]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  try {
    await connection.run(`CREATE VIEW t AS SELECT * FROM read_parquet('${file}')`);
    return await (await connection.runAndReadAll(sql)).getRowObjectsJS();
  } finally {
    connection.closeSync();
  }
}

describe('postal codes', () => {
  test('each code is there once in natural order, and its full codes follow it', async () => {
    const rows = objectsOf(await exported('--format', 'ndjson', '--what', 'postcodes', '--countries', 'GB'));
    expect(
      rows.map(({ postcode, firstPart, latitude, placeCount }) => [postcode, firstPart, latitude, placeCount]),
    ).toEqual([
      ['M1', null, 53.47, 1],
      ['M1 1AD', 'M1', 53.4772, 1],
      ['M1 1AE', 'M1', 53.4771, 1],
      ['M2', null, 53.49, 2],
      ['M2 1AA', 'M2', 53.4912, 1],
      ['M10', null, 53.5, 1],
    ]);
    const places = new Map(listPlaces(['GB']).map((place) => [place.id, place]));
    expect(rows.map(({ locality }) => locality)).toEqual([
      ...['Manchester', 'Manchester', 'Manchester', 'Ancoats', 'Ancoats', 'Moston'],
    ]);
    for (const { placeId, locality, city, cityId } of rows) {
      const place = places.get(placeId as string);
      expect([locality, city, cityId]).toEqual([place?.name, place?.city, place?.cityId]);
      expect(city).toBe('Manchester');
    }
  });

  test('in CSV, Parquet and as features they are the same', async () => {
    const rows = objectsOf(await exported('--format', 'ndjson', '--what', 'postcodes'));
    const [header, ...cells] = parse(
      await exported('--format', 'csv', '--what', 'postcodes', '--raw-cells'),
    ) as string[][];
    expect(header).toEqual([
      ...['countryCode', 'postcode', 'firstPart', 'latitude', 'longitude', 'placeCount', 'placeId'],
      ...['locality', 'city', 'cityId'],
    ]);
    expect(cells).toEqual(rows.map(asCells));
    const file = join(folder.path, 'codes.parquet');
    await exported('--format', 'parquet', '--what', 'postcodes', '--out', file);
    expect(await queryParquet(file, 'SELECT * FROM t')).toEqual(rows);
    const sequence = (await exported('--format', 'geojsonseq', '--what', 'postcodes')).toString('utf8');
    const features = sequence
      .split('\x1e')
      .slice(1)
      .map((record) => JSON.parse(record));
    expect(features.map(({ properties }) => properties)).toEqual(rows);
    expect(features[0]).not.toHaveProperty('id');
    expect(features[0].geometry.coordinates).toEqual([rows[0]?.longitude, rows[0]?.latitude]);
  });
});

describe('cities', () => {
  test('a city is one row, with its people and the codes of all places that belong to it', async () => {
    const rows = objectsOf(await exported('--format', 'ndjson', '--what', 'cities', '--countries', 'AD,GB,IE'));
    const found = rows.map((row) => [
      ...[row.countryCode, row.name, row.type, row.timezone, row.population],
      ...[row.postcodeCount, row.firstPostcode, row.lastPostcode],
    ]);
    expect(found.filter(([country]) => country !== 'AD')).toEqual([
      ['GB', 'Manchester', 'locality', 'Europe/London', 395_515, 3, 'M1', 'M10'],
      // Added by the builder: the release has its parts only.
      ['IE', 'Dublin', 'municipality', 'Europe/Dublin', 1_024_027, 3, 'D01', 'D04'],
    ]);
    expect(found).toContainEqual(['AD', 'Soldeu', 'locality', 'Europe/Andorra', null, 1, 'AD101', 'AD101']);
    const places = new Map(listPlaces().map((place) => [place.id, place]));
    for (const { timezone, population, postcodeCount, firstPostcode, lastPostcode, ...place } of rows)
      expect(places.get(place.id as string)).toEqual({ ...place, city: place.name, cityId: place.id });
  });

  test('all places that stand for cities are rows, and no recipient', async () => {
    const rows = objectsOf(await exported('--format', 'ndjson', '--what', 'cities'));
    const cities = listPlaces().filter(({ id, cityId, type }) => id === cityId && type !== 'recipient');
    expect(rows.map(({ id }) => id)).toEqual(cities.map(({ id }) => id));
    expect(new Set(listPlaces().map(({ cityId }) => cityId))).toEqual(new Set([...rows.map(({ id }) => id), null]));
  });

  test('a city without codes has neither a first nor a last one', async () => {
    const lone = await buildFixtureSnapshot(
      { GB: GB_ROWS },
      { cities: [cityOf('GB', 'Lancaster', 54.05, -2.8, { population: 30_000 })] },
    );
    const args = ['--snapshot', lone.path, '--format', 'ndjson', '--what', 'cities'];
    const { out } = await runExport(args);
    lone.cleanup();
    const row = objectsOf(out).find(({ name }) => name === 'Lancaster');
    expect(row).toMatchObject({ population: 30_000, postcodeCount: 0, firstPostcode: null, lastPostcode: null });
  });
});

describe('where it goes', () => {
  test('a file gets its name when it is whole, in place of the one before', async () => {
    const file = join(folder.path, 'out.csv');
    writeFileSync(file, 'before');
    const { exitCode, out, errors } = await runExport([
      '--snapshot',
      fixture.path,
      '--format',
      'csv',
      '--out',
      file,
      '--json',
    ]);
    expect({ exitCode, out: out.length }).toEqual({ exitCode: 0, out: 0 });
    expect(JSON.parse(errors)).toMatchObject({ format: 'csv', out: file, rows: { places: listPlaces().length } });
    expect(readFileSync(file)).toEqual(await exported('--format', 'csv'));
    expect(readdirSync(folder.path).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test.each([
    ['CSV', 'csv'],
    ['ndjson', 'ndjson'],
    ['geojsons', 'geojsonseq'],
    ['parquet', 'parquet'],
  ])('the ending %s says the format, and names of countries are codes', async (ending, format) => {
    const file = join(folder.path, `by-ending.${ending}`);
    const args = ['--snapshot', fixture.path, '--out', file, '--json', '--countries', 'Ireland,ad'];
    const { exitCode, errors } = await runExport(args);
    expect([exitCode, JSON.parse(errors)]).toMatchObject([
      0,
      { format, rows: { places: listPlaces(['AD', 'IE']).length } },
    ]);
    if (format !== 'parquet') {
      expect(readFileSync(file)).toEqual(await exported('--format', format, '--countries', 'AD,IE'));
    }
  });

  test('SNAPSHOT names the snapshot, and the progress of each table is told', async () => {
    const args = ['--format', 'ndjson', '--what', 'cities', '--countries', 'IE'];
    const { exitCode, errors } = await runExport(args, { env: { SNAPSHOT: fixture.path } });
    expect(exitCode).toBe(0);
    expect(errors).toMatch(/^cities …\ncities: 1 of 1 done after [\d.]+ s\n1 cities: standard output\n$/);
    const file = join(folder.path, 'tty.ndjson');
    const shown = await runExport([...args, '--out', file], { isTTY: true, env: { SNAPSHOT: fixture.path } });
    expect(shown.errors).toContain('1/1');
  });

  test('a failure leaves the file of before, and nothing beside it', async () => {
    const file = join(folder.path, 'kept.csv');
    writeFileSync(file, 'before');
    const damaged = join(folder.path, 'damaged.snapshot');
    writeFileSync(
      damaged,
      damageStructure(readFileSync(fixture.path), 'place-answers', 'IE', ({ text }) => void text.fill(0x20)),
    );
    const { exitCode, errors } = await runExport(['--snapshot', damaged, '--format', 'csv', '--out', file]);
    expect([exitCode, errors]).toEqual([1, expect.stringContaining('STRUCTURE_INVALID')]);
    expect(readFileSync(file, 'utf8')).toBe('before');
    expect(readdirSync(folder.path).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test.each<[string, string[], number]>([
    ['no format', [], 2],
    ['no format and an ending of none', ['--out', 'places.txt'], 2],
    ['an unknown format', ['--format', 'xls'], 2],
    ['an unknown table', ['--format', 'csv', '--what', 'streets'], 2],
    ['a country that is none', ['--format', 'csv', '--countries', 'QQ'], 2],
    ['a country without data', ['--format', 'csv', '--countries', 'GB,FR'], 2],
    ['a name of no country', ['--format', 'csv', '--countries', 'GB,Nowhere'], 2],
    ['a file without a name', ['--format', 'csv', '--out', ''], 2],
    ['a folder', ['--format', 'csv', '--out', '.'], 1],
    ['a device', ['--format', 'csv', '--out', '/dev/null'], 1],
    ['no such folder', ['--format', 'csv', '--out', '/no/such/folder/x.csv'], 1],
    ['no such snapshot', ['--format', 'csv', '--snapshot', '/no/such/file'], 1],
  ])('%s is refused', async (_, args, exitCode) => {
    const run = await runExport(['--snapshot', fixture.path, ...args]);
    expect([run.exitCode, run.out.length, run.errors.length > 0]).toEqual([exitCode, 0, true]);
  });
});

describe('rows in other forms', () => {
  const columns = [
    { name: 'a', type: 'string', isNullable: false },
    { name: 'b', type: 'number', isNullable: true },
  ] as const;
  const split = createSplitter(columns);

  test('an object is split at its keys, whatever its values are', () => {
    const value = ',"b":1}"\\\n,\u0000é';
    for (const [a, b] of [
      [value, -1.5e-7],
      ['', null],
      ['}', 0],
    ] as const) {
      const json = Buffer.from(JSON.stringify({ a, b })).toString('latin1');
      expect(split(json).map(parseValue)).toEqual([a, b]);
    }
  });

  test.each(['', '{', '{"b":1}', '{"a":"x"}', 'null'])('%j is no such object', (json) => {
    expect(() => split(json)).toThrow(SnapshotError);
  });

  test.each(['"', '"\\x"', 'x', '{}'])('%j is no value', (json) => {
    expect(() => parseValue(json === '"' ? '"\\' : json)).toThrow(SnapshotError);
  });
});

test('damaged indexes end in an error or in rows, in bounded time', () => {
  const bytes = readFileSync(fixture.path);
  const listAll = (damaged: Uint8Array, table: keyof typeof TABLES): number => {
    const structures = decodeSnapshot(damaged, false).countryByCode.get('GB')?.structures as CountryStructures;
    return [...TABLES[table].listObjects({ code: 'GB', structures })].length;
  };
  const noPlace = damageStructure(bytes, 'postcode-index', 'GB', ({ places }) => void places.fill(0xfffffff0));
  expect(() => listAll(noPlace, 'postcodes')).toThrow(SnapshotError);
  const allPlaces = damageStructure(bytes, 'postcode-index', 'GB', ({ placeStarts }) => {
    for (let at = 0; at < placeStarts.length; at += 2) placeStarts[at] = 0;
  });
  expect(() => listAll(allPlaces, 'postcodes')).toThrow(SnapshotError);
  const noFullPlace = damageStructure(bytes, 'full-codes', 'GB', ({ places }) => void places.fill(0xffff));
  expect(() => listAll(noFullPlace, 'postcodes')).toThrow(SnapshotError);
  const allCodes = damageStructure(bytes, 'full-codes', 'GB', ({ starts }) => {
    for (let at = 1; at < starts.length; at += 2) starts[at] = starts.at(-1) as number;
    for (let at = 0; at < starts.length; at += 2) starts[at] = 0;
    starts[starts.length - 1] = 3;
  });
  expect(() => listAll(allCodes, 'postcodes')).toThrow(SnapshotError);
  expect(listAll(noPlace, 'cities')).toBeLessThan(20);
});

test('the help says which Node the format sqlite needs', () => {
  const program = new Command('postal-places');
  addExportCommand(program);
  expect(program.commands[0]?.helpInformation().replaceAll(/\s+/g, ' ')).toContain('sqlite needs Node 22.13 or later');
});
