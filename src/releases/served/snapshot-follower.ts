/**
 * Follows a source from snapshot to snapshot. The follower polls the source several times a second; if the source names
 * another file, the file is checked and swapped in. A refused file is logged once and tried again every minute, or on
 * `look`; the snapshot in service stays. If the snapshot in service is damaged and the source is a folder, the newest
 * undamaged snapshot of the folder replaces it.
 *
 *     named file      is served     ──►  settled: nothing is refused
 *                     is new        ──►  pinned, checked, swapped ──►  settled
 *                                                             └─ fails: refused until the source names another file,
 *                                                                or a minute has passed
 */

import type { Logger } from '../../base/logger.js';
import { describeSnapshotDamage } from '../../core/snapshot/snapshot-error.js';
import type { Check } from '../checking/integrity-check.js';
import { findOtherSnapshots, findSnapshot, type SnapshotLocation } from '../folder/find-snapshot.js';
import { type PinnedSnapshot, pinSnapshot } from '../folder/pinned-snapshot.js';
import type { SnapshotProcesses } from './serving-processes.js';

export interface FollowerOptions {
  readonly source: string;
  readonly processes: SnapshotProcesses;
  readonly check: Check;
  readonly logger: Logger;
  /** Told of a damaged file in service, behind what is told of every file. */
  readonly remedy?: string | undefined;
}

export interface FollowerState {
  readonly swapCount: number;
  readonly refusedCount: number;
  /** The refused file that the source names; null if the file that the source names is served. */
  readonly refused: Problem | null;
  /** The served file, if it is damaged and no undamaged file could replace it; else null. */
  readonly damaged: Problem | null;
}

/** Milliseconds between two looks: a published release is served within half a second and its own check. */
const POLL_MS = 250;

/** A file, and the reason why it is not served. */
export interface Problem {
  readonly path: string;
  readonly reason: string;
}

/** Milliseconds after which a file that was found bad is checked again. */
const RETRY_MS = 60_000;

/**
 * Checks the served file. A start reads headers only, and a file may be damaged later by a write or a failing disk. So the
 * file is checked after the start, after a write to it, when an answer has failed by an error that is no client's, when no
 * process serves any more (an unreadable page ends the process that reads it), and every minute while it is damaged. An
 * error of ours fails answers of a whole file too: such answers have it checked once a minute.
 */
function createIntegrityCheck({ processes, check, logger, remedy }: FollowerOptions, stopping: AbortSignal) {
  let last: { readonly identity: string; readonly damage: Problem | null; readonly atMs: number } | undefined;
  let wasServed = true;
  let suspected = { failureCount: 0, atMs: Number.NEGATIVE_INFINITY };
  const damage = (): Problem | null => last?.damage ?? null;

  /** Whether answers have failed of which no check has been made. */
  function isSuspect(): boolean {
    const failureCount = processes.failureCount();
    if (failureCount === suspected.failureCount || performance.now() - suspected.atMs < RETRY_MS) return false;
    suspected = { failureCount, atMs: performance.now() };
    return true;
  }

  function isDue(isForced: boolean): boolean {
    const isServed = processes.servingCount() > 0;
    const isLost = wasServed && !isServed;
    wasServed = isServed;
    if (isSuspect() || isLost || last?.identity !== processes.pinned.identityNow()) return true;
    return last.damage !== null && (isForced || performance.now() - last.atMs >= RETRY_MS);
  }

  function note(found: Problem | null, identity: string): void {
    if (found !== null && found.reason !== damage()?.reason) logger.error(found, 'the snapshot in service is damaged');
    last = { identity, damage: found, atMs: performance.now() };
  }

  return {
    /** The damage of the served file; null if none was found. */
    damage,
    /** To be called after a swap: the new file was checked before. */
    passed: () => note(null, processes.pinned.identity),
    /** Checks the file if that is due, or if it is damaged and `isForced`. Resolves with whether the check found damage. */
    async look(isForced: boolean): Promise<boolean> {
      if (!isDue(isForced)) return false;
      const { path, openPath, identityNow } = processes.pinned;
      const identity = identityNow();
      try {
        await check(openPath, stopping);
        if (damage() !== null) logger.info({ path }, 'the snapshot in service is whole again');
        note(null, identity);
        return false;
      } catch (error) {
        if (stopping.aborted) return false;
        const told = [(error as Error).message, remedy].filter((part) => part !== undefined).join('; ');
        note({ path, reason: describeSnapshotDamage(path, told) }, identity);
        return true;
      }
    },
  };
}

/** The refused file. */
interface Refusal extends Problem {
  readonly identity: string;
  readonly atMs: number;
}

export class SnapshotFollower {
  readonly #stopping = new AbortController();
  readonly #integrity: ReturnType<typeof createIntegrityCheck>;
  #refusal: Refusal | undefined;
  #swapCount = 0;
  #refusedCount = 0;
  /** The last of the looks, which run one after the other. */
  #lastLook: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** Starts to follow the source. */
  constructor(private readonly options: FollowerOptions) {
    this.#integrity = createIntegrityCheck(options, this.#stopping.signal);
    this.#poll();
  }

  state(): FollowerState {
    const refused = this.#refusal === undefined ? null : { path: this.#refusal.path, reason: this.#refusal.reason };
    const [swapCount, refusedCount] = [this.#swapCount, this.#refusedCount];
    return { swapCount, refusedCount, refused, damaged: this.#integrity.damage() };
  }

  /** Checks the source now, also a refused file; resolves when the file is served or refused. */
  look(): Promise<void> {
    return this.#look(true);
  }

  /** Resolves when the last look is over. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#lastLook;
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #poll(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#look(false).then(() => this.#poll()), POLL_MS).unref();
  }

  #look(isForced: boolean): Promise<void> {
    this.#lastLook = this.#lastLook.then(() => this.#lookOnce(isForced));
    return this.#lastLook;
  }

  async #lookOnce(isForced: boolean): Promise<void> {
    if (this.#isStopped) return;
    const earlierDamage = this.#integrity.damage();
    if (await this.#integrity.look(isForced)) await this.#leaveDamaged(earlierDamage === null);
    if (!this.#isStopped) await this.#lookAtSource(isForced);
  }

  async #lookAtSource(isForced: boolean): Promise<void> {
    const location = this.#find();
    if (location instanceof Error) return this.#refuse(location.message, this.options.source, location);
    if (this.#isServed(location)) return this.#settle(location.path);
    const { identity, path } = location;
    if (!isForced && this.#isRefused(identity)) return;
    try {
      await this.#serve(location);
      this.#refusal = undefined;
    } catch (error) {
      if (this.#isStopped) return;
      const now = this.#find();
      // The source names another file by now.
      if (!(now instanceof Error) && now.identity !== identity) await this.#lookAtSource(isForced);
      else this.#refuse(identity, path, error as Error);
    }
  }

  #find(): SnapshotLocation | Error {
    try {
      return findSnapshot(this.options.source);
    } catch (error) {
      return error as Error;
    }
  }

  /** A damaged file that was written to has a new identity. */
  #isServed({ identity }: SnapshotLocation): boolean {
    const { pinned } = this.options.processes;
    return identity === pinned.identity || (this.#integrity.damage() !== null && identity === pinned.identityNow());
  }

  #isRefused(identity: string): boolean {
    return identity === this.#refusal?.identity && performance.now() - this.#refusal.atMs < RETRY_MS;
  }

  #settle(path: string): void {
    if (this.#refusal === undefined) return;
    this.options.logger.info({ path }, 'the source names what is served again; nothing is refused');
    this.#refusal = undefined;
  }

  #refuse(identity: string, path: string, { message: reason }: Error): void {
    const isKnown = this.#refusal?.identity === identity && this.#refusal.reason === reason;
    this.#refusal = { identity, path, reason, atMs: performance.now() };
    if (isKnown) return;
    this.#refusedCount++;
    this.options.logger.error({ path, reason }, 'the snapshot was refused; the one before goes on being served');
  }

  /** Rejects if the file is damaged or can't be served. */
  async #serve(location: SnapshotLocation): Promise<void> {
    const startedAt = performance.now();
    const pinned = pinSnapshot(location);
    const { release, id } = await this.#checkAndSwap(pinned).catch((error) => {
      pinned.release();
      throw error;
    });
    this.#integrity.passed();
    this.#swapCount++;
    const seconds = Math.round(performance.now() - startedAt) / 1000;
    this.options.logger.info({ release, snapshot: id, path: location.path, seconds }, 'serving another snapshot');
  }

  async #checkAndSwap(pinned: PinnedSnapshot): ReturnType<Check> {
    const checked = await this.options.check(pinned.openPath, this.#stopping.signal);
    this.#stopping.signal.throwIfAborted();
    await this.options.processes.swap(pinned);
    return checked;
  }

  /** Serves the first undamaged snapshot of the source, in the order of `list`. */
  async #leaveDamaged(isNews: boolean): Promise<void> {
    const { source, processes, logger } = this.options;
    const log = (path: string, { message: reason }: Error): void => {
      if (isNews) logger.error({ path, reason }, 'this snapshot can not take the place of the damaged one');
    };
    let others: SnapshotLocation[] = [];
    try {
      others = findOtherSnapshots(source, processes.pinned.path);
    } catch (error) {
      log(source, error as Error);
    }
    for (const other of others) {
      try {
        await this.#serve(other);
        return;
      } catch (error) {
        if (this.#isStopped) return;
        log(other.path, error as Error);
      }
    }
  }
}
