/**
 * Reads the gazetteer: the cities of each country, with their names from the table of alternate names. All rows of the
 * table of cities are kept, 60 MB for the 230,000 of cities500; of the 18 million rows of the table of alternate names,
 * only those of these cities.
 */
import { appendTo } from '../grouping.js';
import { noteProblem, type Problems } from '../reading/build-problem.js';
import { MAX_LINE_LENGTH } from '../reading/line-splitter.js';
import { type RowFile, readLines } from '../reading/release.js';
import { ReleaseError } from '../reading/release-error.js';
import { printable } from '../reporting/tables.js';
import {
  type AlternateName,
  type AlternateNameProblemKind,
  geonameIdOf,
  parseAlternateName,
} from './alternate-name-row.js';
import { type City, type CityProblemKind, MAX_CITY_LINE_LENGTH, parseCityRow } from './city-row.js';
import type { GazetteerFiles } from './gazetteer-files.js';

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
