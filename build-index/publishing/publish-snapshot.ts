/**
 * `publish`: a snapshot file → a checked, read-only copy in a folder, and `current` names the copy. The copy is checked,
 * not the original, which another process may still write to. Where the folder has a whole file of the same id, that is
 * the copy, and of the original only header and manifest are read. Whatever fails or is killed, `current` names the file
 * that it named before, or the new file, whole.
 */
import { closeSync, constants, copyFileSync, fchmodSync, fsync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SnapshotError } from '../../src/format/snapshot-error.js';
import { listSnapshots } from '../../src/snapshots/list-snapshots.js';
import { readHistory } from '../../src/snapshots/publication-history.js';
import {
  type PublishedSnapshot,
  parsePublishedName,
  publishedName,
  readCurrent,
} from '../../src/snapshots/snapshot-folder.js';
import { openShared } from '../../src/store/open-file.js';
import { readContents, withFile } from '../../src/store/snapshot-reading.js';
import type { Progress } from '../reporting/progress.js';
import { createPartial, type PartialFile, removeStalePartials } from '../writing/partial-file.js';
import { flipCurrent } from './flip.js';
import { requireLocks, withFolderLocked } from './folder-lock.js';
import { writeHistory } from './history.js';
import { PublishingError } from './publishing-error.js';
import type { SnapshotCheck } from './snapshot-check.js';

const sync = promisify(fsync);

export interface PublishReport extends PublishedSnapshot {
  readonly name: string;
  readonly bytes: number;
  /** The name of the snapshot that `rollback` would put in service; null for none. */
  readonly previous: string | null;
  /** False where the folder had the file already. */
  readonly copied: boolean;
}

/** Throws SnapshotError, PublishingError, or what node:fs throws; then `current` is the same link as before. */
export async function publishSnapshot(
  source: string,
  folder: string,
  check: SnapshotCheck,
  progress: Progress,
): Promise<PublishReport> {
  requireLocks();
  const { manifest, id } = withFile(source, readContents);
  const { release } = manifest;
  const name = nameOf({ release, id });
  mkdirSync(folder, { recursive: true });
  removeStalePartials(folder, (finalName) => parsePublishedName(finalName) !== undefined);
  const path = join(folder, name);
  const existing = openExisting(path);
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
      // Takes seconds on a slow disk, in which a signal can still end the program.
      await sync(partial.fd);
    }
    await withFolderLocked(folder, () => {
      const history = readHistory(folder, readCurrent(folder));
      const isCurrent = history.at(-1)?.name === name;
      flipCurrent(folder, name, () => {
        writeHistory(folder, isCurrent ? history : [...history, { name, publishedAt: new Date().toISOString() }]);
        partial?.publish();
      });
    });
    const previous = listSnapshots(folder).find((listed) => listed.previous)?.name ?? null;
    return { name, release, id, bytes: statSync(path).size, previous, copied: !isThere };
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

/** Opens a published file, which keeps it from being pruned. Undefined where there is no file that can be read. */
function openExisting(path: string): number | undefined {
  try {
    return openShared(path);
  } catch {
    return undefined;
  }
}

/** Whether the file is sound, and the snapshot with this id. */
async function isSound(path: string, id: string, check: SnapshotCheck): Promise<boolean> {
  try {
    return (await check(path)) === id;
  } catch (error) {
    if (error instanceof SnapshotError) return false;
    throw error;
  }
}

/** Copies the snapshot. The copy shares the original's blocks where the file system can do that. */
function copyInto(path: string, source: string, progress: Progress): PartialFile {
  const partial = createPartial(path);
  try {
    progress.start('copying', 1);
    // Not in the background: a copy that goes on while this process exits would make the removed file anew.
    copyFileSync(source, partial.path, constants.COPYFILE_FICLONE);
    fchmodSync(partial.fd, 0o444);
    progress.step('');
    return partial;
  } catch (error) {
    partial.discard();
    throw error;
  }
}
