/**
 * The lock by which the processes that share a key folder take turns: whoever counts, changes a key or opens the files
 * holds it, for microseconds, or for the one write to disk of a change. The kernel gives it up with the process, however
 * that ends. Where nobody else wants it, it costs under 1 µs; where somebody does, this process goes on with other
 * things and tries again, and gives up after a while: a process that was stopped in its turn must not stop the others.
 *
 * lmdb has a lock of its own, but a process that opens lmdb's files while another writes resets, without that lock, the
 * number of the last transaction, and what is written next replaces what was written before. On Windows there is no lock
 * between processes: there a folder must not be shared.
 */

import { closeSync, openSync } from 'node:fs';
import { type Libc, libc } from '../../libc.js';
import { KeyStoreError } from '../key-store.js';

/** How often it is tried at once before the first pause: a turn is usually over within that time. */
const EAGER_ATTEMPTS = 20;
const PAUSE_MS = 1;

export class FolderLock {
  readonly #fd: number;
  readonly #calls: Libc | undefined = libc();
  #isHeld = false;

  /** Opens the file, and makes it if it is missing. Throws what node:fs throws. */
  constructor(private readonly path: string) {
    this.#fd = openSync(path, 'a', 0o600);
  }

  /** Runs `work`, which must be synchronous, in a turn of its own. Rejects with KeyStoreError after `limitMs`. */
  async hold<T>(limitMs: number, work: () => T): Promise<T> {
    const deadlineMs = performance.now() + limitMs;
    for (let attempt = 1; !this.#take(); attempt++) {
      if (performance.now() > deadlineMs) throw this.#busy();
      if (attempt < EAGER_ATTEMPTS) await new Promise(setImmediate);
      else await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return this.#run(work);
  }

  /** The same for a caller that can't wait for a promise: the whole process waits. Throws KeyStoreError. */
  holdSync<T>(limitMs: number, work: () => T): T {
    const deadlineMs = performance.now() + limitMs;
    while (!this.#take()) {
      if (performance.now() > deadlineMs) throw this.#busy();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
    return this.#run(work);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #take(): boolean {
    if (this.#isHeld) throw new Error('a turn within a turn');
    return this.#calls === undefined || this.#calls.tryLock(this.#fd, 'exclusive') === 'taken';
  }

  #run<T>(work: () => T): T {
    this.#isHeld = true;
    try {
      return work();
    } finally {
      this.#isHeld = false;
      this.#calls?.unlock(this.#fd);
    }
  }

  #busy(): KeyStoreError {
    const remedy = 'look for a process that was stopped while it used the store; the file system must be able to lock';
    return new KeyStoreError('KEY_STORE_FAILED', `${this.path} is locked by another process`, remedy);
  }
}
