/**
 * Starts a server: finds the snapshot, lets this process or workers serve it, follows its source from release to release,
 * and answers operators. Nothing but wiring.
 */
import type { Logger } from '../logger.js';
import { createLog } from '../operators/log.js';
import { judgeLiveness, judgeReadiness, programVersion, type ServerState } from '../operators/server-state.js';
import { checkSnapshotFile } from '../releases/checking.js';
import { followSnapshots } from '../releases/snapshot-follower.js';
import { warnOfFewFiles } from '../serving/open-files.js';
import type { ServerSettings } from './first-process-settings.js';
import type { Fleet } from './fleet.js';
import { type AdminAddress, startAdmin } from './start-admin.js';
import { startFleet } from './start-fleet.js';

export interface RunningServer {
  readonly host: string;
  /** The port it listens on, also where the settings left the choice to the system. */
  readonly port: number;
  /** The release that was served first. */
  readonly release: string;
  /** Looks at once whether there is another snapshot to serve. */
  reload(): Promise<void>;
  /** Takes no more connections, lets requests under way end within DRAIN_SECONDS, and closes the key store. */
  close(): Promise<void>;
}

/** Throws StartError where the snapshot, the key store or an address can't be had. */
export async function startServer(settings: ServerSettings): Promise<RunningServer> {
  const logger = await createLog(settings.logLevel);
  const fleet = await startFleet(settings, logger);
  const { snapshotSource: source } = settings;
  const follower = followSnapshots({ source, servers: fleet, check: checkSnapshotFile, logger });
  let isStopping = false;
  const readState = async (): Promise<ServerState> => {
    const fleetState = await fleet.state();
    return { ...fleetState, ...follower.state(), snapshot: fleet.snapshot(), isStopping };
  };
  const stopServing = async (): Promise<void> => {
    isStopping = true;
    // Not one after the other: a look at a new snapshot may take long.
    await Promise.all([follower.stop(), fleet.stop()]);
  };
  let admin: AdminAddress | undefined;
  try {
    admin = await startAdminOf(settings, fleet, readState, logger);
    await logStart(logger, fleet, settings, admin?.port);
    warnOfFewFiles(settings, logger);
    return {
      host: fleet.host,
      port: fleet.port,
      release: fleet.snapshot().release,
      reload: () => follower.look(),
      async close() {
        logger.info({}, 'stopping');
        await stopServing().finally(() => admin?.close());
        logger.info({}, 'stopped');
      },
    };
  } catch (error) {
    // What ended the start says more than how the end went.
    await stopServing().catch(() => {});
    admin?.close();
    throw error;
  }
}

/** Where the settings give it a port. */
async function startAdminOf(
  { adminHost, adminPort }: ServerSettings,
  fleet: Fleet,
  readState: () => Promise<ServerState>,
  logger: Logger,
): Promise<AdminAddress | undefined> {
  if (adminPort === null) return undefined;
  const { createMetricsPage } = await import('../operators/metrics-page.js');
  const sources = {
    liveness: () => judgeLiveness(fleet.unservedMs()),
    readiness: async () => judgeReadiness(await readState()),
    metrics: createMetricsPage(readState, () => fleet.metrics()),
    version: programVersion(),
  };
  return await startAdmin(sources, { host: adminHost, port: adminPort, prefix: 'ADMIN_' }, logger);
}

/** Tools read the port from the line `listening`, so it is written whatever the level. */
async function logStart(
  logger: Logger,
  fleet: Fleet,
  { workers, redis }: ServerSettings,
  adminPort: number | undefined,
): Promise<void> {
  const { host, port } = fleet;
  const { release, id, mapped } = fleet.snapshot();
  const keyStore = redis === null ? 'embedded' : 'redis';
  const startSeconds = Number(process.uptime().toFixed(3));
  (await createLog('info')).info(
    { host, port, adminPort, workers, release, snapshot: id, mapped, keyStore, startSeconds },
    'listening',
  );
  if (!mapped) logger.warn({}, 'the snapshot cannot be mapped here: it was read into memory');
}
