/**
 * Reads the gazetteer: the cities of each country, with their names from the table of alternate names, and the names of
 * first-level units. All rows of the table of cities are kept, 60 MB for the 230,000 of cities500; of the 18 million rows
 * of the table of alternate names, only those of these cities and units.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { appendToGroup } from '../ordering/grouping.js';
import type { GazetteerFiles } from '../reading/gazetteer-files.js';
import { ReleaseError } from '../reading/release-error.js';
import { explainProblems, noteProblemLine, type Problems } from '../reading/row-problems.js';
import { type RowFile, readLines } from '../reading/table-lines.js';
import {
  type AlternateName,
  type AlternateNameProblemKind,
  geonameIdOfAlternateName,
  parseAlternateName,
} from './alternate-name-row.js';
import { type City, type CityProblemKind, MAX_CITY_LINE_LENGTH, parseCityRow, SECTION } from './city-row.js';

/** A city with all its names. */
export interface NamedCity extends City {
  /** Names with their language, in the order of listGazetteerNames; empty without a table of alternate names. */
  readonly alternateNames: readonly AlternateName[];
  /** Whether no city in the world of this main name has more people, sections of cities aside. */
  readonly isLargestOfName: boolean;
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
export function listGazetteerNames({ alternateNames, otherNames }: NamedCity): string[] {
  return [...new Set([...alternateNames.map(({ name }) => name), ...otherNames])];
}

/** Null without a gazetteer. */
export async function readGazetteer({ cities, alternateNames, units }: GazetteerFiles): Promise<Gazetteer | null> {
  if (cities.length === 0) return null;
  const tally: GazetteerTally = { citiesRead: 0, citiesTaken: 0, namesRead: 0, namesTaken: 0, problems: {} };
  const cityById = await readCities(cities, tally);
  if (cityById.size === 0) {
    throw new ReleaseError(`${cities[0]?.path}: not one city${explainProblems(tally.problems)}`);
  }
  const unitById = await readUnits(units, cityById, tally);
  const namesById = await readAlternateNames(alternateNames, (id) => cityById.has(id) || unitById.has(id), tally);
  const citiesByCountry = new Map<string, NamedCity[]>();
  const namesOfLarger = new Set<string>();
  for (const city of [...cityById.values()].sort(compareCities)) {
    const name = foldText(city.asciiName);
    const alternateNames = (namesById.get(city.geonameId) ?? []).sort(compareNames);
    appendToGroup(citiesByCountry, city.countryCode, {
      ...city,
      alternateNames,
      isLargestOfName: !namesOfLarger.has(name),
    });
    if (city.featureCode !== SECTION) namesOfLarger.add(name);
  }
  const unitNamesByCountry = new Map<string, Map<string, readonly AlternateName[]>>();
  for (const [id, { countryCode, code }] of unitById) {
    const ofCountry = unitNamesByCountry.get(countryCode) ?? new Map<string, readonly AlternateName[]>();
    unitNamesByCountry.set(countryCode, ofCountry.set(code, (namesById.get(id) ?? []).sort(compareNames)));
  }
  return { citiesByCountry, unitNamesByCountry, tally };
}

/** Calls `take` with each line of the files, and with "file:line" of it. */
async function readRows(
  files: readonly RowFile[],
  take: (line: Buffer, where: () => string) => void,
  maxLineLength?: number,
): Promise<void> {
  for (const file of files) {
    await readLines(file, (line, number) => take(line, () => `${file.textName}:${number}`), maxLineLength);
  }
}

async function readCities(files: readonly RowFile[], tally: GazetteerTally): Promise<Map<number, City>> {
  const cityById = new Map<number, City>();
  const take = (bytes: Buffer, where: () => string): void => {
    const line = bytes.toString('utf8');
    tally.citiesRead++;
    const city = parseCityRow(line);
    const isTaken = typeof city === 'object' && !cityById.has(city.geonameId);
    if (isTaken) {
      tally.citiesTaken++;
      cityById.set(city.geonameId, city);
    } else {
      const kind = typeof city === 'object' ? 'rejected: the same geonameid twice' : city;
      noteProblemLine(tally, kind, where, line);
    }
  };
  await readRows(files, take, MAX_CITY_LINE_LENGTH);
  return cityById;
}

/**
 * The first-level units by their ids. Four tab-separated columns (readme of download.geonames.org/export/dump): the codes
 * of country and unit with a dot between them, name, name in ASCII, geonameid.
 */
async function readUnits(
  files: readonly RowFile[],
  cityById: ReadonlyMap<number, City>,
  tally: GazetteerTally,
): Promise<Map<number, UnitId>> {
  const unitById = new Map<number, UnitId>();
  await readRows(files, (bytes, where) => {
    const line = bytes.toString('utf8');
    const [, countryCode, code, digits] = UNIT_LINE.exec(line) ?? [];
    const id = Number(digits);
    if (countryCode === undefined || code === undefined || unitById.has(id) || cityById.has(id)) {
      noteProblemLine(tally, UNIT_PROBLEM_KINDS[0], where, line);
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
  files: readonly RowFile[],
  isWanted: (id: number) => boolean,
  tally: GazetteerTally,
): Promise<Map<number, AlternateName[]>> {
  const namesById = new Map<number, AlternateName[]>();
  await readRows(files, (bytes, where) => {
    const id = geonameIdOfAlternateName(bytes);
    if (!isWanted(id)) return;
    const line = bytes.toString('utf8');
    tally.namesRead++;
    const name = parseAlternateName(line);
    if (typeof name === 'string') {
      noteProblemLine(tally, name, where, line);
      return;
    }
    tally.namesTaken++;
    appendToGroup(namesById, id, name);
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
