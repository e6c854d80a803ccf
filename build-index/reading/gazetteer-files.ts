/**
 * Finds the files of a gazetteer: GeoNames' table of cities and, if they were downloaded, its tables of alternate names
 * and of first-level units, each as zip or txt. A release may have them by country: the zip of a country has its rows in a
 * text file of the same name, and the table in the folder has the rows that builds of all countries need.
 */

import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ReleaseError } from './release-error.js';
import { lookUpTable, type RowFile } from './table-lines.js';

/** The tables of cities that GeoNames publishes, largest first: each contains the next. */
export const CITY_TABLES = ['cities500', 'cities1000', 'cities5000', 'cities15000'];
/** The table of the cities' names with their languages. */
export const ALTERNATE_NAMES_TABLE = 'alternateNamesV2';
/** The table of the ids of first-level units, which GeoNames publishes as text only. */
export const UNITS_TABLE = 'admin1CodesASCII';

/** The files with the rows of each table; none of a table that is not there. */
export interface GazetteerFiles {
  /** None where there is no gazetteer; then there are no alternate names, too. */
  readonly cities: readonly RowFile[];
  readonly alternateNames: readonly RowFile[];
  /** The table of first-level units; none without alternate names. */
  readonly units: readonly RowFile[];
  /** Whether the release has cities by country, of which `cities` are those of the countries that are built. */
  readonly isByCountry: boolean;
}

/**
 * The gazetteer at `path` or, if `path` is null, the largest one in the release's folder; with the rows that the zips of
 * `countries` have of it, or of all countries for null.
 */
export async function findGazetteer(
  releasePath: string,
  path: string | null,
  countryFiles: readonly { readonly countryCode: string; readonly besides?: readonly RowFile[] }[],
  countries: readonly string[] | null,
): Promise<GazetteerFiles> {
  const { cities, alternateNames, units } = await findTables(releasePath, path);
  const inZips = countryFiles.flatMap(({ countryCode, besides = [] }) =>
    besides.map((file) => ({ file, isBuilt: countries?.includes(countryCode) !== false })),
  );
  const partsOf = (table: RowFile | null) => inZips.filter(({ file }) => file.textName === table?.textName);
  const filesOf = (table: RowFile | null): RowFile[] =>
    table === null ? [] : [table, ...partsOf(table).flatMap(({ file, isBuilt }) => (isBuilt ? [file] : []))];
  return {
    cities: filesOf(cities),
    alternateNames: filesOf(alternateNames),
    units: filesOf(units),
    isByCountry: partsOf(cities).length > 0,
  };
}

type Tables = Readonly<Record<'cities' | 'alternateNames' | 'units', RowFile | null>>;

async function findTables(releasePath: string, path: string | null): Promise<Tables> {
  const releaseFolder = (await isFolder(releasePath)) ? releasePath : dirname(releasePath);
  if (path !== null) {
    if (!/\.(?:zip|txt)$/.test(path)) throw new ReleaseError(`${path}: is neither a .zip nor a .txt`);
    if (await isFolder(path)) throw new ReleaseError(`${path}: is a folder; give a table of cities`);
    const { file: cities } = await lookUpTable(path);
    return { cities, ...((await findNames(dirname(path))) ?? (await findNames(releaseFolder)) ?? NO_NAMES) };
  }
  for (const name of CITY_TABLES) {
    const cities = await findTable(releaseFolder, name);
    if (cities !== null) return { cities, ...((await findNames(releaseFolder)) ?? NO_NAMES) };
  }
  return { cities: null, ...NO_NAMES };
}

const NO_NAMES = { alternateNames: null, units: null };

/** The tables of names in a folder; undefined if it has none. */
async function findNames(folder: string): Promise<Omit<Tables, 'cities'> | undefined> {
  const alternateNames = await findTable(folder, ALTERNATE_NAMES_TABLE);
  return alternateNames === null ? undefined : { alternateNames, units: await findTable(folder, UNITS_TABLE) };
}

async function findTable(folder: string, name: string): Promise<RowFile | null> {
  const found = (await readdir(folder)).filter((file) => file === `${name}.zip` || file === `${name}.txt`);
  if (found.length > 1) throw new ReleaseError(`${folder}: holds ${name} both as .txt and as .zip; remove one`);
  const [file] = found;
  return file === undefined ? null : (await lookUpTable(join(folder, file))).file;
}

async function isFolder(path: string): Promise<boolean> {
  const info = await stat(path).catch((error: Error) => {
    throw new ReleaseError(`${path}: ${error.message}`);
  });
  return info.isDirectory();
}
