/**
 * `publish`: copies a snapshot file into a folder, checks the read-only copy, and points `current` to it. The check
 * reads the copy because another process may still write to the original. If the folder has a complete file with the
 * same id, that file is used, and only header and manifest of the original are read. At last the list of what the release
 * changes is written beside it. After any failure or kill, `current` points to the previous file or to the complete new
 * one.
 */

import { closeSync, constants, copyFileSync, existsSync, fchmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { syncFile } from '../../src/base/durable-files.js';
import { errorMessageOf } from '../../src/base/errors.js';
import { makeFolder } from '../../src/base/make-folder.js';
import {
  type ChangeCounts,
  type ChangesHeader,
  type CodeChangeKind,
  sumChanges,
  sumCodeChanges,
} from '../../src/core/snapshot/changes-file.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { openSnapshotFileIfPossible, readSnapshotContents, withFile } from '../../src/core/snapshot/snapshot-file.js';
import { createPartial, type PartialFile, removeStalePartials } from '../../src/releases/files/partial-file.js';
import { requireLocks } from '../../src/releases/folder/folder-lock.js';
import { readHistory } from '../../src/releases/folder/publication-history.js';
import { putPublishedInService, readCurrent } from '../../src/releases/folder/published-folder.js';
import {
  isPublishedFile,
  type PublishedSnapshot,
  parsePublishedName,
  publishedChangesName,
  publishedName,
} from '../../src/releases/folder/published-name.js';
import { PublishingError } from '../../src/releases/folder/publishing-error.js';
import { writeChanges } from '../diffing/write-changes.js';
import type { Progress } from '../reporting/progress.js';
import type { SnapshotCheck } from './snapshot-check.js';

type ChangesReport =
  | (ChangeCounts & Readonly<Record<CodeChangeKind, number>> & { readonly name: string; readonly since: string })
  /** The reason why there is no list. */
  | { readonly problem: string };

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

/** After an error `current` is the same link as before. */
export async function publishSnapshot(
  source: string,
  folder: string,
  check: SnapshotCheck,
  progress: Progress,
  { withChanges = true }: { readonly withChanges?: boolean } = {},
): Promise<PublishReport> {
  requireLocks();
  const { manifest, id } = withFile(source, readSnapshotContents);
  const { release } = manifest;
  const name = publishedNameOf({ release, id });
  makeFolder(folder);
  removeStalePartials(folder, isPublishedFile);
  const path = join(folder, name);
  // Open, it is protected from `prune`.
  const existing = openSnapshotFileIfPossible(path);
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
      await syncFile(partial.fd);
    }
    const before = withChanges ? findReleaseBefore(folder, name) : undefined;
    const previous = await putPublishedInService(folder, name, partial);
    const changes = before === undefined ? null : await publishChanges(folder, name, before, progress);
    return { name, release, id, bytes: statSync(path).size, previous, copied: !isThere, changes };
  } finally {
    partial?.discard();
    if (existing !== undefined) closeSync(existing);
  }
}

export function publishedNameOf(snapshot: PublishedSnapshot): string {
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

/** The name of the snapshot of another release than that of `name` that was in service last. */
function findReleaseBefore(folder: string, name: string): string | undefined {
  const releaseOf = (file: string): string | undefined => parsePublishedName(file)?.release;
  return readHistory(folder, readCurrent(folder)).findLast((entry) => releaseOf(entry.name) !== releaseOf(name))?.name;
}

/**
 * Writes the list of what the snapshot `name` of the folder, which is in service, changes against `before`: so neither
 * the comparison nor a disk that it fills delays or prevents a publication. Null where the list is there already.
 */
async function publishChanges(
  folder: string,
  name: string,
  before: string,
  progress: Progress,
): Promise<ChangesReport | null> {
  const listName = publishedChangesName(name);
  if (existsSync(join(folder, listName))) return null;
  try {
    const [oldPath, newPath] = [join(folder, before), join(folder, name)];
    const { header } = await writeChanges(oldPath, newPath, join(folder, listName), progress);
    return describe(listName, header);
  } catch (error) {
    // Any error: the contents of a snapshot that was damaged since its publication are not checked before.
    return { problem: `can't compare with ${before}: ${errorMessageOf(error)}` };
  }
}

function describe(name: string, header: ChangesHeader): ChangesReport {
  return { name, since: header.since, ...sumChanges(header.countries), ...sumCodeChanges(header.countries) };
}
