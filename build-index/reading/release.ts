/**
 * A GeoNames release as it lies on disk: a folder of XX.zip and XX.txt files, or one allCountries.zip or .txt, with or
 * without a countryInfo.txt beside it. Opening only looks at names and zip directories; rows are read later, one
 * country at a time.
 */
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LineSplitter, MAX_LINE_LENGTH } from './line-splitter.js';
import { ReleaseError } from './release-error.js';
import { textNameOf } from './zip-archive.js';
import { dateOfZipEntry, readZipEntry } from './zip-entry.js';

/** A file with rows: a text file, or a zip archive that holds the text file of the same name. */
export interface RowFile {
  readonly path: string;
  /** The name of the text file, for reports: "DE.txt". */
  readonly textName: string;
}

export interface CountryFile extends RowFile {
  readonly countryCode: string;
  /** Where the lines stood before they were sorted by country; absent where the file is the release's own. */
  readonly lineRuns?: readonly LineRun[];
}

/** From line `from` of the file on, line n was line n - from + originalFrom of `allCountries.txt`. */
export interface LineRun {
  readonly from: number;
  readonly originalFrom: number;
}

export interface Release {
  /** Ascending by country; empty where `allCountries` holds the rows. */
  readonly countryFiles: readonly CountryFile[];
  readonly allCountries: RowFile | null;
  readonly countryInfo: string | null;
  /** The date of the newest file; null where no zip archive tells a date. */
  readonly sourceDate: string | null;
  /** Files of the folder that are no part of the release, without hidden files, such as a download's record. */
  readonly ignoredFiles: readonly string[];
}

const COUNTRY_FILE = /^([A-Z]{2})\.(zip|txt)$/;
/** The tables of a gazetteer, which build-index/gazetteer looks for. */
const GAZETTEER_FILE = /^(?:cities(?:500|1000|5000|15000)|alternateNamesV2)\.(?:zip|txt)$/;
const ALL_COUNTRIES_FILE = /^allCountries\.(zip|txt)$/;

/** Finds the files of a release. Throws ReleaseError where there are none, or where two are of the same country. */
export async function openRelease(path: string): Promise<Release> {
  const info = await stat(path).catch((error: Error) => {
    throw new ReleaseError(`${path}: ${error.message}`);
  });
  const folder = info.isDirectory() ? path : dirname(path);
  const names = info.isDirectory()
    ? (await readdir(path)).filter((name) => !name.startsWith('.')).sort()
    : [basename(path)];

  const countryFiles: CountryFile[] = [];
  const ignoredFiles: string[] = [];
  let allCountries: RowFile | null = null;
  for (const name of names) {
    const countryCode = COUNTRY_FILE.exec(name)?.[1];
    const file = { path: join(folder, name), textName: textNameOf(name) };
    if (countryCode !== undefined) {
      if (countryFiles.at(-1)?.countryCode === countryCode) {
        throw new ReleaseError(`${folder}: holds ${countryCode} both as .txt and as .zip; remove one`);
      }
      countryFiles.push({ ...file, countryCode });
    } else if (ALL_COUNTRIES_FILE.test(name)) {
      allCountries = file;
    } else if (name !== 'countryInfo.txt' && !GAZETTEER_FILE.test(name)) {
      ignoredFiles.push(name);
    }
  }
  if (countryFiles.length > 0 && allCountries !== null) {
    ignoredFiles.push(basename(allCountries.path));
    allCountries = null;
  }
  const files = allCountries === null ? countryFiles : [allCountries];
  if (files.length === 0)
    throw new ReleaseError(`${path}: no XX.zip, XX.txt or allCountries file; see README, Building`);
  const dates = await Promise.all(files.map(dateOf));
  return {
    countryFiles,
    allCountries,
    countryInfo: await readFile(join(folder, 'countryInfo.txt'), 'utf8').catch(absentAsNull),
    sourceDate: dates.reduce(
      (newest, date) => (date !== null && (newest === null || date > newest) ? date : newest),
      null,
    ),
    ignoredFiles,
  };
}

/**
 * Calls `take` with each line that is not blank, in order, and its number; a line much longer than `maxLineLength`
 * UTF-16 units is cut. Throws ReleaseError where the file cannot be read to its end.
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
  try {
    for await (const chunk of createReadStream(file.path, { highWaterMark: 1 << 18 })) take(chunk as Buffer);
  } catch (error) {
    throw new ReleaseError(`${file.path}: cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

async function dateOf(file: RowFile): Promise<string | null> {
  return file.path.endsWith('.zip') ? await dateOfZipEntry(file.path, file.textName) : null;
}

function absentAsNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw new ReleaseError(`countryInfo.txt: ${error.message}`);
}
