/**
 * The lock by which the processes that share a key folder take turns: whoever counts, changes a key or opens the files
 * holds it. The kernel gives it up with the process, however that ends. Taking and giving back costs about 2 µs where
 * nobody else wants it. lmdb has a lock of its own, but a process that opens lmdb's files while another writes resets,
 * without that lock, the number of the last transaction, and what is then written next replaces what was written before.
 *
 * On Windows there is no such lock: there a folder must not be shared.
 */

import { closeSync, openSync } from 'node:fs';
import { type Libc, libc } from '../../libc.js';

export class FolderLock {
  readonly #fd: number;
  readonly #calls: Libc | undefined = libc();
  #isHeld = false;

  /** Opens the file, and makes it if it is missing. Throws what node:fs throws. */
  constructor(path: string) {
    this.#fd = openSync(path, 'a', 0o600);
  }

  /** Runs `work`, which must be synchronous, while no other process does; within another `hold`, at once. */
  hold<T>(work: () => T): T {
    if (this.#isHeld) return work();
    this.#calls?.lock(this.#fd);
    this.#isHeld = true;
    try {
      return work();
    } finally {
      this.#isHeld = false;
      this.#calls?.unlock(this.#fd);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}
