/** Where the snapshot to serve lies: a file, or a folder of published snapshots whose `current` names the file. */
import { type BigIntStats, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listSnapshots } from './list-snapshots.js';
import { CURRENT, readCurrent } from './snapshot-folder.js';

export interface SnapshotLocation {
  /** The path of the file itself, without symbolic links: it stays the same when `current` names another file. */
  readonly path: string;
  /** Device, inode, size and time of change: they tell this file from another file that takes its name. */
  readonly identity: string;
}

/** Looks where the snapshot lies now. Throws an Error that says what is missing where there is no snapshot. */
export function locateSnapshot(source: string): SnapshotLocation {
  const path = statSync(source).isDirectory() ? currentOf(source) : realpathSync(source);
  return { path, identity: identityOf(path, statSync(path, { bigint: true })) };
}

/** The file that `current` names. */
function currentOf(folder: string): string {
  const link = join(folder, CURRENT);
  const name = readCurrent(folder);
  if (name === undefined) {
    const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink();
    throw new Error(
      isLink
        ? `${link} names ${readlinkSync(link)}, which is no published snapshot of that folder; build-index publish sets it`
        : `${folder} is a folder, and no snapshot is published in it; build-index publish does that`,
    );
  }
  try {
    return realpathSync(link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(`${link} names ${name}, which is not there; publish it again, or roll back`);
  }
}

/**
 * What the source has to offer beside the file at `path`: of a folder its other snapshots, in the order of `list`. Throws
 * what node:fs throws.
 */
export function locateOthers(source: string, path: string): SnapshotLocation[] {
  if (!statSync(source).isDirectory()) return [];
  const folder = realpathSync(source);
  return listSnapshots(folder).flatMap(({ name }) => {
    const other = join(folder, name);
    const info = statSync(other, { bigint: true, throwIfNoEntry: false });
    return info === undefined || other === path ? [] : [{ path: other, identity: identityOf(other, info) }];
  });
}

export function identityOf(path: string, { dev, ino, size, mtimeNs }: BigIntStats): string {
  return [path, dev, ino, size, mtimeNs].join(' ');
}
