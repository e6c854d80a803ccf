/**
 * Writes tables of a snapshot in each format, as a stream: at most a piece of text, or a row group of Parquet, is in
 * memory. After each piece other work of the process goes on, such as the handling of a signal.
 */

import { isBuiltin } from 'node:module';
import { setImmediate as nextRound } from 'node:timers/promises';
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { formatNumberOf } from '../../build-index/reporting/format-figures.js';
import type { Progress } from '../../build-index/reporting/progress.js';
import { ExpectedError } from '../../src/base/errors.js';
import { csvLine } from '../../src/core/answers/csv.js';
import { featureJson } from '../../src/core/answers/geojson.js';
import {
  createSplitter,
  parseValue,
  TABLES,
  type TableCountry,
  type TableName,
} from '../../src/core/answers/tables.js';
import { BufferSink, type ByteString } from '../../src/core/snapshot/byte-string.js';

export const FORMATS = ['csv', 'ndjson', 'geojsonseq', 'parquet', 'sqlite'] as const;
export type Format = (typeof FORMATS)[number];
type LineFormat = 'csv' | 'ndjson' | 'geojsonseq';

export interface TableJob {
  readonly countries: readonly TableCountry[];
  /** Whether texts in CSV stay as they are that a spreadsheet would run as a formula. */
  readonly isRaw: boolean;
  readonly progress: Progress | undefined;
}

/** Takes the bytes before it resolves: they may change afterwards. */
export type Write = (bytes: Buffer) => Promise<void>;

/** Gives each row to `take`, and calls `flush` after each piece of `pieceRows` rows and the last. Returns their number. */
async function forEachRow(
  table: TableName,
  { countries, progress }: TableJob,
  pieceRows: number,
  take: (object: ByteString) => void,
  flush: () => Promise<unknown>,
): Promise<number> {
  progress?.start(table, countries.length);
  let count = 0;
  for (const country of countries) {
    for (const object of TABLES[table].listObjects(country)) {
      take(object);
      if (++count % pieceRows !== 0) continue;
      await flush();
      progress?.note(`${country.code} ${formatNumberOf(count, 'row')}`);
    }
    progress?.step(country.code);
  }
  await flush();
  return count;
}

/* CSV, NDJSON, and text sequences of GeoJSON (RFC 8142), where a feature is between a record separator and a line feed. */

/** Number of rows of a piece: some 100 kB, which stay in the cache of a core until they are written. */
const LINE_ROWS = 256;

export async function writeLines(format: LineFormat, table: TableName, job: TableJob, write: Write): Promise<number> {
  const split = createSplitter(TABLES[table].columns);
  const lineOf: Readonly<Record<LineFormat, (object: ByteString) => ByteString>> = {
    csv: (object) => csvLine(split(object), job.isRaw),
    ndjson: (object) => object,
    geojsonseq: (object) => `\x1e${featureJson(object)}`,
  };
  const render = lineOf[format];
  // Joining texts to pieces of this length in strings takes ten times as long.
  const piece = new BufferSink(LINE_ROWS << 10);
  const addLine = (line: ByteString): void => {
    piece.add(line);
    piece.add('\n');
  };
  if (format === 'csv') addLine(TABLES[table].columns.map(({ name }) => name).join());
  return await forEachRow(
    table,
    job,
    LINE_ROWS,
    (object) => addLine(render(object)),
    async () => {
      await write(piece.bytes);
      piece.truncate(0);
    },
  );
}

/* Parquet. */

/** Number of rows of a group. While it is made, each takes 10 kB; with more rows, garbage that outlives a collection. */
const GROUP_ROWS = 8_192;

const PARQUET_TYPES = { string: 'STRING', integer: 'INT32', number: 'DOUBLE' } as const;

export async function writeParquet(table: TableName, job: TableJob, write: Write): Promise<number> {
  const split = createSplitter(TABLES[table].columns);
  const writer = new ByteWriter();
  const columns = TABLES[table].columns.map(({ name, type, isNullable }) => ({
    ...{ name, type: PARQUET_TYPES[type], nullable: isNullable },
    data: [] as (string | number | null)[],
  }));
  const parquet = new ParquetWriter({ writer, schema: schemaFromColumnData({ columnData: columns }) });
  const writeBytes = async (): Promise<void> => {
    await write(Buffer.from(writer.buffer, 0, writer.index));
    writer.index = 0;
  };
  const count = await forEachRow(
    table,
    job,
    GROUP_ROWS,
    (object) => {
      for (const [at, json] of split(object).entries()) columns[at]?.data.push(parseValue(json));
    },
    async () => {
      parquet.write({ columnData: columns.map(({ name, data }) => ({ name, data })), rowGroupSize: GROUP_ROWS });
      for (const { data } of columns) data.length = 0;
      await writeBytes();
    },
  );
  parquet.finish();
  await writeBytes();
  return count;
}

/* SQLite. */

/** What is used of node:sqlite, which the types of Node 20 lack. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: readonly (string | number | null)[]): unknown };
  close(): void;
}

const SQLITE_TYPES = { string: 'TEXT', integer: 'INTEGER', number: 'REAL' } as const;

/** The columns of each index; a table has those whose columns it has. */
const INDEXES = [['id'], ['parentId'], ['placeId'], ['name'], ['postalCode'], ['postcode'], ['latitude', 'longitude']];

/** Number of rows after which other work goes on: some 20 ms. */
const SQLITE_ROWS = 4_096;

/** The versions of Node that have SQLite. */
export const SQLITE_NODE = 'Node 22.13 or later, or 22.5 with --experimental-sqlite';

/** Refuses a Node without SQLite. */
export function checkSqlite(): void {
  if (isBuiltin('node:sqlite')) return;
  throw new ExpectedError(`--format sqlite needs ${SQLITE_NODE}; this is ${process.version}`);
}

/** Fills the empty file at `path`, and returns the number of rows of each table. */
export async function writeSqlite(path: string, tables: readonly TableName[], job: TableJob): Promise<number[]> {
  const name = 'node:sqlite';
  const { DatabaseSync } = (await import(name)) as { readonly DatabaseSync: new (path: string) => Database };
  const database = new DatabaseSync(path);
  try {
    // The file gets its name when it is whole: nothing is ever rolled back from a journal on disk.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE');
    const counts: number[] = [];
    for (const table of tables) counts.push(await fillTable(database, table, job));
    return counts;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SQLITE_ERROR') throw error;
    throw new ExpectedError(`the database can't be written: ${(error as Error).message}`, { cause: error });
  } finally {
    database.close();
  }
}

async function fillTable(database: Database, table: TableName, job: TableJob): Promise<number> {
  const { columns } = TABLES[table];
  const split = createSplitter(columns);
  const definitions = columns.map(
    ({ name, type, isNullable }) => `${name} ${SQLITE_TYPES[type]}${isNullable ? '' : ' NOT NULL'}`,
  );
  database.exec(`BEGIN; CREATE TABLE ${table} (${definitions.join()})`);
  const insert = database.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join()})`);
  const insertRow = (object: ByteString): void => void insert.run(...split(object).map(parseValue));
  const count = await forEachRow(table, job, SQLITE_ROWS, insertRow, () => nextRound());
  database.exec('COMMIT');
  for (const index of INDEXES.filter((names) =>
    names.every((name) => columns.some((column) => column.name === name)),
  )) {
    await nextRound();
    database.exec(`CREATE INDEX ${table}_${index.join('_')} ON ${table} (${index.join()})`);
  }
  return count;
}
