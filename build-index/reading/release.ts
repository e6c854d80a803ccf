/**
 * Opens a GeoNames release on disk: a folder of XX.zip and XX.txt files, or one allCountries.zip or .txt, with an
 * optional countryInfo.txt. Opening reads only file names and zip directories; rows are read later, one country at a
 * time.
 */

import { appendFileSync, createReadStream, mkdirSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Source } from '../../src/core/snapshot/manifest.js';
import { readColumns } from './country-facts.js';
import {
  INPUT_LIMITS,
  LineSplitter,
  lookUpZipEntry,
  measureInput,
  openInput,
  ReleaseError,
  readSmallInput,
  readZipEntry,
  textNameOf,
  tooLarge,
  unreadable,
} from './input-file.js';
import { ALTERNATE_NAMES_TABLE, CITY_TABLES, MAX_LINE_LENGTH, noteProblem, type Tally, UNITS_TABLE } from './row.js';

/** A file with rows: a text file, or a zip archive with the text file of the same name. */
export interface RowFile {
  readonly path: string;
  /** The name of the text file, for reports: "DE.txt". */
  readonly textName: string;
  /** The length of the unpacked text. */
  readonly textBytes: number;
}

export interface CountryFile extends RowFile {
  readonly countryCode: string;
  /** The original positions of the lines in an allCountries file; absent if the file is the release's own. */
  readonly lineRuns?: readonly LineRun[];
}

/** From line `from` of the file on, line n is line n - from + originalFrom of `allCountries.txt`. */
export interface LineRun {
  readonly from: number;
  readonly originalFrom: number;
}

export interface Release {
  /** Sorted by country; empty if the rows are in `allCountries`. */
  readonly countryFiles: readonly CountryFile[];
  /** The full codes of countries, beside either; sorted by country. */
  readonly fullFiles: readonly CountryFile[];
  readonly allCountries: RowFile | null;
  readonly countryInfo: string | null;
  /** The date of the newest file; null if no zip archive has a date. */
  readonly sourceDate: string | null;
  /** The paths of the folder's files that are part of the release, a gazetteer among them. */
  readonly paths: readonly string[];
  /** The folder's files that are not part of the release, except hidden files such as a download's record. */
  readonly ignoredFiles: readonly string[];
}

const COUNTRY_FILE = /^[A-Z]{2}\.(?:zip|txt)$/;
/** The full codes of a country whose file above has only the first parts. */
const FULL_FILE = /^[A-Z]{2}_full(?:\.csv)?\.(?:zip|txt)$/;
/** The tables of a gazetteer, which build-index/gazetteer reads. */
const GAZETTEER_FILE = new RegExp(
  `^(?:${[...CITY_TABLES, ALTERNATE_NAMES_TABLE, UNITS_TABLE].join('|')})\\.(?:zip|txt)$`,
);
const ALL_COUNTRIES_FILE = /^allCountries\.(?:zip|txt)$/;

/**
 * Finds the files of a release. Throws ReleaseError if there are none, if two are for the same country, or if
 * input-file.ts refuses one.
 */
export async function openRelease(path: string): Promise<Release> {
  const info = await stat(path).catch((error: Error) => {
    throw new ReleaseError(`${path}: ${error.message}; postal-places download fetches a release`);
  });
  const folder = info.isDirectory() ? path : dirname(path);
  const names = info.isDirectory()
    ? (await readdir(path)).filter((name) => !name.startsWith('.')).sort()
    : [basename(path)];

  const countryNames: string[] = [];
  const fullNames: string[] = [];
  const ignoredFiles: string[] = [];
  let allCountriesName: string | undefined;
  for (const name of names) {
    if (COUNTRY_FILE.test(name) || FULL_FILE.test(name)) {
      const list = COUNTRY_FILE.test(name) ? countryNames : fullNames;
      if (list.at(-1)?.slice(0, 2) === name.slice(0, 2)) {
        throw new ReleaseError(`${folder}: holds ${textNameOf(name)} both as .txt and as .zip; remove one`);
      }
      list.push(name);
    } else if (ALL_COUNTRIES_FILE.test(name)) {
      allCountriesName = name;
    } else if (name !== 'countryInfo.txt' && !GAZETTEER_FILE.test(name)) {
      ignoredFiles.push(name);
    }
  }
  if (countryNames.length > 0 && allCountriesName !== undefined) {
    ignoredFiles.push(allCountriesName);
    allCountriesName = undefined;
  }
  const tableNames = allCountriesName === undefined ? countryNames : [allCountriesName];
  if (tableNames.length === 0)
    throw new ReleaseError(`${path}: no XX.zip, XX.txt or allCountries file; postal-places download fetches a release`);
  const tables = await Promise.all([...tableNames, ...fullNames].map((name) => lookUpTable(join(folder, name))));
  const textBytes = tables.reduce((sum, { file }) => sum + file.textBytes, 0);
  if (textBytes > INPUT_LIMITS.releaseTextBytes) {
    throw tooLarge(`${path}: all tables together`, textBytes, INPUT_LIMITS.releaseTextBytes);
  }
  const files = tables.map(({ file }) => ({ ...file, countryCode: file.textName.slice(0, 2) }));
  return {
    countryFiles: allCountriesName === undefined ? files.slice(0, countryNames.length) : [],
    fullFiles: files.slice(tableNames.length),
    allCountries: allCountriesName === undefined ? null : (tables[0]?.file ?? null),
    countryInfo: readCountryInfo(folder),
    paths: names.filter((name) => !ignoredFiles.includes(name)).map((name) => join(folder, name)),
    sourceDate: tables.reduce<string | null>(
      (newest, { date }) => (date !== null && (newest === null || date > newest) ? date : newest),
      null,
    ),
    ignoredFiles,
  };
}

interface FoundTable {
  readonly file: RowFile;
  /** "YYYY-MM-DD"; null for a text file, or a zip archive without a date. */
  readonly date: string | null;
}

/** Throws ReleaseError if input-file.ts refuses the file. */
export async function lookUpTable(path: string): Promise<FoundTable> {
  const textName = textNameOf(basename(path));
  const { date, bytes } = path.endsWith('.zip')
    ? await lookUpZipEntry(path, textName)
    : { date: null, bytes: measureInput(path, INPUT_LIMITS.textBytes) };
  return { file: { path, textName, textBytes: bytes }, date };
}

/**
 * Calls `take` with each line that is not blank and its number, in order. A line much longer than `maxLineLength`
 * UTF-16 units is truncated. Throws ReleaseError if the file can't be read to its end.
 */
export async function readLines(
  file: RowFile,
  take: (line: Buffer, lineNumber: number) => void,
  maxLineLength = MAX_LINE_LENGTH,
): Promise<void> {
  const splitter = new LineSplitter(take, maxLineLength);
  await readChunks(file, (chunk) => splitter.push(chunk));
  splitter.end();
}

async function readChunks(file: RowFile, take: (chunk: Buffer) => void): Promise<void> {
  if (file.path.endsWith('.zip')) return await readZipEntry(file.path, file.textName, take);
  const { fd } = openInput(file.path, INPUT_LIMITS.textBytes);
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(file.path, { fd, highWaterMark: 1 << 18 })) {
      bytes += (chunk as Buffer).length;
      // Another process may append to the file.
      if (bytes > INPUT_LIMITS.textBytes) throw tooLarge(file.path, bytes, INPUT_LIMITS.textBytes);
      take(chunk as Buffer);
    }
  } catch (error) {
    throw error instanceof ReleaseError ? error : unreadable(file.path, error);
  }
}

/** The text of countryInfo.txt; null if the release has none. */
function readCountryInfo(folder: string): string | null {
  try {
    return readSmallInput(join(folder, 'countryInfo.txt'), INPUT_LIMITS.countryInfoBytes);
  } catch (error) {
    if (((error as ReleaseError).cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return null;
    throw error;
  }
}

/*
 * Splits an allCountries file by country into a folder of XX.txt files, so that the build needs memory for one country
 * at a time. Reads only the first column of each line. Records the original line numbers for the report.
 */

const LINE_END = Buffer.from('\n');
/** Number of bytes of a country to collect in memory before a write. */
const FLUSH_BYTES = 1 << 20;

interface Spool {
  readonly lineRuns: LineRun[];
  lineCount: number;
  /** Number of bytes in the file already. */
  writtenBytes: number;
  pending: Buffer[];
  pendingBytes: number;
}

/** The country files, sorted by country, written into `folder`, which must not exist. */
export async function spoolCountries(file: RowFile, folder: string, tally: Tally): Promise<CountryFile[]> {
  mkdirSync(folder);
  const spools = new Map<string, Spool>();
  let lastCode = '';
  let lastNumber = 0;

  const flush = (code: string, spool: Spool): void => {
    appendFileSync(join(folder, `${code}.txt`), Buffer.concat(spool.pending));
    spool.writtenBytes += spool.pendingBytes;
    spool.pending = [];
    spool.pendingBytes = 0;
  };
  await readLines(file, (line, lineNumber) => {
    const code = /^([A-Z]{2})\t/.exec(line.toString('latin1', 0, 3))?.[1];
    if (code === undefined) {
      tally.rowsRead++;
      tally.rowsRejected++;
      const text = line.toString('utf8', 0, 120);
      noteProblem(tally, 'rejected: no country of ISO 3166-1', () => `${file.textName}:${lineNumber}: ${text}`);
      return;
    }
    let spool = spools.get(code);
    if (spool === undefined) {
      spool = { lineRuns: [], lineCount: 0, writtenBytes: 0, pending: [], pendingBytes: 0 };
      spools.set(code, spool);
    }
    spool.lineCount++;
    const goesOn = code === lastCode && lineNumber === lastNumber + 1;
    if (!goesOn) spool.lineRuns.push({ from: spool.lineCount, originalFrom: lineNumber });
    lastCode = code;
    lastNumber = lineNumber;
    spool.pending.push(line, LINE_END);
    spool.pendingBytes += line.length + 1;
    if (spool.pendingBytes > FLUSH_BYTES) flush(code, spool);
  });
  for (const [code, spool] of spools) flush(code, spool);
  return [...spools]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([countryCode, { writtenBytes, lineRuns }]) => ({
      countryCode,
      path: join(folder, `${countryCode}.txt`),
      textName: file.textName,
      textBytes: writtenBytes,
      lineRuns,
    }));
}

/*
 * Whom to credit for what a build reads (data/sources.tsv). A line has a kind of files (`XX` for the tables of places,
 * `GB_full`, `cities`, `alternateNames`), then the source's name, its URL, the licence's name, SPDX identifier and URL,
 * and the credit. The first line is that of `XX`. A file without a line is from its source.
 */

/** The sources of the tables of places, of the gazetteer and of the full codes of these countries, in this order. */
export function listSources(
  gazetteer: Readonly<Record<'cities' | 'alternateNames', RowFile | null>>,
  fullCodesOf: readonly string[],
): Source[] {
  const lines = readColumns('sources.tsv');
  const sources: (Source & { readonly fullCodesOf: string[] })[] = [];
  const add = (files: string, ...fullCodes: string[]): void => {
    const line = lines.find(([kind]) => kind === files) ?? lines[0] ?? [];
    const [, name = '', url = '', licenseName = '', identifier = '', licenseUrl = '', attribution = ''] = line;
    const known = sources.find((source) => source.name === name && source.attribution === attribution);
    if (known === undefined) {
      const license = { name: licenseName, identifier, url: licenseUrl };
      sources.push({ name, url, license, attribution, fullCodesOf: fullCodes });
    } else if (known !== sources[0]) known.fullCodesOf.push(...fullCodes);
  };
  add('XX');
  for (const [kind, file] of Object.entries(gazetteer)) if (file !== null) add(kind);
  for (const code of fullCodesOf) add(`${code}_full`, code);
  return sources;
}
