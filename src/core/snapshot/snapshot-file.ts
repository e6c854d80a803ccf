/**
 * Maps a snapshot file into memory, read-only: nothing is copied, all processes share the pages, and opening takes less
 * than a millisecond whatever the size. If there is no mmap (Windows), or the file system refuses it, the file is read
 * into memory instead, and `mapped` is false. This is the only file I/O of the server's data path.
 *
 * Never write to the bytes: the mapping is read-only, and a write would end the process. The file is unmapped when the
 * garbage collector frees the buffer, so it cannot be unmapped too early. Until then it stays open and locked (shared),
 * which tells `postal-places prune` that it is in use.
 */

import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { runCooperatively, runSync, type Steps } from '../../base/cooperative.js';
import { type Libc, libc, type Mapping } from '../../base/libc.js';
import {
  type CountrySectionName,
  checksumOf,
  decodeHeader,
  HEADER_BYTES,
  type Header,
  OLDEST_PREVIOUS_VERSION,
  type SectionName,
  sliceIndexOf,
  snapshotIdOf,
} from './header.js';
import {
  type CountryEntry,
  decodeManifest,
  decodePreviousManifest,
  type Manifest,
  type Section,
  type Slice,
} from './manifest.js';
import { SnapshotError } from './snapshot-error.js';

interface OpenFile {
  readonly bytes: Uint8Array;
  readonly mapped: boolean;
}

/** Maximum number of bytes of one read: 1 GiB, since a system call reads less than 2 GiB. */
const MAX_READ_BYTES = 1 << 30;

/** Opens a snapshot file. Throws SnapshotError FILE_UNREADABLE, and the errors of decodeHeader. */
export function openFile(path: string): OpenFile {
  const fd = openShared(path);
  let isMapped = false;
  try {
    // The header is checked first, because mapping more than a buffer can hold ends the process.
    const { fileLength } = readHeader(fd);
    const mapped = mapWhole(fd, fileLength);
    isMapped = mapped !== undefined;
    return { bytes: mapped ?? readBytes(fd, 0, fileLength), mapped: isMapped };
  } catch (error) {
    throw error instanceof SnapshotError ? error : unreadable(path, error);
  } finally {
    // A mapping stays valid after its descriptor is closed, but closing releases the lock.
    if (!isMapped) closeSync(fd);
  }
}

/**
 * A descriptor of a regular file with a shared lock, which marks the file as in use until the descriptor is closed:
 * `postal-places prune` takes an exclusive lock before it removes a file. Without a lock if the platform can't lock
 * files. Throws SnapshotError FILE_UNREADABLE.
 */
export function openShared(path: string): number {
  const fd = openForReading(path);
  if (libc()?.tryLock(fd, 'shared') !== 'held') return fd;
  closeSync(fd);
  throw new SnapshotError(
    'FILE_UNREADABLE',
    `to read ${path}`,
    'that it is being removed',
    'open the current snapshot',
  );
}

/** As openShared; undefined where the file can't be read. */
export function openSharedIfPossible(path: string): number | undefined {
  try {
    return openShared(path);
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

/** A descriptor of a regular file. Throws SnapshotError FILE_UNREADABLE. */
function openForReading(path: string): number {
  try {
    // Checked before opening, because opening a named pipe waits for a writer.
    if (!statSync(path).isFile()) throw new Error('it is no regular file');
    return openSync(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): SnapshotError {
  const remedy = 'check that the path is right and that this user may read the file';
  return new SnapshotError('FILE_UNREADABLE', `to read ${path}`, (error as Error).message, remedy);
}

/** Fills `bytes` from the file, starting at `offset`. Throws SnapshotError FILE_TOO_SHORT. */
export function readInto(fd: number, offset: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(fd, bytes, done, Math.min(bytes.length - done, MAX_READ_BYTES), offset + done);
    if (count === 0) throw new SnapshotError('FILE_TOO_SHORT', `${bytes.length} bytes at ${offset}`, `${done} bytes`);
    done += count;
  }
}

/** The checked header of a snapshot file. `oldestVersion` and the errors are those of decodeHeader. */
export function readHeader(fd: number, oldestVersion?: number): Header {
  const { size } = fstatSync(fd);
  const page = new Uint8Array(Math.min(size, HEADER_BYTES));
  readInto(fd, 0, page);
  return decodeHeader(page, size, oldestVersion);
}

/**
 * Maps the whole file; unmapping it also closes `fd`. Undefined if the platform has no mmap, or the file system refuses
 * it.
 */
function mapWhole(fd: number, length: number): Uint8Array | undefined {
  const calls = libc();
  const mapping = calls?.map(length, fd);
  if (calls === undefined || mapping === undefined) return undefined;
  const { address, buffer } = mapping;
  mappings(calls).register(buffer, { address, length, fd });
  return new Uint8Array(buffer);
}

type MappedFile = Pick<Mapping, 'address' | 'length'> & { readonly fd: number };

let registry: FinalizationRegistry<MappedFile> | undefined;

/**
 * Unmaps files whose buffer was freed. The held value must not reference the buffer, which would never be freed then.
 */
function mappings(calls: Libc): FinalizationRegistry<MappedFile> {
  registry ??= new FinalizationRegistry(({ fd, ...mapping }) => {
    calls.unmap(mapping);
    closeSync(fd);
  });
  return registry;
}

/*
 * Reads a snapshot in parts, so that verification needs memory for a part and not for the file. (The server maps its
 * snapshot. Here mapped pages would count as memory of the process.)
 */

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
  const { offset, length } = sections.find((section) => section.name === name) as Section;
  return readBytes(fd, offset, length);
}

/** A country's slice of a section; empty if the country has no such data. */
export function readSlice(
  fd: number,
  sections: readonly Section[],
  { slices }: CountryEntry,
  name: CountrySectionName,
): Uint8Array {
  const { offset, length } = slicePosition(sections, { slices }, name);
  return readBytes(fd, offset, length);
}

/** The position of a country's slice in the file; empty if the country has no such data. */
export function slicePosition(
  sections: readonly Section[],
  { slices }: Pick<CountryEntry, 'slices'>,
  name: CountrySectionName,
): Slice {
  const index = sliceIndexOf(name);
  const { offset, length } = slices[index] ?? { offset: 0, length: 0 };
  return { offset: (sections[index]?.offset ?? 0) + offset, length };
}

/** Exactly `length` bytes from `offset` in a new buffer. Throws SnapshotError FILE_TOO_SHORT. */
export function readBytes(fd: number, offset: number, length: number): Uint8Array {
  // Memory that is filled at once need not be zeros before.
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
  readInto(fd, offset, bytes);
  return bytes;
}

/* Reads ranges of a file in pieces, so that copying and digesting them needs memory for a piece. */

/** Maximum length of a piece, in bytes: 1 MiB, beyond which copying gets no faster. */
const PIECE_BYTES = 1 << 20;

/**
 * The ranges (offsets from the start of the file) in order. Each piece uses the memory of the one before. Throws
 * SnapshotError FILE_TOO_SHORT.
 */
export function* readPieces(fd: number, ranges: readonly Slice[]): Generator<Uint8Array> {
  const longest = ranges.reduce((most, { length }) => Math.max(most, length), 0);
  const memory = new Uint8Array(Math.min(longest, PIECE_BYTES));
  for (const { offset, length } of ranges) {
    for (let done = 0; done < length; done += memory.length) {
      const piece = memory.subarray(0, Math.min(memory.length, length - done));
      readInto(fd, offset + done, piece);
      yield piece;
    }
  }
}

/*
 * Page-aligned memory. A large buffer from malloc starts 16 bytes after the start of a page. Reading a file from the
 * page cache into such a buffer takes five times as long on an AMD EPYC.
 */

/** `length` bytes of zeros. */
export function allocatePageAligned(length: number): Uint8Array {
  // V8 allocates a resizable buffer from the system directly, in pages. This buffer never grows. The compiler's types
  // lack the option, hence Reflect.construct.
  const buffer: ArrayBuffer = Reflect.construct(ArrayBuffer, [length, { maxByteLength: length }]);
  return new Uint8Array(buffer, 0, length);
}

/* Checks every section of a snapshot file against its checksum in the manifest, and that the padding is zero. */

/** The number of bytes read at once: 256 KiB, which stays in the core's own cache until its checksum is computed. */
const CHUNK_BYTES = 1 << 18;

/**
 * Reads a whole file, open as `fd`; returns its header and manifest. Throws SnapshotError SECTION_DAMAGED,
 * SECTION_TABLE_INVALID or PADDING_NOT_ZERO, and whatever readContents throws.
 */
export function checkSections(fd: number): SnapshotContents {
  return runSync(checkInSteps(fd));
}

/**
 * The same, pausing between chunks, so that the process still handles signals. `read` reads and checks header and
 * manifest.
 */
export function checkSectionsCooperatively(fd: number, read = readContents): Promise<SnapshotContents> {
  return runCooperatively(checkInSteps(fd, read));
}

function* checkInSteps(fd: number, read = readContents): Steps<SnapshotContents> {
  const contents = read(fd);
  const { header, manifest } = contents;
  const chunk = allocatePageAligned(CHUNK_BYTES);
  let end = HEADER_BYTES;
  for (const section of manifest.sections) {
    checkPadding(fd, end, section.offset);
    end = section.offset + section.length;
    let checksum = 0;
    for (let offset = section.offset; offset < end; offset += CHUNK_BYTES) {
      const part = chunk.subarray(0, Math.min(CHUNK_BYTES, end - offset));
      readInto(fd, offset, part);
      checksum = checksumOf(part, checksum);
      yield;
    }
    if (checksum !== section.checksum) {
      throw new SnapshotError('SECTION_DAMAGED', `${section.name} with checksum ${section.checksum}`, `${checksum}`);
    }
  }
  checkPadding(fd, end, header.manifestOffset);
  return contents;
}

/**
 * Throws SnapshotError SECTION_TABLE_INVALID if the padding from `start` to `end` is a page or longer, PADDING_NOT_ZERO
 * if a byte isn't zero, FILE_TOO_SHORT if the file ends earlier.
 */
export function checkPadding(fd: number, start: number, end: number): void {
  if (end - start >= HEADER_BYTES) {
    throw new SnapshotError('SECTION_TABLE_INVALID', 'less than a page between sections', `${end - start} bytes`);
  }
  if (readBytes(fd, start, end - start).some((byte) => byte !== 0)) {
    throw new SnapshotError('PADDING_NOT_ZERO', `zeros from byte ${start} to ${end}`, 'other bytes');
  }
}
