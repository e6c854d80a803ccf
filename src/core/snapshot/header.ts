/**
 * The first page of a snapshot: the kind of file, its length and the position of its manifest; and the names and the
 * order of the sections that follow. The first 48 bytes are
 * used, the rest of the page is zero. The header is written last, so the file of an interrupted build has none.
 *
 *   0         8         12        16        24        32        40          44           48
 *   ├ magic ──┼ version ┼ u32 0 ──┼ u64 ────┼ u64 ────┼ u64 ────┼ u32 ──────┼ u32 ───────┤ zeros to 4096
 *   8 bytes   u32                 file      manifest  manifest  CRC-32 of   CRC-32 of
 *                                 length    offset    length    manifest    bytes 0 to 43
 *
 * The magic is 89 50 50 53 0D 0A 1A 0A ("‰PPS", then line ends and end-of-file): like PNG's, it shows a transfer that
 * changed line ends or cleared the eighth bit.
 */

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SnapshotError } from './snapshot-error.js';

/*
 * The sections of a snapshot, in the order of the file. Each structure has one section. A country section holds one
 * slice for each country with data, in order of the country's code; a world section is a single slice. A new structure
 * takes a name here, its layout in this folder, and a file of the same name in the builder. (The sections
 * `place-answers` and `country-answers` are the structures rendered-places and rendered-countries.)
 */

/** Alignment of sections in bytes: a memory page, so that a section can be mapped or read ahead separately. */
export const PAGE_BYTES = 4096;

/** Alignment of slices in bytes from their section's start: a cache line. */
export const SLICE_ALIGNMENT = 64;

/** The structures of a country. `place-answers` comes first: it is the largest section, and the builder streams it. */
export const COUNTRY_SECTIONS = [
  'place-answers',
  'place-tree',
  'path-trie',
  'id-index',
  'postcode-index',
  'place-orders',
  'point-index',
  'place-positions',
  'name-index',
  'place-contexts',
  'old-paths',
  'place-facts',
] as const;

export const WORLD_SECTIONS = ['country-answers', 'country-grid', 'world-name-index', 'world-postcodes'] as const;

/** The sections of a snapshot with neither full codes nor names in other languages. */
export const SECTIONS = [...COUNTRY_SECTIONS, ...WORLD_SECTIONS] as const;

/**
 * The structure of countries with full codes. A snapshot has this section, behind the other country sections, from
 * FULL_CODES_VERSION on, with an empty slice for each country with data that has no full codes.
 */
export const FULL_CODES_SECTION = 'full-codes' as const;

/** The format version of a snapshot with full codes and without names in other languages. */
export const FULL_CODES_VERSION = 10;

/**
 * The structure of countries with names in other languages, and the one of the world with those of countries. A snapshot
 * has both sections, and that of full codes, only if it has such names; then it has NAMES_VERSION. They are behind the
 * other country sections and the other world sections.
 */
export const NAMES_SECTION = 'names-by-language' as const;
export const COUNTRY_NAMES_SECTION = 'country-names-by-language' as const;

/** The format version of a snapshot with names in other languages. */
export const NAMES_VERSION = 11;

/** The newest format version that this program reads. */
export const NEWEST_VERSION = NAMES_VERSION;

/**
 * Number of country and world sections of each earlier format version whose places a build can compare with its own.
 * New structures were appended, so these are the first of COUNTRY_SECTIONS and of WORLD_SECTIONS.
 */
const EARLIER_SECTION_COUNTS: Readonly<Record<number, { readonly country: number; readonly world: number }>> = {
  6: { country: 10, world: 3 },
  7: { country: 11, world: 3 },
};

/** The country sections and the world sections of a format version, in order. */
export function sectionsOf(version: number) {
  const counts = EARLIER_SECTION_COUNTS[version];
  const country: CountrySectionName[] = COUNTRY_SECTIONS.slice(0, counts?.country);
  const world: WorldSectionName[] = WORLD_SECTIONS.slice(0, counts?.world);
  if (version >= FULL_CODES_VERSION) country.push(FULL_CODES_SECTION);
  if (version >= NAMES_VERSION) {
    country.push(NAMES_SECTION);
    world.push(COUNTRY_NAMES_SECTION);
  }
  return { country, world };
}

/** The format version of a snapshot; `hasAny` tells whether a country has something in a section. */
export function versionFor(hasAny: (name: CountrySectionName) => boolean): number {
  if (hasAny(NAMES_SECTION)) return NAMES_VERSION;
  return hasAny(FULL_CODES_SECTION) ? FULL_CODES_VERSION : FORMAT_VERSION;
}

const ALL_COUNTRY_SECTIONS: readonly CountrySectionName[] = [...COUNTRY_SECTIONS, FULL_CODES_SECTION, NAMES_SECTION];

/** The number of a country section, and of its slice among those of a country. */
export function sliceIndexOf(name: CountrySectionName): number {
  return ALL_COUNTRY_SECTIONS.indexOf(name);
}

export type CountrySectionName = (typeof COUNTRY_SECTIONS)[number] | typeof FULL_CODES_SECTION | typeof NAMES_SECTION;
export type WorldSectionName = (typeof WORLD_SECTIONS)[number] | typeof COUNTRY_NAMES_SECTION;
export type SectionName = CountrySectionName | WorldSectionName;

/*
 * The checksum of snapshots: CRC-32 (ISO 3309, as in zip and PNG), which Node's zlib computes at about 5 GB/s. It
 * detects damage, not forgery: a file from a source that you don't trust needs a signature.
 */

/**
 * CRC-32 of `bytes`, an unsigned 32-bit integer. For data in parts, pass the value of the preceding part as `previous`.
 */
export function checksumOf(bytes: Uint8Array, previous = 0): number {
  // An empty buffer has a null pointer, for which zlib returns the initial value instead of `previous`.
  return bytes.length === 0 ? previous : crc32(bytes, previous);
}

/** The format version of a snapshot with neither full codes nor names in other languages. */
export const FORMAT_VERSION = 9;
/** The oldest format version whose places a build can compare with its own: see decodePreviousManifest. */
export const OLDEST_PREVIOUS_VERSION = 6;
export const HEADER_BYTES = PAGE_BYTES;

/**
 * Maximum length of a snapshot in bytes: 4 GiB, the largest buffer of Node 20. A snapshot of the world is a sixth of
 * it.
 */
export const MAX_SNAPSHOT_BYTES = 2 ** 32;
/** Maximum length of a manifest in bytes: 16 MiB, hundreds of times the manifest of the world. */
const MAX_MANIFEST_BYTES = 1 << 24;

const MAGIC = Uint8Array.of(0x89, 0x50, 0x50, 0x53, 0x0d, 0x0a, 0x1a, 0x0a);
const CHECKED_BYTES = 44;
const USED_BYTES = 48;

export interface Header {
  readonly version: number;
  readonly fileLength: number;
  readonly manifestOffset: number;
  readonly manifestLength: number;
  readonly manifestChecksum: number;
}

/** The format version of a snapshot with these sections. */
export function formatVersionOf(sections: readonly { readonly name: SectionName }[]): number {
  return versionFor((one) => sections.some(({ name }) => name === one));
}

/** Whether this program serves snapshots of a format version. */
export function isReadableVersion(version: number): boolean {
  return version >= FORMAT_VERSION && version <= NEWEST_VERSION;
}

/** The header page, 4096 bytes. */
export function encodeHeader(header: Omit<Header, 'version'>, version = FORMAT_VERSION): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint32(8, version, true);
  view.setBigUint64(16, BigInt(header.fileLength), true);
  view.setBigUint64(24, BigInt(header.manifestOffset), true);
  view.setBigUint64(32, BigInt(header.manifestLength), true);
  view.setUint32(40, header.manifestChecksum, true);
  view.setUint32(CHECKED_BYTES, checksumOf(bytes.subarray(0, CHECKED_BYTES)), true);
  return bytes;
}

/** Whether the bytes at the start of a file say that it is a snapshot, of whatever version, whole or not. */
export function startsAsSnapshot(start: Uint8Array): boolean {
  return MAGIC.every((byte, index) => start[index] === byte);
}

/**
 * Reads and checks the header page of a file of `fileLength` bytes, of format version `oldestVersion` or later. Throws
 * SnapshotError: FILE_TOO_SHORT, NOT_A_SNAPSHOT, FORMAT_VERSION, HEADER_DAMAGED, PADDING_NOT_ZERO, LENGTH_MISMATCH,
 * FILE_TOO_LONG.
 */
export function decodeHeader(page: Uint8Array, fileLength: number, oldestVersion = FORMAT_VERSION): Header {
  if (fileLength < HEADER_BYTES || page.length < HEADER_BYTES) {
    throw new SnapshotError('FILE_TOO_SHORT', `at least ${HEADER_BYTES} bytes`, `${fileLength} bytes`);
  }
  if (!startsAsSnapshot(page)) {
    throw new SnapshotError(
      'NOT_A_SNAPSHOT',
      `a file that starts with ${hexOf(MAGIC)}`,
      hexOf(page.subarray(0, MAGIC.length)),
      'give a file that postal-places build wrote',
    );
  }
  const view = new DataView(page.buffer, page.byteOffset, HEADER_BYTES);
  // The version is checked before the checksum, because a later version may store the checksum elsewhere.
  const version = view.getUint32(8, true);
  if (version < oldestVersion || version > NEWEST_VERSION) {
    throw new SnapshotError(
      'FORMAT_VERSION',
      `format version ${oldestVersion} to ${NEWEST_VERSION}`,
      `version ${version}`,
      version > NEWEST_VERSION ? 'use a newer release of this program' : 'build the snapshot again',
    );
  }
  const checksum = checksumOf(page.subarray(0, CHECKED_BYTES));
  if (view.getUint32(CHECKED_BYTES, true) !== checksum || view.getUint32(12, true) !== 0) {
    throw new SnapshotError('HEADER_DAMAGED', 'a header that matches its checksum', `checksum ${checksum}`);
  }
  if (page.subarray(USED_BYTES, HEADER_BYTES).some((byte) => byte !== 0)) {
    throw new SnapshotError('PADDING_NOT_ZERO', `zeros from byte ${USED_BYTES} to ${HEADER_BYTES}`, 'other bytes');
  }
  const header: Header = {
    version,
    fileLength: Number(view.getBigUint64(16, true)),
    manifestOffset: Number(view.getBigUint64(24, true)),
    manifestLength: Number(view.getBigUint64(32, true)),
    manifestChecksum: view.getUint32(40, true),
  };
  if (header.fileLength !== fileLength) {
    throw new SnapshotError('LENGTH_MISMATCH', `${header.fileLength} bytes`, `${fileLength} bytes`);
  }
  checkFileLength(fileLength);
  if (
    header.manifestOffset < HEADER_BYTES ||
    header.manifestOffset % PAGE_BYTES !== 0 ||
    header.manifestLength > MAX_MANIFEST_BYTES ||
    header.manifestOffset + header.manifestLength !== fileLength
  ) {
    throw new SnapshotError(
      'HEADER_DAMAGED',
      'a manifest that ends the file',
      `${header.manifestLength} bytes at ${header.manifestOffset}`,
    );
  }
  return header;
}

/** Throws SnapshotError FILE_TOO_LONG for a file longer than MAX_SNAPSHOT_BYTES, which no server could open. */
export function checkFileLength(fileLength: number): void {
  if (fileLength <= MAX_SNAPSHOT_BYTES) return;
  throw new SnapshotError(
    'FILE_TOO_LONG',
    `at most ${MAX_SNAPSHOT_BYTES} bytes`,
    `${fileLength} bytes`,
    'build snapshots of fewer countries',
  );
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/* The id of a snapshot's content: the start of the SHA-256 of its manifest, which holds every section's checksum. */

const ID_LENGTH = 16;

/** 16 hexadecimal digits, lower case. */
export function snapshotIdOf(manifestBytes: Uint8Array): string {
  return hash('sha256', manifestBytes, 'hex').slice(0, ID_LENGTH);
}

export function isSnapshotId(value: unknown): value is string {
  return typeof value === 'string' && value.length === ID_LENGTH && /^[0-9a-f]+$/.test(value);
}
