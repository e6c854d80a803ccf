/**
 * The manifest as a plain object, and its decoding from FlatBuffers (schema: manifest.fbs; the encoder below encodes
 * it). Decoding checks everything that opening a snapshot relies on: names, counts, and the position of every section
 * and slice. It takes about a millisecond for 250 countries. No other file but these two uses the generated code.
 */

import { Builder, ByteBuffer } from 'flatbuffers';
import { alignUp } from './array-bundle.js';
import { checksumOf } from './checksum.js';
import { FOLDING_VERSION } from './fold-text.js';
import {
  PostalPlaces_Country as FbCountry,
  PostalPlaces_Manifest as FbManifest,
  PostalPlaces_Point as FbPoint,
  PostalPlaces_Section as FbSection,
  PostalPlaces_Slice as FbSlice,
  PostalPlaces_Source as FbSource,
} from './generated/manifest_generated.js';
import { HEADER_BYTES, type Header } from './header.js';
import { LEVEL_COUNT } from './place-tree.js';
import {
  type CountrySectionName,
  PAGE_BYTES,
  type SectionName,
  SLICE_ALIGNMENT,
  sectionsOf,
  type WorldSectionName,
} from './sections.js';
import { SnapshotError } from './snapshot-error.js';

/** Offset and length in bytes, from the start of the section. */
export interface Slice {
  readonly offset: number;
  readonly length: number;
}

/** Offset (from the start of the file) and length in bytes, and the CRC-32 of the section's bytes. */
export interface Section extends Slice {
  readonly name: SectionName;
  readonly checksum: number;
}

export interface CountryEntry {
  readonly code: string;
  /** Empty in a previous snapshot of format version 6 or 7. */
  readonly alpha3: string;
  readonly name: string;
  readonly slug: string;
  /** Number of inhabitants; 0 in a previous snapshot of format version 6 or 7. */
  readonly population: number;
  /**
   * The postal code format that the facts of countries give, which the answers of a snapshot without the country's data
   * have; null if they give none, and in a previous snapshot of format version 6 to 8.
   */
  readonly givenFormat: string | null;
  readonly centre: { readonly latitude: number; readonly longitude: number } | null;
  readonly distinctPostcodes: number;
  /** The number of places on level 1, 2, 3 and 4. */
  readonly levelCounts: readonly number[];
  /** One slice for each country section of the file; none where the country has no postcode data. */
  readonly slices: readonly Slice[];
}

export function listManifestCountriesWithData({
  countries,
}: {
  readonly countries: readonly CountryEntry[];
}): CountryEntry[] {
  return countries.filter(({ slices }) => slices.length > 0);
}

export function manifestPlaceCount({ levelCounts }: CountryEntry): number {
  return levelCounts.reduce((sum, count) => sum + count, 0);
}

/** Whom to credit for a part of the data. */
export interface Source {
  readonly name: string;
  /** An http or https URL, as is that of the licence. */
  readonly url: string;
  /** `identifier` is that of SPDX. */
  readonly license: { readonly name: string; readonly identifier: string; readonly url: string };
  /** What to show where the data are shown. */
  readonly attribution: string;
  /** The codes of the countries whose full codes are from it; empty for the source of all other data. */
  readonly fullCodesOf: readonly string[];
}

export interface Manifest {
  readonly release: string;
  readonly sourceDate: string | null;
  /** The release of the previous snapshot; null if the snapshot was built without one. */
  readonly previousRelease: string | null;
  /** The version of the package that built the snapshot; null in a previous snapshot of format version 6 or 7. */
  readonly builderVersion: string | null;
  readonly siteUrl: string;
  readonly foldingVersion: number;
  readonly countries: readonly CountryEntry[];
  readonly sections: readonly Section[];
  /** All sources, that of all other data first; empty where the only one is GeoNames. */
  readonly sources: readonly Source[];
}

/**
 * Decodes and checks the manifest of a file with this header.
 * Throws SnapshotError MANIFEST_DAMAGED, FOLDING_VERSION or SECTION_TABLE_INVALID.
 */
export function decodeManifest(bytes: Uint8Array, header: Header): Manifest {
  const manifest = decodePreviousManifest(bytes, header);
  if (manifest.foldingVersion !== FOLDING_VERSION) {
    throw new SnapshotError(
      'FOLDING_VERSION',
      `names folded by version ${FOLDING_VERSION}`,
      `version ${manifest.foldingVersion}`,
      'build the snapshot with the same release of this program as the server',
    );
  }
  return manifest;
}

/**
 * The same for a snapshot whose places are compared and not looked up: one of format version OLDEST_PREVIOUS_VERSION or
 * later, with names folded by any version. A country section has the same number in all these versions.
 */
export function decodePreviousManifest(bytes: Uint8Array, header: Header): Manifest {
  const checksum = checksumOf(bytes);
  if (checksum !== header.manifestChecksum) {
    throw new SnapshotError('MANIFEST_DAMAGED', `checksum ${header.manifestChecksum}`, `checksum ${checksum}`);
  }
  const { country, world } = sectionsOf(header.version);
  const manifest = readManifest(bytes, country.length);
  checkCountries(manifest.countries, header.version);
  checkSections(manifest, country, world, header.manifestOffset);
  return manifest;
}

function readManifest(bytes: Uint8Array, sliceCount: number): Manifest {
  try {
    const buffer = new ByteBuffer(bytes);
    if (!FbManifest.bufferHasIdentifier(buffer)) throw new Error('no file identifier');
    const root = FbManifest.getRootAsManifest(buffer);
    return {
      release: required(root.release()),
      sourceDate: root.sourceDate(),
      previousRelease: root.previousRelease(),
      builderVersion: root.builderVersion(),
      siteUrl: required(root.siteUrl()),
      foldingVersion: root.foldingVersion(),
      countries: readVector(root.countriesLength(), bytes, (index) =>
        readCountry(required(root.countries(index)), sliceCount),
      ),
      sections: readVector(root.sectionsLength(), bytes, (index) => readSection(required(root.sections(index)))),
      sources: readVector(root.sourcesLength(), bytes, (index) => readSource(required(root.sources(index)), bytes)),
    };
  } catch (error) {
    // FlatBuffers doesn't check offsets, so any error that it throws here means a damaged buffer.
    throw new SnapshotError('MANIFEST_DAMAGED', 'a manifest of the schema', (error as Error).message);
  }
}

function readCountry(country: FbCountry, sliceCount: number): CountryEntry {
  const centre = country.centre();
  return {
    code: required(country.code()),
    alpha3: country.alpha3() ?? '',
    name: required(country.name()),
    slug: required(country.slug()),
    population: country.population(),
    givenFormat: country.givenFormat(),
    centre: centre === null ? null : { latitude: centre.latitude(), longitude: centre.longitude() },
    distinctPostcodes: country.distinctPostcodes(),
    levelCounts: readFixed(country.levelCountsLength(), LEVEL_COUNT, (index) => required(country.levelCounts(index))),
    slices: readFixed(country.slicesLength(), country.slicesLength() === 0 ? 0 : sliceCount, (index) => {
      const slice = required(country.slices(index));
      return { offset: Number(slice.offset()), length: Number(slice.length()) };
    }),
  };
}

function readSection(section: FbSection): Section {
  return {
    name: required(section.name()) as SectionName,
    offset: Number(section.offset()),
    length: Number(section.length()),
    checksum: section.checksum(),
  };
}

function readSource(source: FbSource, bytes: Uint8Array): Source {
  return {
    name: required(source.name()),
    url: requiredUrl(source.url()),
    license: {
      name: required(source.licenseName()),
      identifier: required(source.licenseId()),
      url: requiredUrl(source.licenseUrl()),
    },
    attribution: required(source.attribution()),
    fullCodesOf: readVector(source.fullCodesOfLength(), bytes, (index) => required(source.fullCodesOf(index))),
  };
}

/** Pages link to it. */
function requiredUrl(text: string | null): string {
  if (text === null || !/^https?:\/\//.test(text)) throw new Error(`${text} is no URL of http or https`);
  return text;
}

function readVector<T>(length: number, bytes: Uint8Array, read: (index: number) => T): T[] {
  if (!(length <= bytes.length / 4)) throw new Error(`a vector of ${length} elements in ${bytes.length} bytes`);
  return Array.from({ length }, (_, index) => read(index));
}

function readFixed<T>(length: number, expected: number, read: (index: number) => T): T[] {
  if (length !== expected) throw new Error(`a vector of ${length} elements instead of ${expected}`);
  return Array.from({ length }, (_, index) => read(index));
}

function required<T>(value: T | null): T {
  if (value === null) throw new Error('a required field is absent');
  return value;
}

function checkCountries(countries: readonly CountryEntry[], version: number): void {
  let previous = '';
  for (const country of countries) {
    const wellFormed =
      /^[A-Z]{2}$/.test(country.code) &&
      country.code > previous &&
      (version < 8 || /^[A-Z]{3}$/.test(country.alpha3)) &&
      country.name !== '' &&
      country.slug !== '';
    if (!wellFormed) {
      throw new SnapshotError(
        'MANIFEST_DAMAGED',
        'countries ascending by two-letter code, each with a three-letter code',
        JSON.stringify(country.code),
      );
    }
    previous = country.code;
  }
}

/**
 * Checks that the section table has these sections, one after the other, the last ending at `sectionEnd` or before, and
 * that the slices of each section follow each other.
 */
function checkSections(
  manifest: Manifest,
  countrySections: readonly CountrySectionName[],
  worldSections: readonly WorldSectionName[],
  sectionEnd: number,
): void {
  const expected = [...countrySections, ...worldSections].join();
  const names = manifest.sections.map((section) => section.name);
  if (names.join() !== expected) {
    throw new SnapshotError('SECTION_TABLE_INVALID', `sections ${expected}`, names.join() || 'none');
  }
  let end = HEADER_BYTES;
  for (const { name, offset, length } of manifest.sections) {
    const start = alignUp(end, PAGE_BYTES);
    if (offset !== start || offset + length > sectionEnd) {
      throw new SnapshotError(
        'SECTION_TABLE_INVALID',
        `${name} at ${start}, within ${sectionEnd} bytes`,
        `${length} bytes at ${offset}`,
      );
    }
    end = offset + length;
  }
  checkSlices(manifest, countrySections);
}

function checkSlices(manifest: Manifest, countrySections: readonly CountrySectionName[]): void {
  countrySections.forEach((name, index) => {
    let sliceEnd = 0;
    for (const country of manifest.countries) {
      const slice = country.slices[index];
      if (slice === undefined) continue;
      const sectionLength = (manifest.sections[index] as Section).length;
      const start = alignUp(sliceEnd, SLICE_ALIGNMENT);
      if (slice.offset !== start || slice.offset + slice.length > sectionLength) {
        throw new SnapshotError(
          'SECTION_TABLE_INVALID',
          `the slice of ${country.code} in ${name} at ${start}, within ${sectionLength} bytes`,
          `${slice.length} bytes at ${slice.offset}`,
        );
      }
      sliceEnd = slice.offset + slice.length;
    }
    if (sliceEnd !== manifest.sections[index]?.length) {
      throw new SnapshotError('SECTION_TABLE_INVALID', `${name} to end with its last slice`, `at ${sliceEnd}`);
    }
  });
}

/* Encodes a manifest as FlatBuffers (schema: manifest.fbs). */

export function encodeManifest(manifest: Manifest): Uint8Array {
  const builder = new Builder(16384);
  const countries = manifest.countries.map((country) => encodeCountry(builder, country));
  const sections = manifest.sections.map((section) => {
    const name = builder.createString(section.name);
    return FbSection.createSection(builder, name, BigInt(section.offset), BigInt(section.length), section.checksum);
  });
  const countriesOffset = FbManifest.createCountriesVector(builder, countries);
  const sectionsOffset = FbManifest.createSectionsVector(builder, sections);
  const sources = manifest.sources.map((source) => encodeSource(builder, source));
  const sourcesOffset = sources.length === 0 ? 0 : FbManifest.createSourcesVector(builder, sources);
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
  if (sourcesOffset !== 0) FbManifest.addSources(builder, sourcesOffset);
  FbManifest.finishManifestBuffer(builder, FbManifest.endManifest(builder));
  return builder.asUint8Array();
}

function encodeSource(builder: Builder, { name, url, license, attribution, fullCodesOf }: Source): number {
  const put = (text: string): number => builder.createString(text);
  const countries = FbSource.createFullCodesOfVector(builder, fullCodesOf.map(put));
  const [nameOffset, urlOffset] = [put(name), put(url)];
  const [licenseName, licenseId, licenseUrl] = [put(license.name), put(license.identifier), put(license.url)];
  const credit = put(attribution);
  return FbSource.createSource(builder, nameOffset, urlOffset, licenseName, licenseId, licenseUrl, credit, countries);
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
