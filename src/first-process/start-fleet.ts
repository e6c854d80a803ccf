/** Lets the first process or workers serve from what the source names. */
import type { Logger } from '../logger.js';
import type { ServerSettings } from './first-process-settings.js';
import type { Fleet } from './fleet.js';
import { startSingleProcess } from './single-process.js';
import { startFromSource } from './start-from-source.js';
import { startWorkers } from './workers.js';

/** Throws StartError where no snapshot can be served, or the key store or the address can't be had. */
export function startFleet(settings: ServerSettings, logger: Logger): Promise<Fleet> {
  const start = settings.workers === 1 ? startSingleProcess : startWorkers;
  return startFromSource(settings.snapshotSource, (held) => start(settings, held, logger));
}
