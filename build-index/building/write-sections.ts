/** Writes the sections of a snapshot that follow the places' answers, which are in the file already. */

import type { CountryEntry, Manifest, Slice } from '../../src/core/snapshot/manifest.js';
import { COUNTRY_SECTIONS, WORLD_SECTIONS, type WorldSectionName } from '../../src/core/snapshot/sections.js';
import type { CountryFacts } from '../data-tables/country-facts.js';
import type { SubdivisionTally } from '../place-facts/subdivision-codes.js';
import type { FullCodesTally } from '../structures/build-full-codes.js';
import { buildRenderedCountries, type CountryDetails } from '../structures/build-rendered-countries.js';
import type { RankKeys } from '../suggesting/suggestion-order.js';
import type { BuiltWorld } from './build-world.js';
import type { SnapshotWriter } from './snapshot-writer.js';

/** A built country whose answers are in the file already. */
export interface KeptCountry {
  readonly code: string;
  readonly levelCounts: readonly number[];
  readonly distinctPostcodes: number;
  readonly oldPathCount: number;
  readonly postalCodeFormat: string | null;
  readonly answersSlice: Slice;
  /** The country's slices of the other sections; empty after they are written. */
  slices: readonly (readonly Uint8Array[])[];
  readonly rankKeys: RankKeys;
  readonly subdivisions: SubdivisionTally;
  readonly fullCodes: FullCodesTally | null;
}

/**
 * Writes the sections of the countries and empties their `slices`. Returns the manifest's entry for each of `facts`.
 */
export function writeCountrySections(
  writer: SnapshotWriter,
  kept: readonly KeptCountry[],
  facts: readonly CountryFacts[],
): CountryEntry[] {
  const slicesByCode = new Map(kept.map(({ code, answersSlice }) => [code, [answersSlice]]));
  for (const [index, name] of COUNTRY_SECTIONS.slice(1).entries()) {
    const section = writer.beginSection(name);
    for (const { code, slices } of kept) slicesByCode.get(code)?.push(section.append(slices[index] ?? []));
    section.end();
  }
  for (const country of kept) country.slices = [];
  const keptByCode = new Map(kept.map((country) => [country.code, country]));
  return facts.map((country): CountryEntry => {
    const { code, alpha3, name, slug, latitude, longitude, population } = country;
    const built = keptByCode.get(code);
    return {
      code,
      alpha3,
      name,
      slug,
      population,
      givenFormat: country.postalCodeFormats[0] ?? null,
      centre: latitude === null || longitude === null ? null : { latitude, longitude },
      distinctPostcodes: built?.distinctPostcodes ?? 0,
      levelCounts: built?.levelCounts ?? [0, 0, 0, 0],
      slices: slicesByCode.get(code) ?? [],
    };
  });
}

/** The details of each of `facts`. */
export function listDetails(kept: readonly KeptCountry[], facts: readonly CountryFacts[]): CountryDetails[] {
  const formats = new Map(kept.map(({ code, postalCodeFormat }) => [code, postalCodeFormat]));
  return facts.map((country) => ({ ...country, postalCodeFormat: formats.get(country.code) ?? null }));
}

/**
 * Writes the sections of the world. `details` are those of `countries`; `listCountryNames` gives the names of countries in
 * other languages, and is called if places have such names.
 */
export function writeWorldSections(
  writer: SnapshotWriter,
  { countries, siteUrl }: Pick<Manifest, 'countries' | 'siteUrl'>,
  details: readonly CountryDetails[],
  { grid, names, postcodes }: BuiltWorld,
  listCountryNames: () => readonly Uint8Array[],
): void {
  const sections: Readonly<Record<WorldSectionName, () => readonly Uint8Array[]>> = {
    'country-answers': () => buildRenderedCountries(countries, details, siteUrl),
    'country-grid': () => grid,
    'world-name-index': () => names,
    'world-postcodes': () => postcodes,
    'country-names-by-language': listCountryNames,
  };
  const hasNames = writer.writtenSections.some(({ name, length }) => name === 'names-by-language' && length > 0);
  for (const name of WORLD_SECTIONS) {
    const section = writer.beginSection(name);
    if (hasNames || name !== 'country-names-by-language') section.append(sections[name]());
    section.end();
  }
}
