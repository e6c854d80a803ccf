/** Renders every country's JSON object (src/core/snapshot/rendered-countries.ts). */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { type CountryEntry, manifestPlaceCount } from '../../src/core/snapshot/manifest.js';
import {
  type CountryResource,
  type CountryStats,
  RENDERED_COUNTRIES_SCHEMA,
} from '../../src/core/snapshot/rendered-countries.js';
import { GrowingBytes } from './growing-bytes.js';

/** The fields of a country's answer that its entry in the manifest doesn't have. */
export interface CountryDetails
  extends Pick<CountryResource, 'region' | 'subRegion' | 'currencyCode' | 'timezone' | 'postalCodeFormat'> {
  /** The format that fits the country's codes; not used for a country without data. */
  readonly postalCodeFormat: string | null;
}

/** `entries` are the manifest's countries, `details` those of the same countries in the same order. */
export function buildRenderedCountries(
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
    totalPlaces: manifestPlaceCount(entry),
    distinctPostcodes: entry.distinctPostcodes,
    levels: entry.levelCounts.map((count, index) => ({ level: index + 1, count })).filter(({ count }) => count > 0),
  };
}
