/**
 * The start of those who serve: from the snapshot that the source names, or, where that is damaged and the source is a
 * folder, from the newest whole one of the folder.
 */
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { checkSnapshotFile } from '../releases/checking.js';
import { holdSnapshot } from '../releases/held-snapshot.js';
import { locateOthers, locateSnapshot, type SnapshotLocation } from '../releases/snapshot-source.js';
import { type Fleet, startAlone } from './fleet.js';
import { explain, StartError } from './start-error.js';
import { startWorkers } from './worker-fleet.js';

/** Throws StartError where no snapshot can be served, or the key store or the address can't be had. */
export async function startFleet(config: Config, logger: Logger): Promise<Fleet> {
  const location = await explain('SNAPSHOT', [Error], () => locateSnapshot(config.snapshotSource));
  try {
    return await startFrom(location, config, logger);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const others = locateOthers(config.snapshotSource, location.path);
    if (others.length === 0 || (await isWhole(location))) throw error;
    // Who follows the source finds out, and tells, that it names a damaged one.
    for (const other of others) if (await isWhole(other)) return await startFrom(other, config, logger);
    throw error;
  }
}

async function startFrom(location: SnapshotLocation, config: Config, logger: Logger): Promise<Fleet> {
  const held = await explain('SNAPSHOT', [Error], () => holdSnapshot(location));
  try {
    return await (config.workers === 1 ? startAlone : startWorkers)(config, held, logger);
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
