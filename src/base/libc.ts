/**
 * The calls of libc that node:fs lacks: mapping a file into memory, and locks between processes. The only file that
 * imports koffi. Windows has neither; the caller handles that.
 */

import koffi from 'koffi';
import { callNative } from './thread.js';

export interface Libc {
  /** Maps `length` bytes of a file for reading, shared with every process; undefined where the file system refuses. */
  map(length: number, fd: number): Mapping | undefined;
  unmap(mapping: Pick<Mapping, 'address' | 'length'>): void;
  /**
   * Takes a lock of an open file (flock) without waiting: any number of open files of all processes share it, or one
   * has it alone. It goes when the file is closed, so with its process, however that ends.
   */
  tryLock(fd: number, kind: 'shared' | 'exclusive'): LockOutcome;
  unlock(fd: number): void;
}

/** `held`: by another open file, so that this one can't have it. `unsupported`: this file can't be locked at all. */
export type LockOutcome = 'taken' | 'held' | 'unsupported';

export interface Mapping {
  readonly address: bigint;
  readonly length: number;
  /** Must not be touched after `unmap`. */
  readonly buffer: ArrayBuffer;
}

const PROT_READ = 1;
const MAP_SHARED = 1;
const MAP_FAILED = 0xffffffffffffffffn;
const LOCKS = { shared: 1, exclusive: 2 };
const LOCK_NB = 4;
const LOCK_UN = 8;

let loaded: Libc | undefined;

/** Loaded once, since koffi never unloads a library; undefined on Windows. */
export function libc(): Libc | undefined {
  if (process.platform !== 'win32') loaded ??= callNative(load);
  return loaded;
}

function load(): Libc {
  // The process itself has libc loaded, whichever one that is (glibc, musl, libSystem).
  const library = koffi.load(null);
  const mmap = library.func(
    'void *mmap(void *address, size_t length, int protection, int flags, int fd, int64_t offset)',
  );
  const munmap = library.func('int munmap(uintptr_t address, size_t length)');
  const flock = library.func('int flock(int fd, int operation)');
  return {
    map: (length, fd) =>
      callNative(() => {
        const address = mmap(null, length, PROT_READ, MAP_SHARED, fd, 0) as bigint;
        if (address === MAP_FAILED) return undefined;
        return { address, length, buffer: koffi.view(address, length) as ArrayBuffer };
      }),
    unmap: ({ address, length }) => callNative(() => munmap(address, length)),
    tryLock: (fd, kind) =>
      callNative(() => {
        if (flock(fd, LOCKS[kind] | LOCK_NB) === 0) return 'taken';
        return koffi.errno() === koffi.os.errno.EAGAIN ? 'held' : 'unsupported';
      }),
    unlock: (fd) => callNative(() => flock(fd, LOCK_UN)),
  };
}
