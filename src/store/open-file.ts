/**
 * A snapshot file's bytes for reading, mapped into memory: nothing is copied, every process shares the pages, and opening
 * costs under a millisecond whatever the size. Where there is no mmap (Windows), or the file system refuses it, the file
 * is read into memory instead, and `mapped` says so. This is the only file I/O of the server's data path.
 *
 * The bytes must never be written to: the mapping is read-only, and a write would end the process. The mapping goes
 * when the garbage collector finds that nobody holds the buffer any more, so it cannot go too early. As long as it is
 * there the file stays open and locked (shared), which tells `build-index prune` to leave it alone.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { decodeHeader, HEADER_BYTES, type Header } from '../format/header.js';
import { SnapshotError } from '../format/snapshot-error.js';
import { type Libc, libc, type Mapping } from '../platform/libc.js';

interface OpenFile {
  readonly bytes: Uint8Array;
  readonly mapped: boolean;
}

/** One call takes no more than 2 GiB. */
const MAX_READ_BYTES = 1 << 30;

/** Opens a snapshot file. Throws SnapshotError FILE_UNREADABLE, and what decodeHeader throws. */
export function openFile(path: string): OpenFile {
  const fd = openShared(path);
  let isMapped = false;
  try {
    // Read before mapping: to map more than a buffer can hold ends the process, whatever the file is.
    const { fileLength } = readHeader(fd);
    const mapped = mapWhole(fd, fileLength);
    isMapped = mapped !== undefined;
    return { bytes: mapped ?? readWhole(fd, fileLength), mapped: isMapped };
  } catch (error) {
    throw error instanceof SnapshotError ? error : unreadable(path, error);
  } finally {
    // A mapping outlives its descriptor, but not the descriptor's lock.
    if (!isMapped) closeSync(fd);
  }
}

/**
 * A descriptor of a regular file that says, until it is closed, that the file is in use: who removes snapshots locks
 * them alone first. Where files can't be locked it says nothing. Throws SnapshotError FILE_UNREADABLE.
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

/** A descriptor of a regular file. Throws SnapshotError FILE_UNREADABLE. */
function openForReading(path: string): number {
  try {
    // Asked before opening: a named pipe would keep the opener waiting for a writer.
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

/** Fills `bytes` with what is in the file from `offset`. Throws SnapshotError FILE_TOO_SHORT. */
export function readInto(fd: number, offset: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(fd, bytes, done, Math.min(bytes.length - done, MAX_READ_BYTES), offset + done);
    if (count === 0) throw new SnapshotError('FILE_TOO_SHORT', `${bytes.length} bytes at ${offset}`, `${done} bytes`);
    done += count;
  }
}

/** A snapshot's header, checked: the file has the length that it names. Throws what decodeHeader throws. */
export function readHeader(fd: number): Header {
  const { size } = fstatSync(fd);
  const page = new Uint8Array(Math.min(size, HEADER_BYTES));
  readInto(fd, 0, page);
  return decodeHeader(page, size);
}

function readWhole(fd: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  readInto(fd, 0, bytes);
  return bytes;
}

/** Undefined where the platform has no mmap, or the file system refuses it; else `fd` is closed along with the mapping. */
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

/** Lets go of what nobody can reach any more. The held value must not reach the buffer, or it would live for ever. */
function mappings(calls: Libc): FinalizationRegistry<MappedFile> {
  registry ??= new FinalizationRegistry(({ fd, ...mapping }) => {
    calls.unmap(mapping);
    closeSync(fd);
  });
  return registry;
}
