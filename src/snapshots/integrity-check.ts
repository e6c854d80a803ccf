/**
 * Whether the file that is served is whole. A start looks at headers only, and a whole file may be written to later, or
 * lie on a disk that fails: so the file is read against its checksums once it is served, again when it was written to,
 * when no process serves any more (a page that can't be read ends the process that touches it), and, while it is
 * damaged, every minute.
 */
import type { Logger } from '../logger.js';
import type { CheckedSnapshot } from './check-file.js';
import type { PinnedSnapshot } from './pinned-snapshot.js';

/** The processes that serve a snapshot. */
export interface SnapshotProcesses {
  /** The file that they serve; where no process serves, the file from which the next one starts. */
  readonly pinned: PinnedSnapshot;
  /** How many processes serve now. */
  servingCount(): number;
  /**
   * Serves a file from now on, and releases the earlier one in its time. Rejects where the file can't be served: then
   * nothing has changed, and the caller releases it.
   */
  swap(pinned: PinnedSnapshot): Promise<void>;
}

/** Which snapshot a file is. Rejects with what is wrong with the file, and soon after the signal. */
export type Check = (path: string, signal: AbortSignal) => Promise<CheckedSnapshot>;

/** A file, and why it is not to be served. */
export interface Problem {
  readonly path: string;
  readonly reason: string;
}

export interface IntegrityCheck {
  /** What is wrong with the file that is served; null as long as no damage was found. */
  damage(): Problem | null;
  /**
   * Checks the file where that is due; a damaged file also where `isForced`. Resolves with whether the check found
   * damage.
   */
  look(isForced: boolean): Promise<boolean>;
  /** To be called after a swap: the file that is served now was checked before. */
  passed(): void;
}

/** Milliseconds after which a file that was found bad is checked again. */
export const RETRY_MS = 60_000;

export function createIntegrityCheck(
  processes: SnapshotProcesses,
  check: Check,
  logger: Logger,
  stopping: AbortSignal,
): IntegrityCheck {
  let last: { readonly identity: string; readonly damage: Problem | null; readonly atMs: number } | undefined;
  let wasServed = true;
  const damage = (): Problem | null => last?.damage ?? null;

  function isDue(isForced: boolean): boolean {
    const isServed = processes.servingCount() > 0;
    const isLost = wasServed && !isServed;
    wasServed = isServed;
    if (isLost || last?.identity !== processes.pinned.identityNow()) return true;
    return last.damage !== null && (isForced || performance.now() - last.atMs >= RETRY_MS);
  }

  function note(found: Problem | null, identity: string): void {
    if (found !== null && found.reason !== damage()?.reason) logger.error(found, 'the snapshot in service is damaged');
    last = { identity, damage: found, atMs: performance.now() };
  }

  return {
    damage,
    passed: () => note(null, processes.pinned.identity),
    async look(isForced) {
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
        note({ path, reason: (error as Error).message }, identity);
        return true;
      }
    },
  };
}
