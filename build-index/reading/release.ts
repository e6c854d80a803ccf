/**
 * Opens a GeoNames release on disk: a folder of XX.zip and XX.txt files, or one allCountries.zip or .txt, with an
 * optional countryInfo.txt. Opening reads only file names and zip directories; rows are read later, one country at a
 * time.
 */

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ALTERNATE_NAMES_TABLE, CITY_TABLES, UNITS_TABLE } from './gazetteer-files.js';
import { INPUT_LIMITS, readSmallInput, tooLargeInput } from './input-file.js';
import { ReleaseError } from './release-error.js';
import { lookUpTable, type RowFile } from './table-lines.js';
import { textNameOfZip } from './zip-archive.js';

export interface CountryFile extends RowFile {
  readonly countryCode: string;
  /** What lies beside it in its zip, such as the country's rows of a gazetteer. */
  readonly besides?: readonly RowFile[];
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

/** Finds the files of a release. */
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
        throw new ReleaseError(`${folder}: holds ${textNameOfZip(name)} both as .txt and as .zip; remove one`);
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
    throw tooLargeInput(`${path}: all tables together`, textBytes, INPUT_LIMITS.releaseTextBytes);
  }
  const files = tables.map(({ file, besides }) => ({ ...file, besides, countryCode: file.textName.slice(0, 2) }));
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

/** The text of countryInfo.txt; null if the release has none. */
function readCountryInfo(folder: string): string | null {
  try {
    return readSmallInput(join(folder, 'countryInfo.txt'), INPUT_LIMITS.countryInfoBytes);
  } catch (error) {
    if (((error as ReleaseError).cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return null;
    throw error;
  }
}
