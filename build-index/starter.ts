/**
 * The starter dataset: what a fresh installation can serve before anyone has fetched a release.
 * It joins the hand-written countries of data/starter with the codes of the npm package `zipcodes` (United States with
 * its territories, and Canada), all in the line format of GeoNames postal files, sorted by code point. Beside them it puts
 * a table of the cities of these countries.
 * The same package version gives the same bytes; every row left out is counted under its reason.
 * Costs about half a second and 100 MB, once, while a snapshot is built.
 */

import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import zipcodes from 'zipcodes';
import { packageRoot } from '../src/package-root.js';
import { starterCityLines } from './starter/cities.js';
import { repairCanadianName, repairUnitedStatesName } from './starter/repairing-names.js';

interface StarterRow {
  /** ISO 3166-1 alpha-2: US, CA or a territory with a code of its own. */
  country: string;
  /** Twelve tab-separated columns without the line end. */
  line: string;
}

/**
 * `military`: APO, FPO and DPO lie wherever their unit is, so no coordinate is true.
 * `noCoordinates`: null or 0. In Canada these are the rows that carry a part of the place's name in the column of the
 * province, and the code reserved for Santa Claus at the North Pole.
 * `outsideCountry`: a code of New York whose longitude has lost its minus sign.
 * `unknownState`: neither a state, a province nor a territory known here; none today, so a new one does not pass unseen.
 */
export type SkipReason = 'military' | 'noCoordinates' | 'outsideCountry' | 'unknownState';

/** All of more than 1,000 people, as GeoNames calls such a table. */
const CITIES_FILE = 'cities1000.txt';

export interface StarterRelease {
  /** Rows written for each country, in order of country code. */
  rowCounts: Record<string, number>;
  /** Cities in the table beside them. */
  cityCount: number;
  skippedCounts: Record<SkipReason, number>;
}

const UNITED_STATES: Record<string, string> = {
  AK: 'Alaska',
  AL: 'Alabama',
  AR: 'Arkansas',
  AZ: 'Arizona',
  CA: 'California',
  CO: 'Colorado',
  CT: 'Connecticut',
  DC: 'District of Columbia',
  DE: 'Delaware',
  FL: 'Florida',
  GA: 'Georgia',
  HI: 'Hawaii',
  IA: 'Iowa',
  ID: 'Idaho',
  IL: 'Illinois',
  IN: 'Indiana',
  KS: 'Kansas',
  KY: 'Kentucky',
  LA: 'Louisiana',
  MA: 'Massachusetts',
  MD: 'Maryland',
  ME: 'Maine',
  MI: 'Michigan',
  MN: 'Minnesota',
  MO: 'Missouri',
  MS: 'Mississippi',
  MT: 'Montana',
  NC: 'North Carolina',
  ND: 'North Dakota',
  NE: 'Nebraska',
  NH: 'New Hampshire',
  NJ: 'New Jersey',
  NM: 'New Mexico',
  NV: 'Nevada',
  NY: 'New York',
  OH: 'Ohio',
  OK: 'Oklahoma',
  OR: 'Oregon',
  PA: 'Pennsylvania',
  RI: 'Rhode Island',
  SC: 'South Carolina',
  SD: 'South Dakota',
  TN: 'Tennessee',
  TX: 'Texas',
  UT: 'Utah',
  VA: 'Virginia',
  VT: 'Vermont',
  WA: 'Washington',
  WI: 'Wisconsin',
  WV: 'West Virginia',
  WY: 'Wyoming',
};

/** The package's province names with the official name, where it differs, and the postal abbreviation. */
const PROVINCES: Record<string, { name: string; code: string }> = {
  Alberta: { name: 'Alberta', code: 'AB' },
  'British Columbia': { name: 'British Columbia', code: 'BC' },
  Manitoba: { name: 'Manitoba', code: 'MB' },
  'New Brunswick': { name: 'New Brunswick', code: 'NB' },
  'Newfoundland and Labrador': { name: 'Newfoundland and Labrador', code: 'NL' },
  'Northwest Territory': { name: 'Northwest Territories', code: 'NT' },
  'Nova Scotia': { name: 'Nova Scotia', code: 'NS' },
  'Nunavut Territory': { name: 'Nunavut', code: 'NU' },
  Ontario: { name: 'Ontario', code: 'ON' },
  'Prince Edward Island': { name: 'Prince Edward Island', code: 'PE' },
  Quebec: { name: 'Quebec', code: 'QC' },
  Saskatchewan: { name: 'Saskatchewan', code: 'SK' },
  Yukon: { name: 'Yukon', code: 'YT' },
};

interface Area {
  south: number;
  north: number;
  west: number;
  east: number;
}

/** Generous boxes. The territories' state abbreviations are their country codes too; they have no states inside. */
const AREAS: Record<string, Area> = {
  AS: { south: -14.6, north: -11, west: -171.2, east: -168 },
  CA: { south: 41.6, north: 83.2, west: -141.1, east: -52.5 },
  FM: { south: 0.8, north: 10.2, west: 137.3, east: 163.2 },
  GU: { south: 13.2, north: 13.7, west: 144.6, east: 145 },
  MH: { south: 4.5, north: 14.8, west: 160.7, east: 172.2 },
  MP: { south: 14, north: 20.6, west: 144.8, east: 146.2 },
  PR: { south: 17.8, north: 18.6, west: -68, east: -65.1 },
  PW: { south: 2.7, north: 8.3, west: 131, east: 134.8 },
  UM: { south: 19.2, north: 19.4, west: 166.5, east: 166.7 },
  US: { south: 18.9, north: 71.4, west: -180, east: -66.9 },
  VI: { south: 17.6, north: 18.5, west: -65.2, east: -64.5 },
};
const MILITARY = new Set(['AA', 'AE', 'AP']);
/** The package files Wake Island under Hawaii; it is one of the United States Minor Outlying Islands. */
const WAKE_ISLAND = '96898';

/** Every usable row of the package, ordered by code; `onSkip` hears of every row that is left out. */
export function* starterRows(onSkip: (reason: SkipReason, code: string) => void = () => {}): Generator<StarterRow> {
  const codes = Object.keys(zipcodes.codes).sort();
  for (const code of codes) {
    const record = zipcodes.codes[code];
    if (record === undefined) continue;
    const { latitude, longitude, state } = record;
    const unit = record.country === 'US' ? locateInUnitedStates(code, state) : locateInCanada(state);
    if (MILITARY.has(state)) onSkip('military', code);
    else if (!latitude || !longitude) onSkip('noCoordinates', code);
    else if (unit === undefined) onSkip('unknownState', code);
    else if (!contains(unit.country, latitude, longitude)) onSkip('outsideCountry', code);
    else {
      const name = unit.country === 'CA' ? repairCanadianName(record.city) : repairUnitedStatesName(record.city);
      const position = [latitude.toFixed(4), longitude.toFixed(4)];
      const columns = [unit.country, code, name, unit.name, unit.code, '', '', '', '', ...position, ''];
      yield { country: unit.country, line: columns.join('\t') };
    }
  }
}

/**
 * Writes `XX.txt` for every country of the starter dataset and the table of their cities into `folder`, which is made if it
 * is missing.
 * Throws if a country comes from both sources, since the file of one source would overwrite the other's.
 */
export async function writeStarterRelease(folder: string): Promise<StarterRelease> {
  const skippedCounts: Record<SkipReason, number> = {
    military: 0,
    noCoordinates: 0,
    outsideCountry: 0,
    unknownState: 0,
  };
  const generated = new Map<string, string[]>();
  for (const { country, line } of starterRows((reason) => skippedCounts[reason]++)) {
    const lines = generated.get(country);
    if (lines) lines.push(line);
    else generated.set(country, [line]);
  }
  const source = join(packageRoot(), 'data', 'starter');
  const written = (await readdir(source)).filter((name) => /^[A-Z]{2}\.txt$/.test(name));
  const counts = new Map<string, number>();
  await mkdir(folder, { recursive: true });
  for (const name of written) {
    const country = name.slice(0, 2);
    if (generated.has(country)) throw new Error(`Country ${country} is in data/starter and in the package zipcodes`);
    counts.set(country, (await readFile(join(source, name), 'utf8')).split('\n').length - 1);
    await copyFile(join(source, name), join(folder, name));
  }
  for (const [country, lines] of generated) {
    counts.set(country, lines.length);
    await writeFile(join(folder, `${country}.txt`), `${lines.sort().join('\n')}\n`);
  }
  const cityLines = starterCityLines(new Set(counts.keys()), join(source, 'city-names.tsv'));
  await writeFile(join(folder, CITIES_FILE), `${cityLines.join('\n')}\n`);
  const rowCounts = Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { rowCounts, cityCount: cityLines.length, skippedCounts };
}

interface Unit {
  country: string;
  name: string;
  code: string;
}

function locateInUnitedStates(code: string, state: string): Unit | undefined {
  if (code === WAKE_ISLAND) return { country: 'UM', name: '', code: '' };
  const name = UNITED_STATES[state];
  if (name !== undefined) return { country: 'US', name, code: state };
  return state !== 'US' && state in AREAS ? { country: state, name: '', code: '' } : undefined;
}

function locateInCanada(province: string): Unit | undefined {
  const found = PROVINCES[province];
  return found && { country: 'CA', ...found };
}

function contains(country: string, latitude: number, longitude: number): boolean {
  const area = AREAS[country];
  if (area === undefined) return false;
  const { south, north, west, east } = area;
  return latitude >= south && latitude <= north && longitude >= west && longitude <= east;
}
