/**
 * A lock between processes: that of an open file, which the kernel gives up with the process, however that ends. Where
 * no other process wants it, it costs under 1 µs; where one does, this process goes on with other things and tries
 * again. Windows has no such locks: `hold` runs the work there without one.
 */

import { closeSync, constants, openSync } from 'node:fs';
import { setImmediate as nextRound, setTimeout as wait } from 'node:timers/promises';
import { libc } from './libc.js';
import { UNFOLLOWED } from './own-file.js';

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
   * can't be taken, `wrapError` what to throw in place of an error of the work.
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

/**
 * Opens the file of a lock, and creates it where it is missing. Nothing is ever written to it, so another user may own
 * it. A link there is an error and is not replaced: of two processes that replaced it, each would have a lock of its
 * own.
 */
export function openLockFile(path: string, mode: number): number {
  return openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | UNFOLLOWED, mode);
}
