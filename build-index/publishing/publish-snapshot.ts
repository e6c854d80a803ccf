/**
 * `publish`: copies a snapshot file into a folder, checks the read-only copy, and points `current` to it. The check
 * reads the copy because another process may still write to the original. If the folder has a complete file with the
 * same id, that file is used, and only header and manifest of the original are read. At last the list of what the release
 * changes is written beside it. After any failure or kill, `current` points to the previous file or to the complete new
 * one.
 */
import { closeSync, constants, copyFileSync, fchmodSync, fsync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SnapshotError } from '../../src/format/snapshot-error.js';
import { requireLocks } from '../../src/publishing/folder-lock.js';
import { createPartial, type PartialFile, removeStalePartials } from '../../src/publishing/partial-file.js';
import { PublishingError } from '../../src/publishing/publishing-error.js';
import { putInService } from '../../src/publishing/put-in-service.js';
import { isPublishedFile, type PublishedSnapshot, publishedName } from '../../src/snapshots/snapshot-folder.js';
import { openSharedIfPossible } from '../../src/store/open-file.js';
import { readContents, withFile } from '../../src/store/snapshot-reading.js';
import type { Progress } from '../reporting/progress.js';
import { type ChangesReport, findReleaseBefore, publishChanges } from './publish-changes.js';
import type { SnapshotCheck } from './snapshot-check.js';

const sync = promisify(fsync);

export interface PublishReport extends PublishedSnapshot {
  readonly name: string;
  readonly bytes: number;
  /** The name of the snapshot that `rollback` would put in service; null for none. */
  readonly previous: string | null;
  /** False if the folder had the file already. */
  readonly copied: boolean;
  /** Null where no list of changes was to be made, or where it was there already. */
  readonly changes: ChangesReport | null;
}

/** Throws SnapshotError, PublishingError, or what node:fs throws; then `current` is the same link as before. */
export async function publishSnapshot(
  source: string,
  folder: string,
  check: SnapshotCheck,
  progress: Progress,
  { withChanges = true }: { readonly withChanges?: boolean } = {},
): Promise<PublishReport> {
  requireLocks();
  const { manifest, id } = withFile(source, readContents);
  const { release } = manifest;
  const name = nameOf({ release, id });
  mkdirSync(folder, { recursive: true });
  removeStalePartials(folder, isPublishedFile);
  const path = join(folder, name);
  // Open, it is protected from `prune`.
  const existing = openSharedIfPossible(path);
  let partial: PartialFile | undefined;
  try {
    const isThere = existing !== undefined && (await isSound(path, id, check));
    if (!isThere) {
      partial = copyInto(path, source, progress);
      if ((await check(partial.path)) !== id) {
        throw new PublishingError(
          'SOURCE_CHANGED',
          `${source} was written to meanwhile`,
          'publish it when it is whole',
        );
      }
      // Asynchronous, because it takes seconds on a slow disk and a signal must be able to end the program.
      await sync(partial.fd);
    }
    const before = withChanges ? findReleaseBefore(folder, name) : undefined;
    const previous = await putInService(folder, name, partial);
    const changes = before === undefined ? null : await publishChanges(folder, name, before, progress);
    return { name, release, id, bytes: statSync(path).size, previous, copied: !isThere, changes };
  } finally {
    partial?.discard();
    if (existing !== undefined) closeSync(existing);
  }
}

function nameOf(snapshot: PublishedSnapshot): string {
  const name = publishedName(snapshot);
  if (name !== undefined) return name;
  const found = `the release name ${JSON.stringify(snapshot.release)} can't be part of a file name`;
  throw new PublishingError('UNPUBLISHABLE_NAME', found, 'build the snapshot again with --release-name');
}

/** Whether the file is intact and has this id. */
async function isSound(path: string, id: string, check: SnapshotCheck): Promise<boolean> {
  try {
    return (await check(path)) === id;
  } catch (error) {
    if (error instanceof SnapshotError) return false;
    throw error;
  }
}

/** Copies the snapshot. The copy shares the original's blocks if the file system supports that. */
function copyInto(path: string, source: string, progress: Progress): PartialFile {
  const partial = createPartial(path);
  try {
    progress.start('copying', 1);
    // Synchronous: a background copy could recreate the removed file while this process exits.
    copyFileSync(source, partial.path, constants.COPYFILE_FICLONE);
    fchmodSync(partial.fd, 0o444);
    progress.step('');
    return partial;
  } catch (error) {
    partial.discard();
    throw error;
  }
}
