/**
 * A file's bytes for reading, mapped into memory: nothing is copied, every process shares the pages, and opening costs
 * under a millisecond whatever the size. Where there is no mmap (Windows), or the file system refuses it, the file is read
 * into memory instead, and `mapped` says so. This is the only file I/O of the server's data path, and the only file
 * that imports koffi.
 *
 * The bytes must never be written to: the mapping is read-only, and a write would end the process. The mapping goes
 * when the garbage collector finds that nobody holds the buffer any more, so it cannot go too early.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import koffi from 'koffi';
import { SnapshotError } from '../format/snapshot-error.js';

export interface OpenFile {
  readonly bytes: Uint8Array;
  readonly mapped: boolean;
}

/** One call takes no more than 2 GiB. */
const MAX_READ_BYTES = 1 << 30;

const PROT_READ = 1;
const MAP_SHARED = 1;
const MAP_FAILED = 0xffffffffffffffffn;

/** libc's own two calls. `map` gives the address, or undefined where the mapping fails. */
interface MappingCalls {
  readonly map: (length: number, fd: number) => bigint | undefined;
  readonly unmap: (address: bigint, length: number) => void;
}

/** Opens a file. Throws SnapshotError FILE_UNREADABLE, or FILE_TOO_SHORT for an empty one. */
export function openFile(path: string): OpenFile {
  const fd = openForReading(path);
  try {
    const info = fstatSync(fd);
    if (info.size === 0) throw new SnapshotError('FILE_TOO_SHORT', 'a snapshot', 'an empty file');
    const mapped = mapWhole(fd, info.size);
    return mapped === undefined ? { bytes: readWhole(fd, info.size), mapped: false } : { bytes: mapped, mapped: true };
  } catch (error) {
    throw error instanceof SnapshotError ? error : unreadable(path, error);
  } finally {
    // A mapping outlives its descriptor.
    closeSync(fd);
  }
}

/** A descriptor of a regular file. Throws SnapshotError FILE_UNREADABLE. */
export function openForReading(path: string): number {
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

function readWhole(fd: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  readInto(fd, 0, bytes);
  return bytes;
}

/** Undefined where the platform has no mmap, or the file system refuses it. */
function mapWhole(fd: number, length: number): Uint8Array | undefined {
  const calls = mappingCalls();
  const address = calls?.map(length, fd);
  if (calls === undefined || address === undefined) return undefined;
  const buffer = koffi.view(address, length) as ArrayBuffer;
  mappings(calls).register(buffer, { address, length });
  return new Uint8Array(buffer);
}

let registry: FinalizationRegistry<{ address: bigint; length: number }> | undefined;

/** Unmaps what nobody can reach any more. The held value must not reach the buffer, or it would live for ever. */
function mappings({ unmap }: MappingCalls): FinalizationRegistry<{ address: bigint; length: number }> {
  registry ??= new FinalizationRegistry(({ address, length }) => unmap(address, length));
  return registry;
}

let calls: MappingCalls | undefined;

/** Loaded once, since koffi keeps what it loads; undefined where the platform has no mmap. */
function mappingCalls(): MappingCalls | undefined {
  if (process.platform !== 'win32') calls ??= loadMappingCalls();
  return calls;
}

function loadMappingCalls(): MappingCalls {
  // The process itself has libc loaded, whichever one that is (glibc, musl, libSystem).
  const libc = koffi.load(null);
  const mmap = libc.func('void *mmap(void *address, size_t length, int protection, int flags, int fd, int64_t offset)');
  const munmap = libc.func('int munmap(uintptr_t address, size_t length)');
  return {
    map(length, fd) {
      const address = mmap(null, length, PROT_READ, MAP_SHARED, fd, 0) as bigint;
      return address === MAP_FAILED ? undefined : address;
    },
    unmap(address, length) {
      munmap(address, length);
    },
  };
}
