/**
 * Finds the release before the served one, if the source is a folder of published snapshots: the last one in service
 * among the snapshots that were published earlier. It is read once for each served snapshot, from the folder's list and
 * one manifest, in some milliseconds. A damaged or missing file is logged once, and no earlier release is shown.
 */
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../format/manifest.js';
import type { Logger } from '../logger.js';
import { listSnapshots } from '../snapshots/list-snapshots.js';
import { oncePer } from '../store/once-per.js';
import type { Snapshot } from '../store/snapshot.js';
import { readContents, withFile } from '../store/snapshot-reading.js';

export interface EarlierReleases {
  /** Undefined where none is known. */
  before(snapshot: Snapshot): Manifest | undefined;
}

export const NO_EARLIER_RELEASES: EarlierReleases = { before: () => undefined };

/** `source` is the file or the folder that is followed. */
export function watchEarlierReleases(source: string, logger: Logger): EarlierReleases {
  const before = oncePer((snapshot: Snapshot): Manifest | undefined => {
    try {
      return readBefore(source, snapshot);
    } catch (error) {
      const reason = (error as Error).message;
      logger.warn({ reason, release: snapshot.release }, 'what changed since the release before is not known');
      return undefined;
    }
  });
  return { before };
}

/** Throws SnapshotError, or what node:fs throws. */
function readBefore(source: string, { id, release }: Snapshot): Manifest | undefined {
  if (!statSync(source).isDirectory()) return undefined;
  const folder = realpathSync(source);
  const listed = listSnapshots(folder);
  const served = listed.find((one) => one.id === id);
  // A release that was built again is not the release before.
  const before = listed.find(
    (one) => served !== undefined && one.publishedAt < served.publishedAt && one.release !== release,
  );
  return before && withFile(join(folder, before.name), (fd) => readContents(fd).manifest);
}
