/** Where the snapshot to serve lies: a file, or a folder of published ones whose `current` names it. */
import { type BigIntStats, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CURRENT, readCurrent } from './snapshot-folder.js';

export interface SnapshotLocation {
  /** The file itself, without symbolic links on the way: what `current` names later does not change it. */
  readonly path: string;
  /** What tells this file from another that takes its place: device, inode, size, time of change. */
  readonly identity: string;
}

/** Looks where the snapshot lies now. Throws an Error that says what is missing where there is none. */
export function locateSnapshot(source: string): SnapshotLocation {
  const isFolder = statSync(source).isDirectory();
  if (isFolder && readCurrent(source) === undefined) {
    throw new Error(`${source} is a folder, and no snapshot is published in it; build-index publish does that`);
  }
  const path = realpathSync(isFolder ? join(source, CURRENT) : source);
  return { path, identity: identityOf(path, statSync(path, { bigint: true })) };
}

export function identityOf(path: string, { dev, ino, size, mtimeNs }: BigIntStats): string {
  return [path, dev, ino, size, mtimeNs].join(' ');
}
