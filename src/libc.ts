/**
 * The calls of libc that node:fs lacks: mapping a file into memory, and locks between processes. The only file that
 * imports koffi. Windows has neither; what that means is for the caller to decide.
 */

import koffi from 'koffi';

export interface Libc {
  /** Maps `length` bytes of a file for reading, shared with every process; undefined where the file system refuses. */
  map(length: number, fd: number): Mapping | undefined;
  unmap(mapping: Pick<Mapping, 'address' | 'length'>): void;
  /** Takes the lock of an open file that only one open file of all processes has (flock, LOCK_EX), if nobody has it. */
  tryLock(fd: number): boolean;
  unlock(fd: number): void;
}

export interface Mapping {
  readonly address: bigint;
  readonly length: number;
  /** Must not be touched after `unmap`. */
  readonly buffer: ArrayBuffer;
}

const PROT_READ = 1;
const MAP_SHARED = 1;
const MAP_FAILED = 0xffffffffffffffffn;
const LOCK_EX = 2;
const LOCK_NB = 4;
const LOCK_UN = 8;

let loaded: Libc | undefined;

/** Loaded once, since koffi keeps what it loads; undefined on Windows. */
export function libc(): Libc | undefined {
  if (process.platform !== 'win32') loaded ??= load();
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
    map(length, fd) {
      const address = mmap(null, length, PROT_READ, MAP_SHARED, fd, 0) as bigint;
      if (address === MAP_FAILED) return undefined;
      return { address, length, buffer: koffi.view(address, length) as ArrayBuffer };
    },
    unmap({ address, length }) {
      munmap(address, length);
    },
    tryLock(fd) {
      return flock(fd, LOCK_EX | LOCK_NB) === 0;
    },
    unlock(fd) {
      flock(fd, LOCK_UN);
    },
  };
}
