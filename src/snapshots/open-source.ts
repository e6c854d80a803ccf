/**
 * Starts to serve from the snapshot that the source names, or, where that is damaged and the source is a folder, from
 * the newest whole one of the folder.
 */

import { explain, StartError } from '../start-error.js';
import { checkSnapshotFile } from './check-file.js';
import { findOtherSnapshots, findSnapshot, type SnapshotLocation } from './find-snapshot.js';
import { type PinnedSnapshot, pinSnapshot } from './pinned-snapshot.js';

/** `serve` rejects with StartError where it can't serve a snapshot. Throws StartError where none can be served. */
export async function openFromSource<Started>(
  source: string,
  serve: (pinned: PinnedSnapshot) => Promise<Started>,
): Promise<Started> {
  const location = await explain('SNAPSHOT', [Error], () => findSnapshot(source));
  try {
    return await serveHeld(location, serve);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const others = othersOf(source, location);
    if (others.length === 0 || (await isWhole(location))) throw error;
    // The follower of the source finds out, and tells, that the source names a damaged snapshot.
    for (const other of others) if (await isWhole(other)) return await serveHeld(other, serve);
    throw error;
  }
}

function othersOf(source: string, { path }: SnapshotLocation): SnapshotLocation[] {
  try {
    return findOtherSnapshots(source, path);
  } catch {
    // A folder that this user may enter and not list has no others; the start fails for its first reason.
    return [];
  }
}

async function serveHeld<Started>(
  location: SnapshotLocation,
  serve: (pinned: PinnedSnapshot) => Promise<Started>,
): Promise<Started> {
  const pinned = await explain('SNAPSHOT', [Error], () => pinSnapshot(location));
  try {
    return await serve(pinned);
  } catch (error) {
    pinned.release();
    throw error;
  }
}

async function isWhole({ path }: SnapshotLocation): Promise<boolean> {
  return await checkSnapshotFile(path, new AbortController().signal).then(
    () => true,
    () => false,
  );
}
