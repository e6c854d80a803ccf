#!/usr/bin/env node
/**
 * The server program: reads the environment, finds the snapshot, lets this process or workers serve it, follows its
 * source from release to release, and drains when it is told to stop. Nothing but wiring.
 */
import { once } from 'node:events';
import type { Logger } from 'pino';
import { createAdminServer } from './admin/admin-server.js';
import { type Config, ConfigError, readConfig } from './config.js';
import { FORMAT_VERSION } from './format/header.js';
import { isMainModule } from './is-main-module.js';
import { createLogger } from './observing/logger.js';
import { packageVersion } from './package-root.js';
import { checkSnapshotFile } from './releases/checking.js';
import { followSnapshots, type SnapshotFollower } from './releases/snapshot-follower.js';
import type { Fleet } from './serving/fleet.js';
import { warnOfFewFiles } from './serving/open-files.js';
import type { ServingReport } from './serving/serving.js';
import { livenessOf, readinessOf, standingOf } from './serving/standing.js';
import { listen, StartError } from './serving/start-error.js';
import { startFleet } from './serving/starting.js';

export interface RunningServer {
  readonly host: string;
  /** The port it listens on, also where the configuration left the choice to the system. */
  readonly port: number;
  /** The port of the operators' server; null where there is none. */
  readonly adminPort: number | null;
  /** The release that was served first. */
  readonly release: string;
  /** Looks at once whether there is another snapshot to serve. */
  reload(): Promise<void>;
  /** Takes no more connections, lets requests under way end within DRAIN_SECONDS, and closes the key store. */
  close(): Promise<void>;
}

/** Starts serving. Throws StartError where the snapshot, the key store or an address cannot be had. */
export async function startServer(config: Config): Promise<RunningServer> {
  const logger = await createLogger(config.logLevel);
  const fleet = await startFleet(config, logger);
  const follower = followSnapshots({ source: config.snapshotSource, servers: fleet, check: checkSnapshotFile, logger });
  let isStopping = false;
  const stopServing = async (): Promise<void> => {
    isStopping = true;
    // Not one after the other: a look at a new snapshot may take long.
    await Promise.all([follower.stop(), fleet.stop()]);
  };
  let admin: AdminAddress | undefined;
  try {
    admin = await startAdmin(config, fleet, follower, () => isStopping, logger);
    const [report] = (await fleet.reports()).latest;
    if (report === undefined) throw new StartError('the workers ended as soon as they listened');
    logStart(logger, fleet, report, admin?.port);
    warnOfFewFiles(config, logger);
    return {
      host: fleet.host,
      port: fleet.port,
      adminPort: admin?.port ?? null,
      release: report.snapshot.release,
      reload: () => follower.look(),
      async close() {
        logger.info('stopping');
        await stopServing().finally(() => admin?.close());
        logger.info('stopped');
      },
    };
  } catch (error) {
    // What ends the start says more than how the end went.
    await stopServing().catch(() => {});
    admin?.close();
    throw error;
  }
}

interface AdminAddress {
  readonly port: number;
  close(): void;
}

/** The operators' server, where there is to be one. */
async function startAdmin(
  { adminHost, adminPort }: Config,
  fleet: Fleet,
  follower: SnapshotFollower,
  isStopping: () => boolean,
  logger: Logger,
): Promise<AdminAddress | undefined> {
  if (adminPort === null) return undefined;
  const { createMetricsPage } = await import('./observing/metrics.js');
  const server = createAdminServer({
    liveness: () => livenessOf(fleet),
    readiness: () => readinessOf(fleet, follower, isStopping()),
    metrics: createMetricsPage(() => standingOf(fleet, follower)),
    version: { version: packageVersion(), node: process.versions.node, snapshotFormat: FORMAT_VERSION },
  });
  const { port } = await listen(server, adminHost, adminPort, 'ADMIN_');
  server.on('error', (error) => logger.error({ err: error }, 'a connection for operators could not be accepted'));
  return {
    port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Tools read the port from this line, so it is written whatever the level. */
function logStart(logger: Logger, fleet: Fleet, { snapshot, keyStore }: ServingReport, adminPort?: number): void {
  const { host, port, expectedCount: workers } = fleet;
  const { release, id, mapped } = snapshot;
  const startSeconds = Number(process.uptime().toFixed(3));
  logger
    .child({}, { level: 'info' })
    .info(
      { host, port, adminPort, workers, release, snapshot: id, mapped, keyStore: keyStore.kind, startSeconds },
      'listening',
    );
  if (!mapped) logger.warn('the snapshot cannot be mapped here: it was read into memory');
}

/** Starts from the environment, stops on SIGTERM or SIGINT; a start that fails ends with one clear line. */
export async function main(environment: NodeJS.ProcessEnv): Promise<RunningServer | undefined> {
  // Heard before it is known to listen: who starts it may stop it at once. A second signal ends the process.
  const isToStop = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  let running: RunningServer | undefined;
  process.on('SIGHUP', () => void running?.reload());
  try {
    running = await startServer(readConfig(environment));
    void isToStop.then(() => stop(running as RunningServer));
    return running;
  } catch (error) {
    const isExpected = error instanceof ConfigError || error instanceof StartError;
    process.stderr.write(`postal-places: ${isExpected ? (error as Error).message : (error as Error).stack}\n`);
    process.exitCode = 1;
    return undefined;
  }
}

async function stop(running: RunningServer): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(1));
  try {
    await running.close();
  } catch (error) {
    process.stderr.write(`postal-places: it did not stop cleanly: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
  // A connection that came when the last worker had stopped listening is nobody's, and would keep this process.
  process.exit();
}

if (isMainModule(import.meta.url)) {
  await main(process.env);
}
