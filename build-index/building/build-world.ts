/**
 * Builds the structures of the world from the countries' slices in the file, so that only the keys for merging ranks
 * stay in memory. Runs on a worker thread while the other threads verify the countries.
 */

import { syncFile, writeWhole } from '../../src/base/durable-files.js';
import { alignUp, decodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { FULL_CODES_SCHEMA } from '../../src/core/snapshot/full-codes.js';
import {
  COUNTRY_NAMES_SECTION,
  checkFileLength,
  checksumOf,
  encodeHeader,
  FULL_CODES_SECTION,
  formatVersionOf,
  HEADER_BYTES,
  PAGE_BYTES,
  type SectionName,
  SLICE_ALIGNMENT,
  sectionsOf,
  sliceIndexOf,
  versionFor,
  type WorldSectionName,
} from '../../src/core/snapshot/header.js';
import {
  type CountryEntry,
  encodeManifest,
  type Manifest,
  type Section,
  type Slice,
} from '../../src/core/snapshot/manifest.js';
import { decodeNameIndex } from '../../src/core/snapshot/name-index.js';
import { decodePointIndex } from '../../src/core/snapshot/point-index.js';
import { readSlice, withFile } from '../../src/core/snapshot/snapshot-file.js';
import type { Pool, Task } from '../pool/pool.js';
import type { CountryFacts } from '../reading/country-facts.js';
import type { FullCodesTally } from '../structures/build-full-codes.js';
import { buildWorldPostcodes } from '../structures/build-postcode-index.js';
import { buildCountryAnswers, buildCountryGrid, type CountryDetails } from '../structures/country-answers.js';
import { type CountryContents, readCountrySlices } from '../structures/country-slices.js';
import type { RankKeys } from '../structures/name-candidates.js';
import type { SubdivisionTally } from '../structures/subdivision-codes.js';
import {
  buildWorldNameIndex,
  type CountryNames,
  type NamesOfCountries,
  type OrderRanks,
  orderByKeys,
} from '../structures/world-name-index.js';

export interface BuildWorldTask extends Task<BuiltWorld> {
  readonly kind: 'build-world';
  /** A file with the sections of the countries. */
  readonly path: string;
  readonly countries: readonly CountryEntry[];
  readonly sections: readonly Section[];
  /** The keys of each country with data, by code. */
  readonly rankKeys: ReadonlyMap<string, RankKeys>;
  readonly namesOfCountries: NamesOfCountries;
}

/** The chunks of each section. */
export interface BuiltWorld {
  readonly grid: readonly Uint8Array[];
  readonly names: readonly Uint8Array[];
  readonly postcodes: readonly Uint8Array[];
}

/** Runs a task that builds the world on a thread of the pool. */
export async function runWorldTask<T extends Task<BuiltWorld>>(pool: Pool, task: T): Promise<BuiltWorld> {
  for await (const world of pool.run([task])) return world;
  throw new Error('a pool gives a result for each task');
}

export function buildWorld({ path, rankKeys, namesOfCountries, ...contents }: BuildWorldTask): BuiltWorld {
  return withFile(path, (fd) =>
    buildWorldIn(fd, contents, namesOfCountries, (parts) =>
      orderByKeys(
        parts.map(({ country }) => {
          const { code } = contents.countries[country] as CountryEntry;
          const keys = rankKeys.get(code);
          if (keys === undefined) throw new Error(`there are no rank keys for ${code}`);
          return keys;
        }),
      ),
    ),
  );
}

/** The structures of the world from the sections of the countries in the open file `fd`. */
export function buildWorldIn(
  fd: number,
  contents: CountryContents,
  namesOfCountries: NamesOfCountries,
  orderOf: (parts: readonly CountryNames[]) => OrderRanks,
): BuiltWorld {
  const points = Array.from(readCountrySlices(fd, contents, 'point-index'), ({ country, bytes, where }) => {
    return { country, points: decodePointIndex(bytes, where), fullPositions: fullPositionsOf(fd, contents, country) };
  });
  const names = Array.from(readCountrySlices(fd, contents, 'name-index'), ({ country, bytes, where }) => {
    return { country, index: decodeNameIndex(bytes, where, 'country') };
  });
  return {
    grid: buildCountryGrid(points),
    names: buildWorldNameIndex(names, orderOf(names), namesOfCountries),
    postcodes: buildWorldPostcodes(readCountrySlices(fd, contents, 'postcode-index')),
  };
}

/** The positions of a country's full codes; none if the country has none. */
function fullPositionsOf(fd: number, { countries, sections }: CountryContents, country: number): Int32Array {
  const entry = countries[country] as CountryEntry;
  const bytes = readSlice(fd, sections, entry, FULL_CODES_SECTION);
  if (bytes.length === 0) return new Int32Array(0);
  return decodeBundle(FULL_CODES_SCHEMA, bytes, `${FULL_CODES_SECTION} of ${entry.code}`).positions;
}

/*
 * Writes a snapshot file from front to back: the sections, then the manifest, and the header last. Keeps only the
 * manifest's entries in memory. The caller opens, names and closes the file. An incomplete file has no header, so no
 * reader accepts it. Every method throws SnapshotError FILE_TOO_LONG before the file gets longer than a server can
 * open.
 */

export class SnapshotWriter {
  private readonly sections: Section[] = [];
  private offset = 0;

  /** Writes to an empty file. */
  constructor(private readonly fd: number) {
    this.write(new Uint8Array(HEADER_BYTES));
  }

  /**
   * Starts the next section in the order of sectionsOf. `append` writes a slice, given in chunks, one after the
   * other (a chunk may use the memory of the one before), and returns its position in the section; `end` closes the section.
   */
  beginSection(name: SectionName): { append(chunks: Iterable<Uint8Array>): Slice; end(): void } {
    const { country, world } = sectionsOf(formatVersionOf([...this.sections, { name }]));
    if ([...country, ...world][this.sections.length] !== name) throw new Error(`${name} is not the next section`);
    this.padTo(PAGE_BYTES);
    const start = this.offset;
    let checksum = 0;
    const put = (bytes: Uint8Array): void => {
      this.write(bytes);
      checksum = checksumOf(bytes, checksum);
    };
    const append = (chunks: Iterable<Uint8Array>): Slice => {
      put(new Uint8Array(alignUp(this.offset - start, SLICE_ALIGNMENT) - (this.offset - start)));
      const offset = this.offset - start;
      for (const chunk of chunks) put(chunk);
      return { offset, length: this.offset - start - offset };
    };
    const end = (): void => {
      this.sections.push({ name, offset: start, length: this.offset - start, checksum });
    };
    return { append, end };
  }

  /** The sections written so far. */
  get writtenSections(): readonly Section[] {
    return this.sections;
  }

  /** Writes manifest and header. Returns the file's length in bytes. */
  finish(manifest: Omit<Manifest, 'sections'>): number {
    this.padTo(PAGE_BYTES);
    const manifestOffset = this.offset;
    const manifestBytes = encodeManifest({ ...manifest, sections: this.sections });
    this.write(manifestBytes);
    const header = encodeHeader(
      {
        fileLength: this.offset,
        manifestOffset,
        manifestLength: manifestBytes.length,
        manifestChecksum: checksumOf(manifestBytes),
      },
      formatVersionOf(this.sections),
    );
    writeWhole(this.fd, header, 0);
    return this.offset;
  }

  /** Flushes the file to disk. */
  async sync(): Promise<void> {
    await syncFile(this.fd);
  }

  private padTo(alignment: number): void {
    this.write(new Uint8Array(alignUp(this.offset, alignment) - this.offset));
  }

  private write(bytes: Uint8Array): void {
    checkFileLength(this.offset + bytes.length);
    writeWhole(this.fd, bytes, this.offset);
    this.offset += bytes.length;
  }
}

/* Writes the sections of a snapshot that follow the places' answers, which are in the file already. */

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
  const version = versionFor((name) => kept.some(({ slices }) => (slices[sliceIndexOf(name) - 1] ?? []).length > 0));
  for (const name of sectionsOf(version).country.slice(1)) {
    const section = writer.beginSection(name);
    const index = sliceIndexOf(name) - 1;
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
    'country-answers': () => buildCountryAnswers(countries, details, siteUrl),
    'country-grid': () => grid,
    'world-name-index': () => names,
    'world-postcodes': () => postcodes,
    [COUNTRY_NAMES_SECTION]: listCountryNames,
  };
  for (const name of sectionsOf(formatVersionOf(writer.writtenSections)).world) {
    const section = writer.beginSection(name);
    section.append(sections[name]());
    section.end();
  }
}
