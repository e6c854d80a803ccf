/**
 * Keeps opened places at the snapshot that their source names. The follower is that of the server: a new file is checked
 * whole on a thread of low priority, opened and probed, and a refused one changes nothing. Its log becomes events.
 */

import { checkIntegrity } from '../releases/checking/integrity-check.js';
import type { PinnedSnapshot } from '../releases/folder/pinned-snapshot.js';
import type { CurrentSnapshot } from '../releases/served/current-snapshot.js';
import { singleServingProcess } from '../releases/served/serving-processes.js';
import { SnapshotFollower } from '../releases/served/snapshot-follower.js';
import { OpenError } from './errors.js';
import type { PlacesTeller } from './places.js';

export interface WatchedSource {
  /** The file in use. */
  pinned(): PinnedSnapshot;
  stop(): Promise<void>;
}

/**
 * Starts to watch `source`, whose snapshot `pinned` is in use; `failureCount` is how many lookups have failed unexpectedly.
 */
export function watchSource(
  source: string,
  live: CurrentSnapshot,
  pinned: PinnedSnapshot,
  { tellRelease, tellError }: PlacesTeller,
  failureCount: () => number,
): WatchedSource {
  const serve = async (path: string): Promise<void> => {
    await live.serve(path);
    tellRelease();
  };
  const processes = singleServingProcess(pinned, serve, failureCount);
  const logger = {
    info() {},
    warn() {},
    error(fields: { readonly path?: string; readonly reason?: string }, message: string) {
      tellError(new OpenError(`${fields.path}: ${message}: ${fields.reason}`));
    },
  };
  const follower = new SnapshotFollower({ source, processes, check: checkIntegrity, logger });
  return {
    pinned: () => processes.pinned,
    async stop() {
      await follower.stop();
      processes.pinned.release();
    },
  };
}
