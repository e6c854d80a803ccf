/** Renders every country's JSON object (src/format/rendered-countries.ts). */
import { encodeBundle } from '../../src/format/array-bundle.js';
import type { CountryEntry } from '../../src/format/manifest.js';
import {
  type CountryResource,
  type CountryStats,
  RENDERED_COUNTRIES_SCHEMA,
} from '../../src/format/rendered-countries.js';
import type { CountryFacts } from '../reading/country-facts.js';
import { GrowingBytes } from './growing-bytes.js';

/**
 * `entries` are the manifest's countries, `facts` the same in the same order; `formats` has the countries with data.
 */
export function buildCountryAnswers(
  entries: readonly CountryEntry[],
  facts: readonly CountryFacts[],
  formats: ReadonlyMap<string, string | null>,
  siteUrl: string,
): Uint8Array[] {
  const offsets = new Uint32Array(entries.length + 1);
  const statsOffsets = new Uint32Array(entries.length + 1);
  const text = new GrowingBytes(entries.length * 400);
  const stats = new GrowingBytes(entries.length * 150);
  entries.forEach((entry, index) => {
    const hasPostcodes = entry.slices.length > 0;
    const ofCountry = facts[index] as CountryFacts;
    const format = hasPostcodes ? formats.get(entry.code) : ofCountry.postalCodeFormats[0];
    text.append(`${JSON.stringify(answerOf(ofCountry, format ?? null, hasPostcodes, siteUrl))},`);
    if (hasPostcodes) stats.append(`,"stats":${JSON.stringify(statsOf(entry))}`);
    offsets[index + 1] = text.length;
    statsOffsets[index + 1] = stats.length;
  });
  return encodeBundle(RENDERED_COUNTRIES_SCHEMA, { offsets, text: text.bytes(), statsOffsets, stats: stats.bytes() });
}

function answerOf(
  facts: CountryFacts,
  postalCodeFormat: string | null,
  hasPostcodes: boolean,
  siteUrl: string,
): CountryResource {
  return {
    code: facts.code,
    alpha3: facts.alpha3,
    name: facts.name,
    slug: facts.slug,
    region: facts.region,
    subRegion: facts.subRegion,
    currencyCode: facts.currencyCode,
    timezone: facts.timezone,
    latitude: facts.latitude,
    longitude: facts.longitude,
    postalCodeFormat,
    hasPostcodes,
    url: `${siteUrl}/${facts.slug}`,
  };
}

function statsOf(entry: CountryEntry): CountryStats {
  return {
    totalPlaces: entry.levelCounts.reduce((sum, count) => sum + count, 0),
    distinctPostcodes: entry.distinctPostcodes,
    levels: entry.levelCounts.map((count, index) => ({ level: index + 1, count })).filter(({ count }) => count > 0),
  };
}
