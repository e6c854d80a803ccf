/** What the page of a place is about: the place with the units around it, its city and its codes. */

import { readCityName } from '../../core/snapshot/city-name.js';
import { cityOf } from '../../core/snapshot/place-cities.js';
import { readKindField, readListFields, readPlace } from '../../core/snapshot/place-fields.js';
import { listAncestors } from '../../core/snapshot/place-tree.js';
import type { PlaceResource } from '../../core/snapshot/rendered-places.js';
import type { Crumb } from '../html/breadcrumbs.js';
import { type CodeSummary, listRanksOfPage, summarizeCodes } from './code-summary.js';
import type { CoveredCountry } from './covered-country.js';
import { countryPath } from './page-paths.js';
import type { Chain } from './single-child-chains.js';
import { listRows, standingPlace } from './standing-place.js';
import { termOf } from './unit-terms.js';

export interface PlaceDetails {
  readonly country: CoveredCountry;
  readonly number: number;
  readonly place: PlaceResource;
  /** The name to show: the city's of a place that stands for one, København instead of Københavns Kommune. */
  readonly name: string;
  readonly path: string;
  /** The places that contain it, the country first. */
  readonly within: readonly Crumb[];
  readonly chain: Chain;
  /** The city whose page this is, which can be another place of the chain; undefined for a page of no city. */
  readonly city: number | undefined;
  /** The city that the place of the page belongs to, if it is another one. */
  readonly partOf: number | undefined;
  /** The rows of the place, see standing-place.ts; none for a unit. */
  readonly rows: readonly number[];
  /** The ranks of the codes of the city or unit. */
  readonly ranks: readonly number[];
  /** The codes in short; undefined without any. */
  readonly summary: CodeSummary | undefined;
}

export function readPlaceDetails(country: CoveredCountry, number: number, chain: Chain): PlaceDetails {
  const { structures } = country;
  const place = readPlace(structures, number);
  const path = countryPath(country) + place.path;
  const within = listWithin(country, number);
  const rows = place.postalCode === null ? [] : listRows(structures, number);
  const standing = standingPlace(structures, number);
  // A unit and its only town can be two cities: each has its own page.
  const city = [standing, ...chain.units, chain.city ?? standing].find((one) => cityOf(structures, one) === one);
  const whole = cityOf(structures, standing);
  const partOf = whole === city ? undefined : whole;
  const ranks = listRanksOfPage(country, city ?? standing);
  const summary = place.type === 'recipient' ? recipientCodes(country, rows) : summaryOf(country, ranks);
  const name = city === number ? readCityName(structures, city) : place.name;
  return { country, number, place, name, path, within, chain, city, partOf, rows, ranks, summary };
}

/** The country and the units around a place. A unit with the name of a unit around it is shown with its kind. */
function listWithin(country: CoveredCountry, number: number): Crumb[] {
  const { structures, entry } = country;
  const crumbs: Crumb[] = [{ name: entry.name, path: countryPath(country) }];
  for (const unit of listAncestors(structures.tree, number)) {
    const { name, path } = readListFields(structures, unit);
    const isNamesake = crumbs.some((crumb) => crumb.name === name);
    const kind = isNamesake ? termOf(entry.code, readKindField(structures, unit)).one : undefined;
    crumbs.push({ name, path: countryPath(country) + path, kind });
  }
  return crumbs;
}

function summaryOf(country: CoveredCountry, ranks: readonly number[]): CodeSummary | undefined {
  return ranks.length === 0 ? undefined : summarizeCodes(country, ranks);
}

/** The codes of a recipient are few, and have no rank among the codes of localities. */
function recipientCodes(country: CoveredCountry, rows: readonly number[]): CodeSummary {
  const codes = codesOfRows(country, rows);
  return {
    count: codes.length,
    text: codes.length === 1 ? (codes[0] as string) : `${codes[0]} … ${codes.at(-1)}`,
    otherCount: 0,
  };
}

export function codesOfRows({ structures }: CoveredCountry, rows: readonly number[]): string[] {
  return [...new Set(rows.map((row) => readListFields(structures, row).postalCode ?? ''))].sort();
}
