/** Where the snapshot to serve lies: a file, or a folder of published ones whose `current` names it. */
import { type BigIntStats, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listSnapshots } from './list-snapshots.js';
import { CURRENT, readCurrent } from './snapshot-folder.js';

export interface SnapshotLocation {
  /** The file itself, without symbolic links on the way: what `current` names later does not change it. */
  readonly path: string;
  /** What tells this file from another that takes its place: device, inode, size, time of change. */
  readonly identity: string;
}

/** Looks where the snapshot lies now. Throws an Error that says what is missing where there is none. */
export function findSnapshot(source: string): SnapshotLocation {
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
        : `${folder} has no "${CURRENT}", so no snapshot is in service there; build-index publish puts one in service`,
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
 * Where the source is a folder: its snapshots but the one at `path`, in the order of `list`. Throws what node:fs
 * throws.
 */
export function findOtherSnapshots(source: string, path: string): SnapshotLocation[] {
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
