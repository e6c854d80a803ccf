/**
 * Reads a snapshot in parts, so that verification needs memory for a part and not for the file. (The server maps its
 * snapshot. Here mapped pages would count as memory of the process.)
 */
import { closeSync } from 'node:fs';
import { type Header, OLDEST_PREVIOUS_VERSION } from '../format/header.js';
import {
  type CountryEntry,
  decodeManifest,
  decodePreviousManifest,
  type Manifest,
  type Section,
  type Slice,
} from '../format/manifest.js';
import { COUNTRY_SECTIONS, type CountrySectionName, SECTIONS, type SectionName } from '../format/sections.js';
import { snapshotIdOf } from '../format/snapshot-id.js';
import { openShared, readHeader, readInto } from './open-file.js';

/** Opens a file, calls `use` with its descriptor and closes it. Throws SnapshotError FILE_UNREADABLE. */
export function withFile<T>(path: string, use: (fd: number) => T): T {
  const fd = openShared(path);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

export interface SnapshotContents {
  readonly header: Header;
  readonly manifest: Manifest;
  /** See Snapshot. */
  readonly id: string;
}

/** The checked header and manifest. Throws SnapshotError. */
export function readContents(fd: number): SnapshotContents {
  const header = readHeader(fd);
  const bytes = readBytes(fd, header.manifestOffset, header.manifestLength);
  return { header, manifest: decodeManifest(bytes, header), id: snapshotIdOf(bytes) };
}

/** The same of a snapshot whose places are compared and not looked up: see decodePreviousManifest. */
export function readPreviousContents(fd: number): SnapshotContents {
  const header = readHeader(fd, OLDEST_PREVIOUS_VERSION);
  const bytes = readBytes(fd, header.manifestOffset, header.manifestLength);
  return { header, manifest: decodePreviousManifest(bytes, header), id: snapshotIdOf(bytes) };
}

/** A whole section. */
export function readSection(fd: number, sections: readonly Section[], name: SectionName): Uint8Array {
  const { offset, length } = sections[SECTIONS.indexOf(name)] as Section;
  return readBytes(fd, offset, length);
}

/** A country's slice of a section; empty if the country has no postcode data. */
export function readSlice(
  fd: number,
  sections: readonly Section[],
  { slices }: CountryEntry,
  name: CountrySectionName,
): Uint8Array {
  const { offset, length } = slicePosition(sections, { slices }, name);
  return readBytes(fd, offset, length);
}

/** The position of a country's slice in the file; empty if the country has no postcode data. */
export function slicePosition(
  sections: readonly Section[],
  { slices }: Pick<CountryEntry, 'slices'>,
  name: CountrySectionName,
): Slice {
  const index = COUNTRY_SECTIONS.indexOf(name);
  const { offset, length } = slices[index] ?? { offset: 0, length: 0 };
  return { offset: (sections[index]?.offset ?? 0) + offset, length };
}

/** Exactly `length` bytes from `offset` in a new buffer. Throws SnapshotError FILE_TOO_SHORT. */
export function readBytes(fd: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  readInto(fd, offset, bytes);
  return bytes;
}
