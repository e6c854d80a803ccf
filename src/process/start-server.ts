/**
 * Starts a server: finds the snapshot, serves it from this process or from workers, follows its source from release to
 * release, and starts the admin server. Only wiring.
 */

import { createLogger, type Logger } from '../base/logger.js';
import { tellPackagedData } from '../releases/packaged/packaged-release.js';
import { openFromSource } from '../releases/served/open-from-source.js';
import { adminVersionReport } from './admin/admin-server.js';
import { judgeLiveness, judgeReadiness, type ServerState } from './admin/server-state.js';
import { warnIfConnectionLimitTooHigh } from './program/connection-limit.js';
import type { ProcessSettings } from './program/settings.js';
import type { ServerProcesses } from './serving/server-processes.js';
import { followSource } from './source/follow-source.js';
import { type OpenedSource, startFromSource } from './source/snapshot-source.js';

export interface RunningServer {
  readonly host: string;
  /** The actual port, also if PORT is 0. */
  readonly port: number;
  /** The release that every process serves. */
  servedRelease(): string;
  /** Looks for another snapshot now. */
  reload(): Promise<void>;
  /** Stops listening, drains requests for up to DRAIN_SECONDS, and closes the key store. */
  close(): Promise<void>;
}

export async function startServer(settings: ProcessSettings, stopping: AbortSignal): Promise<RunningServer> {
  const logger = await createLogger(settings.logLevel);
  return await startFromSource(settings, logger, stopping, (source) => startFrom(source, settings, logger));
}

async function startFrom(source: OpenedSource, settings: ProcessSettings, logger: Logger): Promise<RunningServer> {
  const processes = await startProcesses(source, settings, logger);
  const { snapshotSource, adminHost, adminPort } = settings;
  const { adminPort: listeningAdminPort, ...running } = await followSource({
    ...{ source, processes, logger, admin: { host: adminHost, port: adminPort, prefix: 'ADMIN_' } },
    async adminSources(readState) {
      const { createMetricsPage } = await import('./admin/metrics.js');
      const state = async (): Promise<ServerState> => {
        const processesState = await processes.state();
        return { ...processesState, ...readState(), snapshot: processes.snapshot() };
      };
      return {
        liveness: () => judgeLiveness(processes.unservedMs()),
        readiness: async () => judgeReadiness(await state()),
        metrics: createMetricsPage(state, () => processes.metrics()),
        version: adminVersionReport(),
      };
    },
    stop: () => processes.stop(),
  });
  await logStart(logger, processes, settings, listeningAdminPort);
  tellPackagedData(snapshotSource, logger);
  warnIfConnectionLimitTooHigh(settings, logger);
  const { host, port } = processes;
  return { host, port, servedRelease: () => processes.snapshot().release, ...running };
}

/** Tools read the port from the line `listening`, so it is written at every LOG_LEVEL. */
async function logStart(
  logger: Logger,
  processes: ServerProcesses,
  { workers, redis, keylessNetworks, photon }: ProcessSettings,
  adminPort: number | undefined,
): Promise<void> {
  const { host, port } = processes;
  const { release, id, mapped } = processes.snapshot();
  const keyStore = redis === null ? 'embedded' : 'redis';
  const startSeconds = Number(process.uptime().toFixed(3));
  (await createLogger('info')).info(
    { host, port, adminPort, workers, release, snapshot: id, mapped, keyStore, startSeconds },
    'listening',
  );
  if (photon) logger.info({}, "answers in Photon's protocol too");
  if (keylessNetworks.length > 0) {
    logger.info({ networks: keylessNetworks }, 'these networks need no key; each of their addresses is limited');
  }
  if (!mapped) logger.warn({}, 'the snapshot cannot be mapped here: it was read into memory');
}

/**
 * Serves the snapshot of the source from this process or from workers. A supervisor of workers does not load the code
 * that serves.
 */
function startProcesses({ path }: OpenedSource, settings: ProcessSettings, logger: Logger): Promise<ServerProcesses> {
  return openFromSource<ServerProcesses>(path, async (pinned) => {
    if (settings.workers === 1) {
      const { startSingleProcess } = await import('./serving/server-processes.js');
      return await startSingleProcess(settings, pinned, logger);
    }
    const { startSupervisor } = await import('./workers/supervisor.js');
    return await startSupervisor(settings, pinned, logger);
  });
}
