/** WORKERS=1: the first process serves by itself. */
import type { Logger } from '../logger.js';
import type { HeldSnapshot } from '../releases/held-snapshot.js';
import { startServing } from '../serving/serving-process.js';
import type { ServingSettings } from '../serving/serving-settings.js';
import type { Fleet } from './fleet.js';

/** Throws StartError. */
export async function startSingleProcess(
  settings: ServingSettings,
  first: HeldSnapshot,
  logger: Logger,
): Promise<Fleet> {
  const serving = await startServing(settings, first.openPath, logger);
  let held = first;
  return {
    host: serving.host,
    port: serving.port,
    get held() {
      return held;
    },
    snapshot: () => serving.snapshot(),
    servingCount: () => 1,
    unservedMs: () => 0,
    state: async () => ({ keyStores: [serving.keyStore()], expectedCount: 1, servingCount: 1, restartCount: 0 }),
    metrics: async () => [await serving.metrics()],
    async swap(next) {
      await serving.serve(next.openPath);
      // A request that still uses the earlier file has it in its mapping.
      held.release();
      held = next;
    },
    stop: () => serving.stop(),
  };
}
