/** The processes that serve a snapshot, as the follower of a source swaps it: one, or a supervisor's workers. */

import type { PinnedSnapshot } from '../folder/pinned-snapshot.js';

export interface SnapshotProcesses {
  /** The file that they serve, and from which the next process starts. */
  readonly pinned: PinnedSnapshot;
  /** How many processes serve now. */
  servingCount(): number;
  /** How many answers have failed by an error of ours, or of a damaged snapshot. */
  failureCount(): number;
  /**
   * Serves another file, and releases the earlier one later. Rejects if the file can't be served; then nothing has
   * changed, and the caller releases the file.
   */
  swap(pinned: PinnedSnapshot): Promise<void>;
}

/**
 * The SnapshotProcesses of a single process. `serve` makes it serve another file; if `serve` rejects, nothing has
 * changed.
 */
export function singleServingProcess(
  first: PinnedSnapshot,
  serve: (path: string) => Promise<unknown>,
  failureCount: () => number,
): SnapshotProcesses {
  let pinned = first;
  return {
    get pinned() {
      return pinned;
    },
    servingCount: () => 1,
    failureCount,
    async swap(next) {
      await serve(next.openPath);
      // Requests that still use the earlier file read its mapping.
      pinned.release();
      pinned = next;
    },
  };
}
