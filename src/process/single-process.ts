/** WORKERS=1: the supervisor serves by itself. */
import type { Logger } from '../logger.js';
import { servePinned } from '../snapshots/current-snapshot.js';
import type { PinnedSnapshot } from '../snapshots/pinned-snapshot.js';
import type { ProcessSettings } from './process-settings.js';
import { serveApi } from './serve-api.js';
import type { ServerProcesses } from './server-processes.js';

/** Throws StartError. */
export async function startSingleProcess(
  settings: ProcessSettings,
  first: PinnedSnapshot,
  logger: Logger,
): Promise<ServerProcesses> {
  const api = await serveApi(settings, first.openPath, logger);
  const { host, port } = api;
  return Object.assign(
    servePinned(first, (path) => api.serve(path)),
    {
      host,
      port,
      snapshot: () => api.snapshot(),
      unservedMs: () => 0,
      state: async () => ({ keyStores: [api.keyStore()], expectedCount: 1, servingCount: 1, restartCount: 0 }),
      metrics: async () => [await api.metrics()],
      stop: () => api.stop(),
    },
  );
}
