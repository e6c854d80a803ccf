#!/usr/bin/env node
/**
 * The server program: reads the environment, opens the snapshot and the key store, listens, and drains when it is told
 * to stop. Nothing but wiring: everything it wires is made by a factory and knows nothing of the process.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createAdminServer } from './admin/admin-server.js';
import { type Config, ConfigError, readConfig } from './config.js';
import { SnapshotError } from './format/snapshot-error.js';
import { createApp } from './http/app.js';
import { createHttpServer } from './http/server.js';
import { isMainModule } from './is-main-module.js';
import { KeyStoreError } from './keys/key-store.js';
import { openKeyStore } from './keys/open-key-store.js';
import { createKeyGate } from './keys/turn-key-gate.js';
import { service } from './service/service.js';
import { openSnapshot } from './store/snapshot.js';

/** How much of a second of DRAIN_SECONDS idle connections are left open, see HttpServer.drain. */
const GRACE_MS_PER_SECOND = 100;

/** After that long a key store that can't be asked is worth a line, though no request has asked yet. */
const KEY_STORE_START_MS = 1_000;

/** Why the server cannot start, in one line that names the variable to look at. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

export interface RunningServer {
  readonly host: string;
  /** The port it listens on, also where the configuration left the choice to the system. */
  readonly port: number;
  /** The port of the operators' server; null where there is none. */
  readonly adminPort: number | null;
  /** The release of the snapshot being served. */
  readonly release: string;
  /** Takes no more connections, lets requests under way end within DRAIN_SECONDS, and closes the key store. */
  close(): Promise<void>;
}

/** Starts serving. Throws StartError where the snapshot, the key store or the address cannot be had. */
export async function startServer(config: Config): Promise<RunningServer> {
  const logger = pino({ level: config.logLevel });
  const snapshot = await explain('SNAPSHOT', SnapshotError, () => openSnapshot(config.snapshotFile));
  const store = await explain('KEYS_DIR', KeyStoreError, () => openKeyStore(config, logger));
  const app = createApp({ service, snapshots: { current: () => snapshot }, keys: createKeyGate(store), logger });
  const server = createHttpServer(app);
  const admin = createAdminServer({ snapshot: () => snapshot, keyStore: () => store.health() });
  const addresses = await listenOn(server, admin, config).catch(async (error) => {
    for (const opened of [server, admin]) opened.close();
    await store.close();
    throw error;
  });
  const { host, port, adminPort } = addresses;
  // Tools read the port from this line, so it is written whatever the level.
  logger.child({}, { level: 'info' }).info(
    {
      host,
      port,
      ...(adminPort !== null && { adminPort }),
      release: snapshot.release,
      snapshot: snapshot.id,
      mapped: snapshot.mapped,
      keyStore: store.health().kind,
      startSeconds: Number(process.uptime().toFixed(3)),
    },
    'listening',
  );
  setTimeout(() => {
    const health = store.health();
    if (health.state === 'degraded') logger.warn({ keyStore: health }, 'the key store can not be asked');
  }, KEY_STORE_START_MS).unref();
  if (!snapshot.mapped) logger.warn('the snapshot cannot be mapped here: it was read into memory');
  return {
    host,
    port,
    adminPort,
    release: snapshot.release,
    async close() {
      await server.drain({ graceMs: config.drainSeconds * GRACE_MS_PER_SECOND, limitMs: config.drainSeconds * 1_000 });
      try {
        await store.close();
      } finally {
        admin.close();
        admin.closeAllConnections();
      }
      logger.info('stopped');
    },
  };
}

async function listenOn(
  server: Server,
  admin: Server,
  { host, port, adminHost, adminPort }: Config,
): Promise<Pick<RunningServer, 'host' | 'port' | 'adminPort'>> {
  const address = await listen(server, host, port, 'HOST', 'PORT');
  const adminAddress =
    adminPort === null ? null : await listen(admin, adminHost, adminPort, 'ADMIN_HOST', 'ADMIN_PORT');
  return { host: address.address, port: address.port, adminPort: adminAddress?.port ?? null };
}

/** Runs `open`; what it refuses with becomes a StartError that names the variable. */
async function explain<T>(
  variable: string,
  refusal: typeof SnapshotError | typeof KeyStoreError,
  open: () => T | Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof refusal)) throw error;
    throw new StartError(`${variable}: ${error.message}`, { cause: error });
  }
}

async function listen(
  server: Server,
  host: string,
  port: number,
  hostVariable: string,
  portVariable: string,
): Promise<AddressInfo> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, backlog: 1024 }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    const why = (error as Error).message;
    throw new StartError(`${hostVariable} ${host}, ${portVariable} ${port}: ${why}`, { cause: error });
  }
  return server.address() as AddressInfo;
}

/** Starts from the environment, stops on SIGTERM or SIGINT; a start that fails ends with one clear line. */
export async function main(environment: NodeJS.ProcessEnv): Promise<RunningServer | undefined> {
  // Heard before it is known to listen: who starts it may stop it at once. A second signal ends the process.
  const isToStop = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  try {
    const running = await startServer(readConfig(environment));
    void isToStop.then(() => stop(running));
    return running;
  } catch (error) {
    const isExpected = error instanceof ConfigError || error instanceof StartError;
    process.stderr.write(`postal-places: ${isExpected ? (error as Error).message : (error as Error).stack}\n`);
    process.exitCode = 1;
    return undefined;
  }
}

async function stop(running: RunningServer): Promise<void> {
  try {
    await running.close();
  } catch (error) {
    process.stderr.write(`postal-places: it did not stop cleanly: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

if (isMainModule(import.meta.url)) {
  await main(process.env);
}
