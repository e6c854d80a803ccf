/**
 * Lets the first process or workers serve: from the snapshot that the source names, or, where that is damaged and the
 * source is a folder, from the newest whole one of the folder.
 */
import type { Logger } from '../logger.js';
import { checkSnapshotFile } from '../releases/checking.js';
import { holdSnapshot } from '../releases/held-snapshot.js';
import { locateOthers, locateSnapshot, type SnapshotLocation } from '../releases/snapshot-source.js';
import { explain, StartError } from '../serving/start-error.js';
import type { ServerSettings } from './first-process-settings.js';
import type { Fleet } from './fleet.js';
import { startSingleProcess } from './single-process.js';
import { startWorkers } from './workers.js';

/** Throws StartError where no snapshot can be served, or the key store or the address can't be had. */
export async function startFleet(settings: ServerSettings, logger: Logger): Promise<Fleet> {
  const source = settings.snapshotSource;
  const location = await explain('SNAPSHOT', [Error], () => locateSnapshot(source));
  try {
    return await startFrom(location, settings, logger);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const others = othersOf(source, location);
    if (others.length === 0 || (await isWhole(location))) throw error;
    // The follower of the source finds out, and tells, that the source names a damaged snapshot.
    for (const other of others) if (await isWhole(other)) return await startFrom(other, settings, logger);
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

async function startFrom(location: SnapshotLocation, settings: ServerSettings, logger: Logger): Promise<Fleet> {
  const held = await explain('SNAPSHOT', [Error], () => holdSnapshot(location));
  try {
    return await (settings.workers === 1 ? startSingleProcess : startWorkers)(settings, held, logger);
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
