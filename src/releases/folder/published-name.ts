/**
 * The names of published files: `<release>-<id>.snapshot`, and beside it the list of changes of the snapshot,
 * `<release>-<id>.changes.ndjson` (src/core/snapshot/release-changes.ts).
 */

import { isReleaseName } from '../../core/snapshot/release-name.js';
import { isSnapshotId } from '../../core/snapshot/snapshot-id.js';

export interface PublishedSnapshot {
  readonly release: string;
  /** The id of the content, see Snapshot. */
  readonly id: string;
}

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
export function publishedChangesName(snapshot: string): string {
  return snapshot.replace(SNAPSHOT_ENDING, '') + CHANGES_ENDING;
}

/** Whether `publish` and `pull` give a file this name: that of a published snapshot, or of the changes beside one. */
export function isPublishedFile(name: string): boolean {
  const snapshot = name.endsWith(CHANGES_ENDING) ? `${name.slice(0, -CHANGES_ENDING.length)}.snapshot` : name;
  return parsePublishedName(snapshot) !== undefined;
}
