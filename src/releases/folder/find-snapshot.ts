/**
 * Finds the snapshot that a source names. The source is a file, or a folder of published snapshots (published-folder.ts),
 * whose `current` is followed.
 */

import { type BigIntStats, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { ExpectedError } from '../../base/errors.js';
import { readSnapshotContents, withFile } from '../../core/snapshot/snapshot-file.js';
import { CURRENT, listPublishedSnapshots, readCurrent } from './published-folder.js';

export interface SnapshotLocation {
  /** The file's real path: a later change of `current` does not affect it. */
  readonly path: string;
  /** Path, device, inode, size and modification time: differs if another file replaces this one. */
  readonly identity: string;
}

/** The snapshot that the source names now. Throws ExpectedError that names the missing file or link, errors of node:fs. */
export function findSnapshot(source: string): SnapshotLocation {
  const path = infoOf(source).isDirectory() ? currentOf(source) : realpathSync(source);
  return { path, identity: identityOf(path, statSync(path, { bigint: true })) };
}

function infoOf(source: string): Stats {
  try {
    return statSync(source);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ExpectedError(
      `${source} is not there (ENOENT); postal-places build makes a snapshot of what postal-places download fetches`,
    );
  }
}

/** The file that `current` names. */
function currentOf(folder: string): string {
  const link = join(folder, CURRENT);
  const name = readCurrent(folder);
  if (name === undefined) {
    const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink();
    throw new ExpectedError(
      isLink
        ? `${link} names ${readlinkSync(link)}, which is no published snapshot of that folder; postal-places publish sets it`
        : `${folder} has no "${CURRENT}", so no snapshot is in service there; postal-places publish puts one in service`,
    );
  }
  try {
    return realpathSync(link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ExpectedError(
      `${link} names ${name}, which is not there; publish it again, or go back with postal-places rollback`,
    );
  }
}

/** If the source is a folder: its snapshots except `path`, in the order of `list`. */
export function findOtherSnapshots(source: string, path: string): SnapshotLocation[] {
  if (!statSync(source).isDirectory()) return [];
  const folder = realpathSync(source);
  return listPublishedSnapshots(folder).flatMap(({ name }) => {
    const other = join(folder, name);
    const info = statSync(other, { bigint: true, throwIfNoEntry: false });
    return info === undefined || other === path ? [] : [{ path: other, identity: identityOf(other, info) }];
  });
}

export function identityOf(path: string, { dev, ino, size, mtimeNs }: BigIntStats): string {
  return [path, dev, ino, size, mtimeNs].join(' ');
}

/** Whether the source names a snapshot whose header and manifest this program can read. Its contents are not checked. */
export function canFindSnapshot(source: string): boolean {
  try {
    withFile(findSnapshot(source).path, readSnapshotContents);
    return true;
  } catch {
    // Missing, damaged, or of another format version.
    return false;
  }
}
