/** Lets the first process or workers serve from what the source names. Beside workers nothing is loaded that serves. */
import type { Logger } from '../logger.js';
import type { ServerSettings } from './first-process-settings.js';
import type { Fleet } from './fleet.js';
import { startFromSource } from './start-from-source.js';

/** Throws StartError where no snapshot can be served, or the key store or the address can't be had. */
export function startFleet(settings: ServerSettings, logger: Logger): Promise<Fleet> {
  return startFromSource<Fleet>(settings.snapshotSource, async (held) => {
    if (settings.workers === 1) {
      const { startSingleProcess } = await import('./single-process.js');
      return await startSingleProcess(settings, held, logger);
    }
    const { startWorkers } = await import('./workers.js');
    return await startWorkers(settings, held, logger);
  });
}
