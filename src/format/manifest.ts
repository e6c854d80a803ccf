/**
 * The manifest as a plain object, and its conversion to and from FlatBuffers (schema: manifest.fbs). Decoding checks
 * everything that opening a snapshot relies on (check-manifest.ts). It takes about a millisecond for 250 countries. No other file uses the generated code.
 */
import { Builder, ByteBuffer } from 'flatbuffers';
import { checkCountries, checkSections } from './check-manifest.js';
import { checksumOf } from './checksum.js';
import { FOLDING_VERSION } from './fold-text.js';
import {
  Country as FbCountry,
  Manifest as FbManifest,
  Point as FbPoint,
  Section as FbSection,
  Slice as FbSlice,
} from './generated/manifest_generated.js';
import type { Header } from './header.js';
import { LEVEL_COUNT } from './place-levels.js';
import { type SectionName, sectionsOf } from './sections.js';
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
  readonly centre: { readonly latitude: number; readonly longitude: number } | null;
  readonly distinctPostcodes: number;
  /** The number of places on level 1, 2, 3 and 4. */
  readonly levelCounts: readonly number[];
  /** One slice for each name in COUNTRY_SECTIONS; none where the country has no postcode data. */
  readonly slices: readonly Slice[];
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
}

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
  return FbCountry.endCountry(builder);
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
  const expected = sectionsOf(header.version);
  const manifest = readManifest(bytes, expected.country.length);
  checkCountries(manifest.countries, header.version);
  checkSections(manifest, expected.country, expected.world, header.manifestOffset);
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
