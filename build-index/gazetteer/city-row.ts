/**
 * Parses one line of GeoNames' table of populated places (cities500, cities1000, cities5000, cities15000) into a
 * checked city, or the reason to skip the line. 19 tab-separated columns (readme of download.geonames.org/export/dump):
 * geonameid, name, asciiname, alternatenames (comma-separated, without languages), latitude, longitude, feature class,
 * feature code, country code, cc2, admin1 to admin4 codes, population, elevation, dem, timezone, modification date.
 */

import { ZONE_NAME } from '../../src/core/snapshot/place-facts.js';
import {
  hasCleanColumns,
  joinUncleanColumnRuns,
  MAX_NAME_LENGTH,
  parseDegreesColumn,
} from '../reading/column-values.js';

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

  const isClean = hasCleanColumns(line);
  const clean = (text: string): string => (isClean ? text : joinUncleanColumnRuns(text).trim());
  const cleanMain = (text: string): string => clean(countryCode === 'CN' ? text.replace(UNITS, '') : text);
  const mainName = cleanMain(name as string);
  if (!isCityName(mainName)) return 'rejected: no name, or one over 200 characters';
  const latitude = parseDegreesColumn(lat as string, 90);
  const longitude = parseDegreesColumn(lng as string, 180);
  if (latitude === undefined || longitude === undefined) return 'rejected: coordinates missing or out of range';
  if (!POPULATION.test(population as string)) return 'rejected: population is no number';
  const ascii = cleanMain(asciiName as string);
  return {
    geonameId: Number(id),
    name: mainName,
    asciiName: isCityName(ascii) ? ascii : mainName,
    otherNames: (otherNames as string).split(',').map(clean).filter(isCityName),
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
export function isCityName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && LETTER.test(text);
}
