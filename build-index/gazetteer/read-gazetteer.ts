/**
 * Reads the gazetteer: the cities of each country, with their names from the table of alternate names, and the names of
 * first-level units. All rows of the table of cities are kept, 60 MB for the 230,000 of cities500; of the 18 million rows
 * of the table of alternate names, only those of these cities and units.
 */

import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ZONE_NAME } from '../../src/core/snapshot/place-facts.js';
import { appendTo } from '../reading/grouping.js';
import { ReleaseError } from '../reading/input-file.js';
import { lookUpTable, type RowFile, readLines } from '../reading/release.js';
import {
  ALTERNATE_NAMES_TABLE,
  CITY_TABLES,
  isCleanLine,
  joinUncleanRuns,
  MAX_LINE_LENGTH,
  MAX_NAME_LENGTH,
  noteProblem,
  type Problems,
  parseDegrees,
  UNITS_TABLE,
} from '../reading/row.js';
import { printable } from '../reporting/printing.js';

/*
 * Parses one line of GeoNames' table of populated places (cities500, cities1000, cities5000, cities15000) into a
 * checked city, or the reason to skip the line. 19 tab-separated columns (readme of download.geonames.org/export/dump):
 * geonameid, name, asciiname, alternatenames (comma-separated, without languages), latitude, longitude, feature class,
 * feature code, country code, cc2, admin1 to admin4 codes, population, elevation, dem, timezone, modification date.
 */

export interface City {
  readonly geonameId: number;
  /** The main name: often the English one (Munich), sometimes the local one. */
  readonly name: string;
  /** The main name in ASCII; `name` where the row has none. */
  readonly asciiName: string;
  /** The other names in the row's order; without languages, in any script, including transliterations. */
  readonly otherNames: readonly string[];
  readonly latitude: number;
  readonly longitude: number;
  /** PPLC: capital; PPLA to PPLA5: seat of an admin unit of level 1 to 5; PPLX: section of a city. */
  readonly featureCode: string;
  readonly countryCode: string;
  /** GeoNames' own codes of the admin units of levels 1 and 2; empty where there is none. */
  readonly adminCodes: readonly [string, string];
  /** 0 if unknown. */
  readonly population: number;
  /** The IANA name of its time zone; empty if unknown. */
  readonly timezone: string;
}

export const CITY_PROBLEM_KINDS = [
  'left out: no longer inhabited',
  'rejected: not 19 columns',
  'rejected: not valid UTF-8',
  'rejected: line longer than 20,000 characters',
  'rejected: no populated place',
  'rejected: geonameid is no number',
  'rejected: the same geonameid twice',
  'rejected: no country code',
  'rejected: no name, or one over 200 characters',
  'rejected: coordinates missing or out of range',
  'rejected: population is no number',
] as const;

export type CityProblemKind = (typeof CITY_PROBLEM_KINDS)[number];

/** Maximum length of a line, in characters: twice the 10,000 that the column of other names may have. */
export const MAX_CITY_LINE_LENGTH = 20_000;

const COLUMN_COUNT = 19;
const LETTER = /\p{L}/u;
const GEONAME_ID = /^[1-9]\d{0,9}$/;
const POPULATION = /^\d{1,10}$/;
const COUNTRY_CODE = /^[A-Z]{2}$/;
const FEATURE_CODE = /^[A-Z0-9]{1,10}$/;
/** The names of units behind a name in CN: "Mianzhu, Deyang, Sichuan". */
const UNITS = /, .*/;
/** The feature code of a section of a city. */
export const SECTION = 'PPLX';
/** The feature codes of the capital of a country and of the seat of a first-level admin unit. */
export const [CAPITAL, SEAT] = ['PPLC', 'PPLA'];
/** The feature codes of abandoned, destroyed and historical places, and of historical capitals. */
const NO_LONGER_INHABITED = new Set(['PPLQ', 'PPLW', 'PPLH', 'PPLCH']);

export function parseCityRow(line: string): City | CityProblemKind {
  if (line.length > MAX_CITY_LINE_LENGTH) return 'rejected: line longer than 20,000 characters';
  if (line.includes('\ufffd')) return 'rejected: not valid UTF-8';
  const columns = line.split('\t');
  if (columns.length !== COLUMN_COUNT) return 'rejected: not 19 columns';
  const [id, name, asciiName, otherNames, lat, lng, featureClass, featureCode, countryCode] = columns as string[] & {
    length: 19;
  };
  const [, admin1, admin2, , , population, , , timezone] = columns.slice(9) as string[] & { length: 10 };
  if (!GEONAME_ID.test(id as string)) return 'rejected: geonameid is no number';
  if (featureClass !== 'P' || !FEATURE_CODE.test(featureCode as string)) return 'rejected: no populated place';
  if (NO_LONGER_INHABITED.has(featureCode as string)) return 'left out: no longer inhabited';
  if (!COUNTRY_CODE.test(countryCode as string)) return 'rejected: no country code';

  const isClean = isCleanLine(line);
  const clean = (text: string): string => (isClean ? text : joinUncleanRuns(text).trim());
  const cleanMain = (text: string): string => clean(countryCode === 'CN' ? text.replace(UNITS, '') : text);
  const mainName = cleanMain(name as string);
  if (!isName(mainName)) return 'rejected: no name, or one over 200 characters';
  const latitude = parseDegrees(lat as string, 90);
  const longitude = parseDegrees(lng as string, 180);
  if (latitude === undefined || longitude === undefined) return 'rejected: coordinates missing or out of range';
  if (!POPULATION.test(population as string)) return 'rejected: population is no number';
  const ascii = cleanMain(asciiName as string);
  return {
    geonameId: Number(id),
    name: mainName,
    asciiName: isName(ascii) ? ascii : mainName,
    otherNames: (otherNames as string).split(',').map(clean).filter(isName),
    latitude,
    longitude,
    featureCode: featureCode as string,
    countryCode: countryCode as string,
    adminCodes: [admin1 as string, admin2 as string],
    population: Number(population),
    timezone: ZONE_NAME.test(timezone as string) ? (timezone as string) : '',
  };
}

/** A name has a letter and at most MAX_NAME_LENGTH characters. */
export function isName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && LETTER.test(text);
}

/*
 * Parses one line of GeoNames' alternateNamesV2 into a name of a city, or the reason to skip the line. Ten
 * tab-separated columns (readme of download.geonames.org/export/dump): alternateNameId, geonameid, isolanguage,
 * alternate name, isPreferredName, isShortName, isColloquial, isHistoric (each "1" or empty), from, to. Files from
 * before 2018 lack the last two. Rows with the language `link`, `wkdt`, `post`, `iata`, `icao`, `faac`, `unlc`, `tcid`,
 * `phon` or `fr_1793` are skipped: nobody types these for the city today. Abbreviations (`abbr`, "NYC") and pinyin
 * (`piny`) are kept.
 */

export interface AlternateName {
  readonly name: string;
  /** ISO 639 with or without a variant ("zh-Hant"), or `abbr` or `piny`; empty where the table has no language. */
  readonly language: string;
  readonly isPreferred: boolean;
  readonly isShort: boolean;
  readonly isColloquial: boolean;
  readonly isHistoric: boolean;
}

export const ALTERNATE_NAME_PROBLEM_KINDS = [
  'left out: no name, but a link or a code',
  'rejected: neither 10 nor 8 columns',
  'rejected: not valid UTF-8',
  'rejected: line longer than 10,000 characters',
  'rejected: language unknown',
  'rejected: no name, or one over 200 characters',
  'rejected: a mark that is neither 1 nor empty',
] as const;

export type AlternateNameProblemKind = (typeof ALTERNATE_NAME_PROBLEM_KINDS)[number];

const LANGUAGE = /^(?:[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*|abbr|piny)?$/;
const NO_LANGUAGE = /^(?:[a-z]{4}|fr_1793)$/;
const MARK = /^1?$/;
const TAB = 0x09;
const ZERO = 0x30;

/**
 * The geonameid of an undecoded line, -1 if none. Most lines are not about a city, so decoding them all would waste
 * time.
 */
export function geonameIdOf(line: Uint8Array): number {
  let at = line.indexOf(TAB) + 1;
  if (at === 0) return -1;
  let id = 0;
  const start = at;
  for (; at < line.length && line[at] !== TAB; at++) {
    const digit = (line[at] as number) - ZERO;
    if (digit < 0 || digit > 9 || at - start >= 10) return -1;
    id = id * 10 + digit;
  }
  return at > start && at < line.length ? id : -1;
}

/** `maxLength` is the LineSplitter's maximum line length. */
export function parseAlternateName(line: string, maxLength: number): AlternateName | AlternateNameProblemKind {
  if (line.length > maxLength) return 'rejected: line longer than 10,000 characters';
  if (line.includes('\ufffd')) return 'rejected: not valid UTF-8';
  const columns = line.split('\t');
  if (columns.length !== 10 && columns.length !== 8) return 'rejected: neither 10 nor 8 columns';
  const [, , language, text, ...marks] = columns as string[] & { length: 8 };
  if (!LANGUAGE.test(language as string)) {
    return NO_LANGUAGE.test(language as string)
      ? 'left out: no name, but a link or a code'
      : 'rejected: language unknown';
  }
  const name = isCleanLine(line) ? (text as string) : joinUncleanRuns(text as string).trim();
  if (!isName(name)) return 'rejected: no name, or one over 200 characters';
  const [preferred, short, colloquial, historic] = marks;
  if (![preferred, short, colloquial, historic].every((mark) => MARK.test(mark as string))) {
    return 'rejected: a mark that is neither 1 nor empty';
  }
  return {
    name,
    language: language as string,
    isPreferred: preferred === '1',
    isShort: short === '1',
    isColloquial: colloquial === '1',
    isHistoric: historic === '1',
  };
}

/*
 * Finds the files of a gazetteer: GeoNames' table of cities and, if downloaded, its table of alternate names, each as
 * zip or txt.
 */

export interface GazetteerFiles {
  /** Null where there is no gazetteer; then `alternateNames` is null, too. */
  readonly cities: RowFile | null;
  readonly alternateNames: RowFile | null;
  /** The table of first-level units; null without it or without alternate names. */
  readonly units: RowFile | null;
}

/**
 * The gazetteer at `path` or, if `path` is null, the largest one in the release's folder. Throws ReleaseError if `path`
 * is not a file, or if a table exists both as .zip and as .txt.
 */
export async function findGazetteer(releasePath: string, path: string | null): Promise<GazetteerFiles> {
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
async function findNames(folder: string): Promise<Omit<GazetteerFiles, 'cities'> | undefined> {
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

/** A city with all its names. */
export interface NamedCity extends City {
  /** Names with their language, in the order of listNames; empty without a table of alternate names. */
  readonly alternateNames: readonly AlternateName[];
}

/** The names of a country's first-level units by GeoNames' codes of them: "02" of DE.02. */
export type UnitNames = ReadonlyMap<string, readonly AlternateName[]>;

export interface Gazetteer {
  /** The cities of each country, the most populous first, then by geonameid. */
  readonly citiesByCountry: ReadonlyMap<string, readonly NamedCity[]>;
  readonly unitNamesByCountry: ReadonlyMap<string, UnitNames>;
  readonly tally: GazetteerTally;
}

export interface GazetteerTally {
  citiesRead: number;
  citiesTaken: number;
  /** Number of rows about these cities, and first-level units, in the table of alternate names. */
  namesRead: number;
  namesTaken: number;
  problems: Problems<CityProblemKind | AlternateNameProblemKind | UnitProblemKind>;
}

/** The names of a city except the main one: first those with a language, the most common first, then the city row's. */
export function listNames({ alternateNames, otherNames }: NamedCity): string[] {
  return [...new Set([...alternateNames.map(({ name }) => name), ...otherNames])];
}

/** Null without a gazetteer. Throws ReleaseError if a file can't be read, or if the table has no valid city. */
export async function readGazetteer({ cities, alternateNames, units }: GazetteerFiles): Promise<Gazetteer | null> {
  if (cities === null) return null;
  const tally: GazetteerTally = { citiesRead: 0, citiesTaken: 0, namesRead: 0, namesTaken: 0, problems: {} };
  const cityById = await readCities(cities, tally);
  if (cityById.size === 0) {
    const [[kind, problem] = []] = Object.entries(tally.problems);
    const reason = kind === undefined ? '' : `; ${kind}: ${printable(problem?.examples[0] ?? '')}`;
    throw new ReleaseError(`${cities.path}: not one city${reason}`);
  }
  const unitById = units === null ? new Map<number, UnitId>() : await readUnits(units, cityById, tally);
  const namesById =
    alternateNames === null
      ? new Map<number, AlternateName[]>()
      : await readAlternateNames(alternateNames, (id) => cityById.has(id) || unitById.has(id), tally);
  const citiesByCountry = new Map<string, NamedCity[]>();
  for (const city of [...cityById.values()].sort(compareCities)) {
    const named = { ...city, alternateNames: (namesById.get(city.geonameId) ?? []).sort(compareNames) };
    appendTo(citiesByCountry, city.countryCode, named);
  }
  const unitNamesByCountry = new Map<string, Map<string, readonly AlternateName[]>>();
  for (const [id, { countryCode, code }] of unitById) {
    const ofCountry = unitNamesByCountry.get(countryCode) ?? new Map<string, readonly AlternateName[]>();
    unitNamesByCountry.set(countryCode, ofCountry.set(code, (namesById.get(id) ?? []).sort(compareNames)));
  }
  return { citiesByCountry, unitNamesByCountry, tally };
}

async function readCities(file: RowFile, tally: GazetteerTally): Promise<Map<number, City>> {
  const cityById = new Map<number, City>();
  const take = (bytes: Buffer, lineNumber: number): void => {
    const line = bytes.toString('utf8');
    tally.citiesRead++;
    const city = parseCityRow(line);
    const isTaken = typeof city === 'object' && !cityById.has(city.geonameId);
    if (isTaken) {
      tally.citiesTaken++;
      cityById.set(city.geonameId, city);
    } else {
      const kind = typeof city === 'object' ? 'rejected: the same geonameid twice' : city;
      noteProblem(tally, kind, () => `${file.textName}:${lineNumber}: ${line.slice(0, 120)}`);
    }
  };
  await readLines(file, take, MAX_CITY_LINE_LENGTH);
  return cityById;
}

/**
 * The first-level units by their ids. Four tab-separated columns (readme of download.geonames.org/export/dump): the codes
 * of country and unit with a dot between them, name, name in ASCII, geonameid.
 */
async function readUnits(
  file: RowFile,
  cityById: ReadonlyMap<number, City>,
  tally: GazetteerTally,
): Promise<Map<number, UnitId>> {
  const unitById = new Map<number, UnitId>();
  await readLines(file, (bytes, lineNumber) => {
    const line = bytes.toString('utf8');
    const [, countryCode, code, digits] = UNIT_LINE.exec(line) ?? [];
    const id = Number(digits);
    if (countryCode === undefined || code === undefined || unitById.has(id) || cityById.has(id)) {
      noteProblem(tally, UNIT_PROBLEM_KINDS[0], () => `${file.textName}:${lineNumber}: ${line.slice(0, 120)}`);
      return;
    }
    unitById.set(id, { countryCode, code });
  });
  return unitById;
}

interface UnitId {
  readonly countryCode: string;
  readonly code: string;
}

const UNIT_LINE = /^([A-Z]{2})\.([A-Za-z0-9]{1,20})\t[^\t]*\t[^\t]*\t([1-9]\d{0,9})$/;
export const UNIT_PROBLEM_KINDS = ['rejected: no code and number of a unit of its own'] as const;
type UnitProblemKind = (typeof UNIT_PROBLEM_KINDS)[number];

async function readAlternateNames(
  file: RowFile,
  isWanted: (id: number) => boolean,
  tally: GazetteerTally,
): Promise<Map<number, AlternateName[]>> {
  const namesById = new Map<number, AlternateName[]>();
  await readLines(file, (bytes, lineNumber) => {
    const id = geonameIdOf(bytes);
    if (!isWanted(id)) return;
    const line = bytes.toString('utf8');
    tally.namesRead++;
    const name = parseAlternateName(line, MAX_LINE_LENGTH);
    if (typeof name === 'string') {
      noteProblem(tally, name, () => `${file.textName}:${lineNumber}: ${line.slice(0, 120)}`);
      return;
    }
    tally.namesTaken++;
    appendTo(namesById, id, name);
  });
  return namesById;
}

function compareCities(a: City, b: City): number {
  return b.population - a.population || a.geonameId - b.geonameId;
}

/**
 * Current names before historic ones, then preferred ones first; the stable sort keeps the table's order of the rest.
 */
function compareNames(a: AlternateName, b: AlternateName): number {
  return worthOf(b) - worthOf(a);
}

function worthOf({ isPreferred, isShort, isColloquial, isHistoric }: AlternateName): number {
  return (isHistoric ? 0 : 4) + (isPreferred ? 2 : 0) + (isShort || isColloquial ? 0 : 1);
}
