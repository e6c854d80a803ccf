/**
 * Reads the gazetteer: the cities of each country, with their names from the table of alternate names. All rows of the
 * table of cities are kept, 60 MB for the 230,000 of cities500; of the 18 million rows of the table of alternate names,
 * only those of these cities.
 */

import { readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../src/base/package-root.js';
import { foldText } from '../../src/core/snapshot/fold-text.js';
import { hashText } from '../../src/core/snapshot/hash-table.js';
import { createRomaniser } from '../naming/romanising.js';
import { transcribe } from '../naming/transcribing.js';
import { appendTo } from '../reading/grouping.js';
import { MAX_LINE_LENGTH, ReleaseError } from '../reading/input-file.js';
import { lookUpTable, type RowFile, readLines } from '../reading/release.js';
import { noteProblem, type Problems } from '../reading/row.js';
import { printable } from '../reporting/tables.js';
import {
  type AlternateName,
  type AlternateNameProblemKind,
  type City,
  type CityProblemKind,
  geonameIdOf,
  MAX_CITY_LINE_LENGTH,
  parseAlternateName,
  parseCityRow,
} from './city-row.js';

/*
 * Finds the files of a gazetteer: GeoNames' table of cities and, if downloaded, its table of alternate names, each as
 * zip or txt.
 */

export interface GazetteerFiles {
  /** Null where there is no gazetteer; then `alternateNames` is null, too. */
  readonly cities: RowFile | null;
  readonly alternateNames: RowFile | null;
}

/** The tables of cities, largest first: each contains the next. */
const CITY_TABLES = ['cities500', 'cities1000', 'cities5000', 'cities15000'];

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
    const besideIt = await findTable(dirname(path), 'alternateNamesV2');
    return { cities, alternateNames: besideIt ?? (await findTable(releaseFolder, 'alternateNamesV2')) };
  }
  for (const name of CITY_TABLES) {
    const cities = await findTable(releaseFolder, name);
    if (cities !== null) return { cities, alternateNames: await findTable(releaseFolder, 'alternateNamesV2') };
  }
  return { cities: null, alternateNames: null };
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

export interface Gazetteer {
  /** The cities of each country, the most populous first, then by geonameid. */
  readonly citiesByCountry: ReadonlyMap<string, readonly NamedCity[]>;
  readonly tally: GazetteerTally;
}

export interface GazetteerTally {
  citiesRead: number;
  citiesTaken: number;
  /** Number of rows about these cities in the table of alternate names. */
  namesRead: number;
  namesTaken: number;
  problems: Problems<CityProblemKind | AlternateNameProblemKind>;
}

/** The names of a city except the main one: first those with a language, the most common first, then the city row's. */
export function listNames({ alternateNames, otherNames }: NamedCity): string[] {
  return [...new Set([...alternateNames.map(({ name }) => name), ...otherNames])];
}

/** Null without a gazetteer. Throws ReleaseError if a file can't be read, or if the table has no valid city. */
export async function readGazetteer({ cities, alternateNames }: GazetteerFiles): Promise<Gazetteer | null> {
  if (cities === null) return null;
  const tally: GazetteerTally = { citiesRead: 0, citiesTaken: 0, namesRead: 0, namesTaken: 0, problems: {} };
  const cityById = await readCities(cities, tally);
  if (cityById.size === 0) {
    const [[kind, problem] = []] = Object.entries(tally.problems);
    const reason = kind === undefined ? '' : `; ${kind}: ${printable(problem?.examples[0] ?? '')}`;
    throw new ReleaseError(`${cities.path}: not one city${reason}`);
  }
  const namesById =
    alternateNames === null
      ? new Map<number, AlternateName[]>()
      : await readAlternateNames(alternateNames, cityById, tally);
  const citiesByCountry = new Map<string, NamedCity[]>();
  for (const city of [...cityById.values()].sort(compareCities)) {
    const named = { ...city, alternateNames: (namesById.get(city.geonameId) ?? []).sort(compareNames) };
    appendTo(citiesByCountry, city.countryCode, named);
  }
  return { citiesByCountry, tally };
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

async function readAlternateNames(
  file: RowFile,
  cityById: ReadonlyMap<number, City>,
  tally: GazetteerTally,
): Promise<Map<number, AlternateName[]>> {
  const namesById = new Map<number, AlternateName[]>();
  await readLines(file, (bytes, lineNumber) => {
    const id = geonameIdOf(bytes);
    if (!cityById.has(id)) return;
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

/*
 * Everyday short names of big cities (data/city-short-names.tsv), which the gazetteer lacks or has among codes of
 * airports: NYC, LA, Kbh. The table is read once.
 */

let namesByCity: ReadonlyMap<string, readonly string[]> | undefined;

/** The short names of a city, by its geonameid and country. */
export function shortNames({ geonameId, countryCode }: Pick<City, 'geonameId' | 'countryCode'>): readonly string[] {
  namesByCity ??= readTable();
  return namesByCity.get(`${geonameId} ${countryCode}`) ?? [];
}

function readTable(): Map<string, readonly string[]> {
  const text = readFileSync(join(packageRoot(), 'data', 'city-short-names.tsv'), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [geonameId, countryCode, , ...names] = line.split('\t');
      return [`${geonameId} ${countryCode}`, names];
    }),
  );
}

/* Folded names by their hash, each with the number of a country: of several countries with a name the weightiest. */

export class HashedNames {
  readonly #countries = new Map<number, { readonly country: number; readonly weight: number }>();

  add(folded: string, country: number, weight: number): void {
    const hash = hashText(folded);
    const known = this.#countries.get(hash);
    if (known === undefined || known.weight < weight) this.#countries.set(hash, { country, weight });
  }

  /** The hashes ascending, and the country of each. */
  encode(): HashedNameArrays {
    const hashes = Uint32Array.from(this.#countries.keys()).sort();
    const countries = Uint16Array.from(hashes, (hash) => this.#countries.get(hash)?.country as number);
    return { hashes, countries };
  }
}

export interface HashedNameArrays {
  readonly hashes: Uint32Array;
  readonly countries: Uint16Array;
}

export const NO_HASHED_NAMES: HashedNameArrays = { hashes: new Uint32Array(0), countries: new Uint16Array(0) };

/*
 * The transcriptions of a city with a Cyrillic name: other names by rule for the many towns whose gazetteer row lacks
 * them. The rule reads the name in the release and those names of the gazetteer that are surely in the country's
 * language: marked as such, or equal to the main name once they are romanised.
 */

/**
 * The languages of each country that are written in one of the alphabets, as the gazetteer marks them. Serbian and
 * Macedonian are not among them: they have Latin letters that every language uses.
 */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  RU: ['ru'],
  UA: ['uk', 'ru'],
  BY: ['be', 'ru'],
  BG: ['bg'],
  KZ: ['ru'],
  KG: ['ru'],
  TJ: ['ru'],
};
const CYRILLIC = /\p{Script=Cyrillic}/u;

/** Lists the transcriptions of a city, without repeats. `localNames` are the names of its places in the release. */
type TranscribeCity = (city: NamedCity, localNames: readonly string[]) => readonly string[];

export function createTranscriber(countryCode: string): TranscribeCity {
  const languages = LANGUAGES[countryCode];
  if (languages === undefined) return () => [];
  const romanise = createRomaniser(countryCode, []);
  return ({ name, asciiName, alternateNames, otherNames }, localNames) => {
    const mainNames = [name, asciiName].map(foldText);
    const isMain = (other: string): boolean => CYRILLIC.test(other) && mainNames.includes(foldText(romanise(other)));
    const names = new Set([
      ...localNames,
      ...alternateNames.filter(({ language }) => languages.includes(language)).map((alternate) => alternate.name),
      ...otherNames.filter(isMain),
    ]);
    return [...new Set([...names].flatMap((one) => transcribe(countryCode, one)))];
  };
}
