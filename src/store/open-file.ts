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
import { decodeHeader, HEADER_BYTES, type Header } from '../format/header.js';
import { SnapshotError } from '../format/snapshot-error.js';
import { type Libc, libc, type Mapping } from '../platform/libc.js';

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
    return { bytes: mapped ?? readWhole(fd, fileLength), mapped: isMapped };
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

function readWhole(fd: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  readInto(fd, 0, bytes);
  return bytes;
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
