/**
 * Starts to serve from the snapshot that the source names, or, where that is damaged and the source is a folder, from the
 * newest whole one of the folder.
 */
import { checkSnapshotFile } from '../releases/checking.js';
import { type HeldSnapshot, holdSnapshot } from '../releases/held-snapshot.js';
import { locateOthers, locateSnapshot, type SnapshotLocation } from '../releases/snapshot-source.js';
import { explain, StartError } from '../serving/start-error.js';

/** `serve` rejects with StartError where it can't serve a snapshot. Throws StartError where none can be served. */
export async function startFromSource<Started>(
  source: string,
  serve: (held: HeldSnapshot) => Promise<Started>,
): Promise<Started> {
  const location = await explain('SNAPSHOT', [Error], () => locateSnapshot(source));
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
    return locateOthers(source, path);
  } catch {
    // A folder that this user may enter and not list has no others; the start fails for its first reason.
    return [];
  }
}

async function serveHeld<Started>(
  location: SnapshotLocation,
  serve: (held: HeldSnapshot) => Promise<Started>,
): Promise<Started> {
  const held = await explain('SNAPSHOT', [Error], () => holdSnapshot(location));
  try {
    return await serve(held);
  } catch (error) {
    held.release();
    throw error;
  }
}

async function isWhole({ path }: SnapshotLocation): Promise<boolean> {
  return await checkSnapshotFile(path, new AbortController().signal).then(
    () => true,
    () => false,
  );
}
