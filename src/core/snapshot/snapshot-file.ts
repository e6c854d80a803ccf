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
import { type Libc, libc, type Mapping } from '../../base/libc.js';
import { decodeHeader, HEADER_BYTES, type Header } from './header.js';
import {
  type CountryEntry,
  decodeManifest,
  decodePreviousManifest,
  type Manifest,
  type Section,
  type Slice,
} from './manifest.js';
import { type CountrySectionName, OLDEST_PREVIOUS_VERSION, type SectionName, sectionIndexOf } from './sections.js';
import { SnapshotError } from './snapshot-error.js';
import { snapshotIdOf } from './snapshot-id.js';

interface OpenFile {
  readonly bytes: Uint8Array;
  readonly mapped: boolean;
}

/** Maximum number of bytes of one read: 1 GiB, since a system call reads less than 2 GiB. */
const MAX_READ_BYTES = 1 << 30;

/** Opens a snapshot file, and checks its header. */
export function openFile(path: string): OpenFile {
  const fd = openSnapshotFile(path);
  let isMapped = false;
  try {
    // The header is checked first, because mapping more than a buffer can hold ends the process.
    const { fileLength } = readHeader(fd);
    const mapped = mapWhole(fd, fileLength);
    isMapped = mapped !== undefined;
    return { bytes: mapped ?? readFileBytes(fd, 0, fileLength), mapped: isMapped };
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
 * files.
 */
export function openSnapshotFile(path: string): number {
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

/** As openSnapshotFile; undefined where the file can't be read. */
export function openSnapshotFileIfPossible(path: string): number | undefined {
  try {
    return openSnapshotFile(path);
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

/** A descriptor of a regular file. */
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

/** Fills `bytes` from the file, starting at `offset`. */
export function readInto(fd: number, offset: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(fd, bytes, done, Math.min(bytes.length - done, MAX_READ_BYTES), offset + done);
    if (count === 0) throw new SnapshotError('FILE_TOO_SHORT', `${bytes.length} bytes at ${offset}`, `${done} bytes`);
    done += count;
  }
}

/** The checked header of a snapshot file. `oldestVersion` and the errors are those of decodeHeader. */
function readHeader(fd: number, oldestVersion?: number): Header {
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

/** Opens a file, calls `use` with its descriptor and closes it. */
export function withFile<T>(path: string, use: (fd: number) => T): T {
  const fd = openSnapshotFile(path);
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

/** The checked header and manifest. */
export function readSnapshotContents(fd: number): SnapshotContents {
  const header = readHeader(fd);
  const bytes = readFileBytes(fd, header.manifestOffset, header.manifestLength);
  return { header, manifest: decodeManifest(bytes, header), id: snapshotIdOf(bytes) };
}

/** The same of a snapshot whose places are compared and not looked up: see decodePreviousManifest. */
export function readPreviousSnapshotContents(fd: number): SnapshotContents {
  const header = readHeader(fd, OLDEST_PREVIOUS_VERSION);
  const bytes = readFileBytes(fd, header.manifestOffset, header.manifestLength);
  return { header, manifest: decodePreviousManifest(bytes, header), id: snapshotIdOf(bytes) };
}

/** A whole section. */
export function readSection(fd: number, sections: readonly Section[], name: SectionName): Uint8Array {
  const { offset, length } = sections.find((section) => section.name === name) as Section;
  return readFileBytes(fd, offset, length);
}

/** A country's slice of a section; empty if the country has no such data. */
export function readSlice(
  fd: number,
  sections: readonly Section[],
  { slices }: CountryEntry,
  name: CountrySectionName,
): Uint8Array {
  const { offset, length } = slicePosition(sections, { slices }, name);
  return readFileBytes(fd, offset, length);
}

/** The position of a country's slice in the file; empty if the country has no such data. */
function slicePosition(
  sections: readonly Section[],
  { slices }: Pick<CountryEntry, 'slices'>,
  name: CountrySectionName,
): Slice {
  const index = sectionIndexOf(name);
  const { offset, length } = slices[index] ?? { offset: 0, length: 0 };
  return { offset: (sections[index]?.offset ?? 0) + offset, length };
}

/** Exactly `length` bytes from `offset` in a new buffer. */
export function readFileBytes(fd: number, offset: number, length: number): Uint8Array {
  // Memory that is filled at once need not be zeros before.
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
  readInto(fd, offset, bytes);
  return bytes;
}

/* Reads ranges of a file in pieces, so that copying and digesting them needs memory for a piece. */

/** Maximum length of a piece, in bytes: 1 MiB, beyond which copying gets no faster. */
const PIECE_BYTES = 1 << 20;

/**
 * The ranges (offsets from the start of the file) in order. Each piece uses the memory of the one before.
 */
export function* readFilePieces(fd: number, ranges: readonly Slice[]): Generator<Uint8Array> {
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
