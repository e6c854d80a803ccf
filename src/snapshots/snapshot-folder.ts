/**
 * A folder of published snapshots, as `postal-places publish` makes it and a server follows it: whole, read-only files
 * named `<release>-<id>.snapshot`, and `current`, a symbolic link to one of them that is only ever replaced in one
 * step. Beside a snapshot may be its list of changes, `<release>-<id>.changes.ndjson` (src/format/release-changes.ts). A
 * server ignores every other file of the folder.
 */
import { readlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isReleaseName } from '../format/release-name.js';
import { isSnapshotId } from '../format/snapshot-id.js';

export interface PublishedSnapshot {
  readonly release: string;
  /** The id of the content, see Snapshot. */
  readonly id: string;
}

export const CURRENT = 'current';

const PUBLISHED_NAME = /^(.+)-([^-]+)\.snapshot$/;
const SNAPSHOT_ENDING = /\.snapshot$/;
const CHANGES_ENDING = '.changes.ndjson';

/**
 * The file name of a published snapshot; undefined if the name of its release can't be part of a file name.
 */
export function publishedName({ release, id }: PublishedSnapshot): string | undefined {
  return isReleaseName(release) && isSnapshotId(id) ? `${release}-${id}.snapshot` : undefined;
}

/** The release and id in a file name; undefined if it is not the name of a published snapshot. */
export function parsePublishedName(name: string): PublishedSnapshot | undefined {
  const [, release, id] = PUBLISHED_NAME.exec(name) ?? [];
  return isReleaseName(release) && isSnapshotId(id) ? { release, id } : undefined;
}

/** The name, or path, of the list of changes beside a snapshot's file of this name, or path. */
export function changesFileOf(snapshot: string): string {
  return snapshot.replace(SNAPSHOT_ENDING, '') + CHANGES_ENDING;
}

/** Whether `publish` and `pull` give a file this name: that of a published snapshot, or of the changes beside one. */
export function isPublishedFile(name: string): boolean {
  const snapshot = name.endsWith(CHANGES_ENDING) ? `${name.slice(0, -CHANGES_ENDING.length)}.snapshot` : name;
  return parsePublishedName(snapshot) !== undefined;
}

/**
 * The file name that `current` points to; undefined if there is no such link, or if it points to something else than a
 * snapshot of this folder. Throws the error of node:fs if the folder can't be read.
 */
export function readCurrent(folder: string): string | undefined {
  try {
    const path = resolve(folder, readlinkSync(join(folder, CURRENT)));
    const name = basename(path);
    return dirname(path) === resolve(folder) && parsePublishedName(name) !== undefined ? name : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EINVAL: `current` is no link.
    if (code === 'ENOENT' || code === 'EINVAL') return undefined;
    throw error;
  }
}
