/** Renders every country's JSON object (src/core/snapshot/rendered-countries.ts). */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { COUNTRY_GRID_SCHEMA, GRID_COLUMNS, gridColumn, gridRow } from '../../src/core/snapshot/country-grid.js';
import { UNITS_PER_DEGREE } from '../../src/core/snapshot/full-codes.js';
import type { CountryEntry } from '../../src/core/snapshot/manifest.js';
import { POINT_TIERS, type PointIndex } from '../../src/core/snapshot/point-index.js';
import {
  type CountryResource,
  type CountryStats,
  RENDERED_COUNTRIES_SCHEMA,
} from '../../src/core/snapshot/rendered-countries.js';
import { GrowingBytes, startsOf } from './country-slices.js';

/** The fields of a country's answer that its entry in the manifest doesn't have. */
export interface CountryDetails
  extends Pick<CountryResource, 'region' | 'subRegion' | 'currencyCode' | 'timezone' | 'postalCodeFormat'> {
  /** The format that fits the country's codes; not used for a country without data. */
  readonly postalCodeFormat: string | null;
}

/** `entries` are the manifest's countries, `details` those of the same countries in the same order. */
export function buildCountryAnswers(
  entries: readonly CountryEntry[],
  details: readonly CountryDetails[],
  siteUrl: string,
): Uint8Array[] {
  const offsets = new Uint32Array(entries.length + 1);
  const statsOffsets = new Uint32Array(entries.length + 1);
  const text = new GrowingBytes(entries.length * 400);
  const stats = new GrowingBytes(entries.length * 150);
  entries.forEach((entry, index) => {
    text.append(`${JSON.stringify(answerOf(entry, details[index] as CountryDetails, siteUrl))},`);
    if (entry.slices.length > 0) stats.append(`,"stats":${JSON.stringify(statsOf(entry))}`);
    offsets[index + 1] = text.length;
    statsOffsets[index + 1] = stats.length;
  });
  return encodeBundle(RENDERED_COUNTRIES_SCHEMA, { offsets, text: text.bytes(), statsOffsets, stats: stats.bytes() });
}

function answerOf(entry: CountryEntry, details: CountryDetails, siteUrl: string): CountryResource {
  const hasPostcodes = entry.slices.length > 0;
  return {
    code: entry.code,
    alpha3: entry.alpha3,
    name: entry.name,
    slug: entry.slug,
    region: details.region,
    subRegion: details.subRegion,
    currencyCode: details.currencyCode,
    timezone: details.timezone,
    latitude: entry.centre?.latitude ?? null,
    longitude: entry.centre?.longitude ?? null,
    postalCodeFormat: hasPostcodes ? details.postalCodeFormat : entry.givenFormat,
    hasPostcodes,
    url: `${siteUrl}/${entry.slug}`,
  };
}

function statsOf(entry: CountryEntry): CountryStats {
  return {
    totalPlaces: entry.levelCounts.reduce((sum, count) => sum + count, 0),
    distinctPostcodes: entry.distinctPostcodes,
    levels: entry.levelCounts.map((count, index) => ({ level: index + 1, count })).filter(({ count }) => count > 0),
  };
}

/* Writes the grid of countries (src/core/snapshot/country-grid.ts) from the points of their k-d trees. */

/** The input for one country; countries are sorted by their number in the manifest. */
interface GridCountry {
  readonly country: number;
  readonly points: PointIndex;
  /** Longitude and latitude of each full code, in their units; none if the country has none. */
  readonly fullPositions: Int32Array;
}

/**
 * The grid of the localities and full codes, without recipients: a search around Munich must not load the US military
 * post's points.
 */
export function buildCountryGrid(parts: readonly GridCountry[]): Uint8Array[] {
  const byCell = new Map<number, number[]>();
  const add = (longitude: number, latitude: number, country: number): void => {
    const cell = gridRow(latitude) * GRID_COLUMNS + gridColumn(longitude);
    const list = byCell.get(cell);
    if (list === undefined) byCell.set(cell, [country]);
    else if (list.at(-1) !== country) list.push(country);
  };
  for (const { country, points, fullPositions } of parts) {
    const { tierStarts, coords } = points;
    const end = tierStarts[POINT_TIERS.indexOf('recipient')] as number;
    for (let point = 0; point < end; point++) {
      add(coords[point * 2] as number, coords[point * 2 + 1] as number, country);
    }
    for (let at = 0; at < fullPositions.length; at += 2) {
      const [longitude, latitude] = [fullPositions[at] as number, fullPositions[at + 1] as number];
      add(longitude / UNITS_PER_DEGREE, latitude / UNITS_PER_DEGREE, country);
    }
  }
  const ordered = [...byCell].sort(([one], [other]) => one - other);
  return encodeBundle(COUNTRY_GRID_SCHEMA, {
    cells: Uint32Array.from(ordered, ([cell]) => cell),
    starts: startsOf(ordered.map(([, list]) => list.length)),
    countries: Uint16Array.from(ordered.flatMap(([, list]) => list)),
  });
}
