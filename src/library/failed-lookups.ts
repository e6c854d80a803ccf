/**
 * What a lookup throws that fails by no fault of its caller: DamagedError where the file doesn't match its checksums, else
 * the error itself, which is a defect of this package. A check reads the whole file, 0.4 s for the world, and is not
 * repeated within a minute, since a defect may be met at every lookup.
 */

import type { SnapshotError } from '../core/snapshot/snapshot-error.js';
import { findIntegrityDamage } from '../releases/checking/integrity-check.js';
import type { PinnedSnapshot } from '../releases/folder/pinned-snapshot.js';
import { ClosedError, DamagedError, InvalidArgumentError } from './errors.js';

/** Milliseconds for which a check of a file stands. */
const CHECKED_MS = 60_000;

export class FailedLookups {
  #count = 0;
  /** `told` is the message for a damaged file. */
  #checked: { readonly identity: string; readonly atMs: number; readonly told: string | undefined } | undefined;

  /** `tellDamage` gives that message. */
  constructor(private readonly tellDamage: (pinned: PinnedSnapshot, damage: SnapshotError) => string) {}

  count(): number {
    return this.#count;
  }

  /** Runs a lookup over the snapshot of the file that `pinned` gives. */
  guard<T>(lookUp: () => T, pinned: () => PinnedSnapshot): T {
    try {
      return lookUp();
    } catch (error) {
      if (error instanceof InvalidArgumentError || error instanceof ClosedError) throw error;
      this.#count++;
      throw this.#explain(error, pinned());
    }
  }

  #explain(cause: unknown, pinned: PinnedSnapshot): unknown {
    const { identity, openPath } = pinned;
    const atMs = performance.now();
    if (this.#checked?.identity !== identity || atMs - this.#checked.atMs > CHECKED_MS) {
      const damage = findIntegrityDamage(openPath);
      this.#checked = { identity, atMs, told: damage && this.tellDamage(pinned, damage) };
    }
    const { told } = this.#checked;
    return told === undefined ? cause : new DamagedError(told, { cause });
  }
}
