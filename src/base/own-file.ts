/**
 * Opens files for writing in folders where other users may write too. Such a user can put a link or a pipe where this
 * program will look for its unfinished file, and the names of most of these can be guessed. So every such file is opened
 * here: a link is never followed, and only a regular file of this user with one name is written to. Where Windows lacks
 * links and owners, the checks of them are void.
 */

import { closeSync, constants, fstatSync, fsync, fsyncSync, lstatSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextRound, setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import koffi from 'koffi';
import { messageOf } from './errors.js';
import { callNative } from './thread.js';

const { O_APPEND, O_CREAT, O_EXCL, O_RDWR, O_WRONLY } = constants;
/** Follows no link, and does not wait for the other end of a pipe. */
export const UNFOLLOWED = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** The right of the group and of anybody else to write, and that of anybody else. */
const OTHERS_WRITE = 0o022;
const ANYBODY_WRITES = 0o002;
/** The bit of a folder such as /tmp where each user may remove and rename what is the user's own. */
const STICKY = 0o1000;
/** What opening nothing, a link, a pipe, a socket, a folder, or a file of another user fails with. */
const NOT_OWN = ['ENOENT', 'ELOOP', 'EMLINK', 'ENXIO', 'EISDIR', 'EACCES', 'EPERM'];

/**
 * Opens a file that an earlier run of this user left, for reading and writing, as it is; with a `createMode`, also
 * creates it. Undefined where there is none, or anything else has the name: createOwnFile replaces that. Throws what
 * node:fs throws otherwise.
 */
export function openOwnFile(path: string, createMode?: number): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, O_RDWR | UNFOLLOWED | (createMode === undefined ? 0 : O_CREAT), createMode);
  } catch (error) {
    if (NOT_OWN.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  const found = fstatSync(fd);
  if (found.isFile() && found.nlink === 1 && found.uid === (process.geteuid?.() ?? found.uid)) return fd;
  closeSync(fd);
  return undefined;
}

/**
 * Why another user may have put there what is at the path, or may put something else there; undefined where the file or the
 * folder is this user's and nobody else may write it, and where there is nothing. No link is followed.
 */
export function findForeignAccess(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (found.isSymbolicLink()) return `${path} is a link`;
    // Windows has neither owners nor such rights.
    if (process.geteuid === undefined) return undefined;
    if (found.uid !== process.geteuid()) return `${path} belongs to another user`;
    if ((found.mode & OTHERS_WRITE) !== 0) return `others may write to ${path}, until chmod go-w`;
    const parent = dirname(path);
    const { mode } = statSync(parent);
    // Groups of one user, who makes folders for the group, are common.
    if ((mode & ANYBODY_WRITES) === 0 || (mode & STICKY) !== 0) return undefined;
    return `anybody may write to ${parent}, and replace what is there, until chmod +t`;
  } catch (error) {
    return messageOf(error);
  }
}

/** Creates an empty file for reading and writing, in place of anything but a folder. Throws what node:fs throws. */
export function createOwnFile(path: string, mode: number): number {
  rmSync(path, { force: true });
  // With O_EXCL, a link that somebody puts there meanwhile is an error too.
  return openSync(path, O_RDWR | O_CREAT | O_EXCL, mode);
}

/**
 * Opens the file of a lock, and creates it where it is missing. Nothing is ever written to it, so another user may own
 * it. A link there is an error and is not replaced: of two processes that replaced it, each would have a lock of its
 * own. Throws what node:fs throws.
 */
export function openLockFile(path: string, mode: number): number {
  return openSync(path, O_WRONLY | O_CREAT | O_APPEND | UNFOLLOWED, mode);
}

/*
 * The calls of libc that node:fs lacks: mapping a file into memory, and locks between processes. The only file that
 * imports koffi. Windows has neither; the caller handles that.
 */

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

/*
 * A lock between processes: that of an open file, which the kernel gives up with the process, however that ends. Where
 * no other process wants it, it costs under 1 µs; where one does, this process goes on with other things and tries
 * again. Windows has no such locks: `hold` runs the work there without one.
 */

/** Why a lock was not taken: `held` by another process all the time, or `unsupported` by the file system. */
export type LockFailure = 'held' | 'unsupported';

/** Number of attempts before the first pause: most work under a lock takes microseconds. */
const EAGER_ATTEMPTS = 20;
const PAUSE_MS = 1;

export class FileLock {
  readonly #fd: number;
  readonly #calls = libc();
  #isHeld = false;

  /**
   * Opens the file, and makes it if it is missing, with these rights. `explain` gives the error to throw where the lock
   * can't be taken, `wrapError` what to throw in place of an error of the work. Throws what node:fs throws.
   */
  constructor(
    path: string,
    mode: number,
    private readonly explain: (failure: LockFailure) => Error,
    private readonly wrapError: (error: unknown) => unknown = (error) => error,
  ) {
    this.#fd = openLockFile(path, mode);
  }

  /**
   * Waits up to `limitMs` for the lock, and runs `work` while this process holds it. Only the synchronous part of
   * `work` runs under the lock.
   */
  async hold<T>(limitMs: number, work: () => T): Promise<T> {
    const deadlineMs = performance.now() + limitMs;
    for (let attempt = 1; !this.#take(); attempt++) {
      if (performance.now() > deadlineMs) throw this.explain('held');
      if (attempt < EAGER_ATTEMPTS) await nextRound();
      else await wait(PAUSE_MS);
    }
    this.#isHeld = true;
    try {
      return work();
    } catch (error) {
      throw this.wrapError(error);
    } finally {
      this.#isHeld = false;
      this.#calls?.unlock(this.#fd);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #take(): boolean {
    if (this.#isHeld) throw new Error('the lock is held already');
    const outcome = this.#calls?.tryLock(this.#fd, 'exclusive') ?? 'taken';
    if (outcome === 'unsupported') throw this.explain(outcome);
    return outcome === 'taken';
  }
}

/** Flushes an open file to disk. Rejects with what node:fs throws. */
export const syncFile: (fd: number) => Promise<void> = promisify(fsync);

/** Flushes a file, or the names in a folder, to disk, so that they survive a power cut. Throws what node:fs throws. */
export function syncPath(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
