/** Encodes a manifest as FlatBuffers (schema: manifest.fbs). */
import { Builder } from 'flatbuffers';
import {
  Country as FbCountry,
  Manifest as FbManifest,
  Point as FbPoint,
  Section as FbSection,
  Slice as FbSlice,
} from './generated/manifest_generated.js';
import type { CountryEntry, Manifest } from './manifest.js';

export function encodeManifest(manifest: Manifest): Uint8Array {
  const builder = new Builder(16384);
  const countries = manifest.countries.map((country) => encodeCountry(builder, country));
  const sections = manifest.sections.map((section) => {
    const name = builder.createString(section.name);
    return FbSection.createSection(builder, name, BigInt(section.offset), BigInt(section.length), section.checksum);
  });
  const countriesOffset = FbManifest.createCountriesVector(builder, countries);
  const sectionsOffset = FbManifest.createSectionsVector(builder, sections);
  const release = builder.createString(manifest.release);
  const siteUrl = builder.createString(manifest.siteUrl);
  const optional = (text: string | null): number => (text === null ? 0 : builder.createString(text));
  const sourceDate = optional(manifest.sourceDate);
  const previousRelease = optional(manifest.previousRelease);
  const builderVersion = optional(manifest.builderVersion);
  FbManifest.startManifest(builder);
  FbManifest.addRelease(builder, release);
  if (sourceDate !== 0) FbManifest.addSourceDate(builder, sourceDate);
  FbManifest.addSiteUrl(builder, siteUrl);
  FbManifest.addFoldingVersion(builder, manifest.foldingVersion);
  FbManifest.addCountries(builder, countriesOffset);
  FbManifest.addSections(builder, sectionsOffset);
  if (previousRelease !== 0) FbManifest.addPreviousRelease(builder, previousRelease);
  if (builderVersion !== 0) FbManifest.addBuilderVersion(builder, builderVersion);
  FbManifest.finishManifestBuffer(builder, FbManifest.endManifest(builder));
  return builder.asUint8Array();
}

function encodeCountry(builder: Builder, country: CountryEntry): number {
  const code = builder.createString(country.code);
  const name = builder.createString(country.name);
  const slug = builder.createString(country.slug);
  const alpha3 = builder.createString(country.alpha3);
  const givenFormat = country.givenFormat === null ? 0 : builder.createString(country.givenFormat);
  const levelCounts = FbCountry.createLevelCountsVector(builder, [...country.levelCounts]);
  FbCountry.startSlicesVector(builder, country.slices.length);
  for (const slice of country.slices.toReversed()) {
    FbSlice.createSlice(builder, BigInt(slice.offset), BigInt(slice.length));
  }
  const slices = builder.endVector();
  FbCountry.startCountry(builder);
  FbCountry.addCode(builder, code);
  FbCountry.addName(builder, name);
  FbCountry.addSlug(builder, slug);
  if (country.centre !== null) {
    FbCountry.addCentre(builder, FbPoint.createPoint(builder, country.centre.latitude, country.centre.longitude));
  }
  FbCountry.addDistinctPostcodes(builder, country.distinctPostcodes);
  FbCountry.addLevelCounts(builder, levelCounts);
  FbCountry.addSlices(builder, slices);
  FbCountry.addAlpha3(builder, alpha3);
  FbCountry.addPopulation(builder, country.population);
  if (givenFormat !== 0) FbCountry.addGivenFormat(builder, givenFormat);
  return FbCountry.endCountry(builder);
}
