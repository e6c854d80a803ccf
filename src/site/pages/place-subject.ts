/** The place of a page with its city, its chain and its codes, and what the page says of these in words. */
import type { PlaceResource } from '../../format/rendered-places.js';
import { readEntry, readKind, readPlace } from '../../store/place-fields.js';
import { listAncestors, rangesBelow } from '../../store/place-tree.js';
import { countryPath } from '../addresses.js';
import { type Crumb, count } from '../html/place-parts.js';
import type { PageContext } from '../page.js';
import type { Chain } from '../reading/city-chain.js';
import { type CodeSummary, summarizeCodes } from '../reading/code-runs.js';
import {
  citiesOf,
  isArea,
  isRecipientAt,
  listCityPlaces,
  listRanks,
  listRanksWithin,
} from '../reading/country-cities.js';
import { partsOf, type UnitParts } from '../reading/unit-parts.js';
import { termOf } from '../reading/unit-terms.js';
import type { CoveredCountry } from '../site-snapshot.js';

export interface PlaceSubject {
  readonly context: PageContext;
  readonly country: CoveredCountry;
  readonly number: number;
  readonly place: PlaceResource;
  readonly path: string;
  /** The places that contain it, the country first. */
  readonly within: readonly Crumb[];
  readonly chain: Chain;
  /** The places of its own city; none for a unit. */
  readonly rows: readonly number[];
  /** The ranks of its codes. */
  readonly ranks: readonly number[];
  /** Its codes in short; undefined without any. */
  readonly summary: CodeSummary | undefined;
}

export function readSubject(context: PageContext, country: CoveredCountry, number: number, chain: Chain): PlaceSubject {
  const { structures } = country;
  const place = readPlace(structures, number);
  const path = countryPath(country) + place.path;
  const within = listWithin(country, number);
  const cities = citiesOf(structures);
  const rows = place.postalCode === null ? [] : listCityPlaces(structures, cities.cities[number] as number);
  const ranks =
    rows.length > 0 ? listRanks(cities, rows) : listRanksWithin(cities, rangesBelow(structures.tree, number));
  const summary = isRecipientAt(cities, number) ? recipientCodes(country, rows) : summaryOf(country, ranks);
  return { context, country, number, place, path, within, chain, rows, ranks, summary };
}

/** The country and the units around a place. Where one has the name of the unit around it, its kind tells them apart. */
function listWithin(country: CoveredCountry, number: number): Crumb[] {
  const { structures, entry } = country;
  const crumbs: Crumb[] = [{ name: entry.name, path: countryPath(country) }];
  for (const unit of listAncestors(structures.tree, number)) {
    const { name, path } = readEntry(structures, unit);
    const isNamesake = crumbs.some((crumb) => crumb.name === name);
    const kind = isNamesake ? termOf(entry.code, readKind(structures, unit)).one : undefined;
    crumbs.push({ name, path: countryPath(country) + path, kind });
  }
  return crumbs;
}

function summaryOf(country: CoveredCountry, ranks: readonly number[]): CodeSummary | undefined {
  return ranks.length === 0 ? undefined : summarizeCodes(country, ranks);
}

/** The codes of a recipient are few, and in no order with those of localities. */
function recipientCodes(country: CoveredCountry, rows: readonly number[]): CodeSummary {
  const codes = codesOfRows(country, rows);
  return {
    count: codes.length,
    text: codes.length === 1 ? (codes[0] as string) : `${codes[0]} … ${codes.at(-1)}`,
    hasGaps: false,
  };
}

export function codesOfRows({ structures }: CoveredCountry, rows: readonly number[]): string[] {
  return [...new Set(rows.map((row) => readEntry(structures, row).postalCode ?? ''))].sort();
}

/** What lies in the last unit of a chain, and the towns and recipients beside the single children. */
export function partsOfChain({ structures }: CoveredCountry, { units, city }: Chain): UnitParts {
  const parts = units.map((unit) => partsOf(structures, unit));
  const last = city === undefined ? parts.at(-1) : undefined;
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && last !== undefined) return only;
  return {
    areas: last?.areas ?? [],
    cities: last?.cities ?? [],
    towns: parts.flatMap(({ towns }) => towns),
    recipients: parts.flatMap(({ recipients }) => recipients),
  };
}

/** The places around it, the innermost first: "Vaduz, Oberland, Liechtenstein". */
function surroundings({ within }: PlaceSubject): string {
  let text = '';
  for (let at = within.length - 1; at >= 0; at--) text += (text && ', ') + (within[at] as Crumb).name;
  return text;
}

/** Two places of one name differ in codes, kind or surroundings. */
export function titleOf(subject: PlaceSubject): string {
  const { place, summary } = subject;
  const codes = place.postalCode === null ? `(${kindOf(subject).toLowerCase()})` : summary?.text;
  return `${place.name} ${codes}, ${surroundings(subject)}`;
}

export function descriptionOf(subject: PlaceSubject): string {
  const { place, summary } = subject;
  const codes =
    summary === undefined
      ? 'has no postal code of its own'
      : `has ${summary.count === 1 ? 'the postal code' : `${count(summary.count, 'postal code')}:`} ${summary.text}`;
  return `${place.name}, ${surroundings(subject)}, ${codes}. Coordinates: ${place.latitude}, ${place.longitude}.`;
}

/** "District", or what a place without a term of the country is. */
export function kindOf({ country, number, place, summary }: PlaceSubject): string {
  if (place.type === 'recipient') return 'Organisation';
  if (place.postalCode !== null) return 'Locality';
  if (summary === undefined && !isArea(country.structures, number)) return 'Town or quarter';
  return capital(termOf(place.countryCode, place.type).one);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
