/** The processes that serve the API: this process alone, or workers (supervisor.ts). */

import type { Logger } from '../../base/logger.js';
import type { PinnedSnapshot } from '../../releases/folder/pinned-snapshot.js';
import { type SnapshotProcesses, singleServingProcess } from '../../releases/served/serving-processes.js';
import type { MetricValues } from '../admin/metrics.js';
import type { ProcessesState, ServedSnapshot } from '../admin/server-state.js';
import type { ProcessSettings } from '../program/settings.js';
import { serveApi } from './serve-api.js';

export interface ServerProcesses extends SnapshotProcesses {
  readonly host: string;
  /** The actual port, also if PORT is 0. */
  readonly port: number;
  /** The snapshot that every process serves; during a swap, the earlier one. */
  snapshot(): ServedSnapshot;
  /** Milliseconds since a process last served; 0 while one serves. */
  unservedMs(): number;
  state(): Promise<ProcessesState>;
  /** Of each process. */
  metrics(): Promise<readonly MetricValues[]>;
  /** Drains requests and closes the key stores. */
  stop(): Promise<void>;
}

/** WORKERS=1: this process serves by itself. */
export async function startSingleProcess(
  settings: ProcessSettings,
  first: PinnedSnapshot,
  logger: Logger,
): Promise<ServerProcesses> {
  let failureCount = 0;
  const api = await serveApi(settings, first.openPath, logger, {}, () => failureCount++);
  const { host, port } = api;
  return Object.assign(
    singleServingProcess(
      first,
      (path) => api.serve(path),
      () => failureCount,
    ),
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
