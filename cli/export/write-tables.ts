/**
 * Writes tables of a snapshot in each format, as a stream: at most a piece of text, or a row group of Parquet, is in
 * memory. After each piece other work of the process goes on, such as the handling of a signal.
 */

import { isBuiltin } from 'node:module';
import { setImmediate as nextRound } from 'node:timers/promises';
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { ExpectedError } from '../../src/base/errors.js';
import { BufferSink } from '../../src/core/snapshot/byte-string.js';
import {
  type Column,
  createSplitter,
  csvLine,
  featureJson,
  parseValue,
  TABLES,
  type Table,
  type TableCountry,
  type TableName,
} from '../../src/core/use-cases/tables.js';

export const FORMATS = ['csv', 'ndjson', 'geojsonseq', 'parquet', 'sqlite'] as const;
export type Format = (typeof FORMATS)[number];
export type StreamFormat = Exclude<Format, 'sqlite'>;

export interface TableJob {
  readonly table: TableName;
  readonly countries: readonly TableCountry[];
  /** Whether texts in CSV stay as they are that a spreadsheet would run as a formula. */
  readonly isRaw: boolean;
  /** Called after each piece, with the number of rows since the last call. */
  readonly onRows: (country: TableCountry, count: number) => void;
  /** Called after each country. */
  readonly onCountry: (country: TableCountry) => void;
}

/** Takes the bytes before it resolves: they may change afterwards. */
export type Write = (bytes: Buffer) => Promise<void>;

export async function writeStream(format: StreamFormat, job: TableJob, write: Write): Promise<void> {
  if (format === 'parquet') await writeParquet(job, write);
  else await writeLines(format, job, write);
}

/* CSV, NDJSON, and text sequences of GeoJSON (RFC 8142), where a feature is between a record separator and a line feed. */

/** Length of a piece in bytes: some hundred rows, which stay in the cache of a core until they are written. */
const PIECE_BYTES = 1 << 17;

async function writeLines(format: 'csv' | 'ndjson' | 'geojsonseq', job: TableJob, write: Write): Promise<void> {
  const table: Table = TABLES[job.table];
  const split = createSplitter(table.columns);
  // Joining texts to pieces of this length in strings takes ten times as long.
  const piece = new BufferSink(2 * PIECE_BYTES);
  if (format === 'csv') piece.add(`${table.columns.map(({ name }) => name).join(',')}\n`);
  let count = 0;
  const flush = async (country: TableCountry): Promise<void> => {
    await write(piece.bytes);
    piece.truncate(0);
    job.onRows(country, count);
    count = 0;
  };
  for (const country of job.countries) {
    for (const object of table.listObjects(country)) {
      if (format === 'csv') piece.add(csvLine(split(object), job.isRaw));
      else if (format === 'ndjson') piece.add(object);
      else piece.add(`\x1e${featureJson(object)}`);
      if (format !== 'csv') piece.add('\n');
      count++;
      if (piece.length >= PIECE_BYTES) await flush(country);
    }
    await flush(country);
    job.onCountry(country);
  }
}

/* Parquet. */

/** Number of rows of a group: some 50 MB while it is made. */
const GROUP_ROWS = 8_192;

const PARQUET_TYPES = { string: 'STRING', integer: 'INT32', number: 'DOUBLE' } as const;

async function writeParquet({ table: name, countries, onRows, onCountry }: TableJob, write: Write): Promise<void> {
  const table: Table = TABLES[name];
  const split = createSplitter(table.columns);
  const writer = new ByteWriter();
  const columns = table.columns.map(({ name, type, isNullable }) => ({
    ...{ name, type: PARQUET_TYPES[type], nullable: isNullable },
    data: [] as (string | number | null)[],
  }));
  const parquet = new ParquetWriter({ writer, schema: schemaFromColumnData({ columnData: columns }) });
  const writeBytes = async (): Promise<void> => {
    await write(Buffer.from(writer.buffer, 0, writer.index));
    writer.index = 0;
  };
  const writeGroup = async (): Promise<void> => {
    parquet.write({ columnData: columns.map(({ name, data }) => ({ name, data })), rowGroupSize: GROUP_ROWS });
    for (const { data } of columns) data.length = 0;
    await writeBytes();
  };
  let groupRows = 0;
  for (const country of countries) {
    let count = 0;
    for (const object of table.listObjects(country)) {
      for (const [at, json] of split(object).entries()) columns[at]?.data.push(parseValue(json));
      count++;
      if (++groupRows % GROUP_ROWS === 0) await writeGroup();
    }
    onRows(country, count);
    onCountry(country);
  }
  await writeGroup();
  parquet.finish();
  await writeBytes();
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

/** Number of rows after which other work goes on: some 10 ms. */
const SQLITE_PIECE_ROWS = 4_096;

/** Throws ExpectedError where this Node has no SQLite. */
export function checkSqlite(): void {
  if (isBuiltin('node:sqlite')) return;
  throw new ExpectedError(
    `--format sqlite needs Node 22.13 or later, or 22.5 with --experimental-sqlite; this is ${process.version}`,
  );
}

/** Fills the empty file at `path`. Throws ExpectedError where it can't be written. */
export async function writeSqlite(path: string, jobs: readonly TableJob[]): Promise<void> {
  const name = 'node:sqlite';
  const { DatabaseSync } = (await import(name)) as { readonly DatabaseSync: new (path: string) => Database };
  const database = new DatabaseSync(path);
  try {
    // The file gets its name when it is whole, so nothing is ever rolled back.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN');
    for (const job of jobs) await fillTable(database, job);
    database.exec('COMMIT');
    for (const { table } of jobs) {
      for (const columns of INDEXES.filter((index) => index.every((column) => hasColumn(table, column)))) {
        await nextRound();
        database.exec(`CREATE INDEX ${table}_${columns.join('_')} ON ${table} (${columns.join(', ')})`);
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SQLITE_ERROR') throw error;
    throw new ExpectedError(`the database can't be written: ${(error as Error).message}`, { cause: error });
  } finally {
    database.close();
  }
}

async function fillTable(database: Database, { table: name, countries, onRows, onCountry }: TableJob): Promise<void> {
  const table: Table = TABLES[name];
  const definitionOf = ({ name, type, isNullable }: Column): string =>
    `${name} ${SQLITE_TYPES[type]}${isNullable ? '' : ' NOT NULL'}`;
  database.exec(`CREATE TABLE ${name} (${table.columns.map(definitionOf).join(', ')})`);
  const split = createSplitter(table.columns);
  const insert = database.prepare(`INSERT INTO ${name} VALUES (${table.columns.map(() => '?').join(', ')})`);
  for (const country of countries) {
    let count = 0;
    for (const object of table.listObjects(country)) {
      insert.run(...split(object).map(parseValue));
      if (++count < SQLITE_PIECE_ROWS) continue;
      onRows(country, count);
      count = 0;
      await nextRound();
    }
    onRows(country, count);
    onCountry(country);
  }
}

function hasColumn(table: TableName, name: string): boolean {
  return TABLES[table].columns.some((column) => column.name === name);
}
