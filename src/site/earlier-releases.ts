/**
 * The release before the one that is served, where the source is a folder of published snapshots: of those that were
 * published before it, the one that was in service last. It is looked for once for each snapshot that is served, in the
 * folder's list and one manifest, some milliseconds. A file that is damaged or gone is no reason to fail: it is told
 * once, and no release is known.
 */
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../format/manifest.js';
import type { Logger } from '../logger.js';
import { listSnapshots } from '../snapshots/list-snapshots.js';
import type { Snapshot } from '../store/snapshot.js';
import { readContents, withFile } from '../store/snapshot-reading.js';

export interface EarlierReleases {
  /** Undefined where none is known. */
  before(snapshot: Snapshot): Manifest | undefined;
}

export const NO_EARLIER_RELEASES: EarlierReleases = { before: () => undefined };

/** `source` is the file or the folder that is followed. */
export function watchEarlierReleases(source: string, logger: Logger): EarlierReleases {
  const found = new WeakMap<Snapshot, { readonly manifest: Manifest | undefined }>();
  const find = (snapshot: Snapshot): Manifest | undefined => {
    try {
      return readBefore(source, snapshot);
    } catch (error) {
      const reason = (error as Error).message;
      logger.warn({ reason, release: snapshot.release }, 'what changed since the release before is not known');
      return undefined;
    }
  };
  return {
    before(snapshot) {
      const known = found.get(snapshot) ?? { manifest: find(snapshot) };
      found.set(snapshot, known);
      return known.manifest;
    },
  };
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
