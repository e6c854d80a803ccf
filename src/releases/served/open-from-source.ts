/**
 * Starts to serve the snapshot that the source names or, if that snapshot is damaged and the source is a folder, the
 * newest undamaged snapshot of the folder.
 */

import { explainStartErrors, StartError } from '../../base/errors.js';
import { DamagedSnapshotError, SnapshotError } from '../../core/snapshot/snapshot-error.js';
import { checkIntegrity, findIntegrityDamage } from '../checking/integrity-check.js';
import { findOtherSnapshots, findSnapshot, type SnapshotLocation } from '../folder/find-snapshot.js';
import { type PinnedSnapshot, pinSnapshot } from '../folder/pinned-snapshot.js';

/** `serve` must reject with StartError if it can't serve a snapshot. */
export async function openFromSource<Started>(
  source: string,
  serve: (pinned: PinnedSnapshot) => Promise<Started>,
): Promise<Started> {
  const location = await explainStartErrors('SNAPSHOT', [Error], () => findSnapshot(source));
  try {
    return await pinAndServe(location, serve);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const others = othersOf(source, location);
    if (others.length > 0 && !(await isWhole(location))) {
      // The follower will log that the source names a damaged snapshot.
      for (const other of others) if (await isWhole(other)) return await pinAndServe(other, serve);
    }
    // Opening says itself what is wrong with a file.
    const damage = error.cause instanceof SnapshotError ? undefined : findIntegrityDamage(location.path);
    if (damage === undefined) throw error;
    const cause = new DamagedSnapshotError(location.path, damage);
    throw new StartError(`SNAPSHOT: ${cause.message}`, { cause });
  }
}

function othersOf(source: string, { path }: SnapshotLocation): SnapshotLocation[] {
  try {
    return findOtherSnapshots(source, path);
  } catch {
    // A folder that this user can't list has no other snapshots: the start fails with its first error.
    return [];
  }
}

async function pinAndServe<Started>(
  location: SnapshotLocation,
  serve: (pinned: PinnedSnapshot) => Promise<Started>,
): Promise<Started> {
  const pinned = await explainStartErrors('SNAPSHOT', [Error], () => pinSnapshot(location));
  try {
    return await serve(pinned);
  } catch (error) {
    pinned.release();
    throw error;
  }
}

async function isWhole({ path }: SnapshotLocation): Promise<boolean> {
  return await checkIntegrity(path, new AbortController().signal).then(
    () => true,
    () => false,
  );
}
