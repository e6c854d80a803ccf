/** Writes the sections of a snapshot that follow the places' answers, which are in the file already. */
import type { CountryEntry, Manifest, Slice } from '../../src/format/manifest.js';
import { COUNTRY_SECTIONS, type WorldSectionName } from '../../src/format/sections.js';
import type { CountryFacts } from '../reading/country-facts.js';
import { buildCountryAnswers, type CountryDetails } from '../structures/country-answers.js';
import type { RankKeys } from '../structures/rank-keys.js';
import type { SubdivisionTally } from '../structures/subdivision-codes.js';
import type { SnapshotWriter } from '../writing/snapshot-writer.js';
import type { BuiltWorld } from './build-world.js';

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
  COUNTRY_SECTIONS.slice(1).forEach((name, index) => {
    const section = writer.beginSection(name);
    for (const { code, slices } of kept) slicesByCode.get(code)?.push(section.append(slices[index] ?? []));
    section.end();
  });
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

/** Writes the sections of the world. `details` are those of `countries`. */
export function writeWorldSections(
  writer: SnapshotWriter,
  { countries, siteUrl }: Pick<Manifest, 'countries' | 'siteUrl'>,
  details: readonly CountryDetails[],
  { grid, names, postcodes }: BuiltWorld,
): void {
  const sections: readonly (readonly [WorldSectionName, readonly Uint8Array[]])[] = [
    ['country-answers', buildCountryAnswers(countries, details, siteUrl)],
    ['country-grid', grid],
    ['world-name-index', names],
    ['world-postcodes', postcodes],
  ];
  for (const [name, chunks] of sections) {
    const section = writer.beginSection(name);
    section.append(chunks);
    section.end();
  }
}
