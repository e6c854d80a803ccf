/** One process that serves: snapshot, key store, application and server, wired. */
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { SnapshotError } from '../format/snapshot-error.js';
import { createApp } from '../http/app.js';
import type { RequestObserver } from '../http/handlers.js';
import { createHttpServer } from '../http/server.js';
import { type KeyStore, KeyStoreError, type KeyStoreHealth } from '../keys/key-store.js';
import { openKeyStore } from '../keys/open-key-store.js';
import { createKeyGate } from '../keys/turn-key-gate.js';
import { createAccessLog } from '../observing/access-log.js';
import type { MetricValues, ServingMetrics } from '../observing/metrics.js';
import { type LiveSnapshot, openLiveSnapshot } from '../releases/live-snapshot.js';
import { ProbeError } from '../releases/probing.js';
import { service } from '../service/service.js';
import { connectionsEach, tellShortage } from './open-files.js';
import { explain, listen } from './start-error.js';

/** How much of a second of DRAIN_SECONDS idle connections are left open, see Connections.drain. */
const GRACE_MS_PER_SECOND = 100;

/** After that long a key store that can't be asked is worth a line, though no request has asked yet. */
const KEY_STORE_START_MS = 1_000;

export interface ServingReport {
  readonly snapshot: ServedSnapshot;
  readonly keyStore: KeyStoreHealth;
}

export interface ServedSnapshot {
  readonly release: string;
  readonly id: string;
  /** False where the file had to be read into memory. */
  readonly mapped: boolean;
}

export interface Serving {
  readonly host: string;
  readonly port: number;
  readonly live: LiveSnapshot;
  report(): ServingReport;
  metrics(): Promise<MetricValues>;
  /** Takes no more connections. */
  stopListening(): void;
  /** Takes no more connections, lets requests under way end within DRAIN_SECONDS, and closes the key store. */
  stop(): Promise<void>;
}

/** Serves the snapshot file at `path`. Throws StartError where it, the key store or the address cannot be had. */
export async function startServing(config: Config, path: string, logger: Logger): Promise<Serving> {
  const { host, port, trustedProxies, drainSeconds } = config;
  const live = await explain('SNAPSHOT', [SnapshotError, ProbeError], () => openLiveSnapshot(path, service));
  const store = await explain('KEYS_DIR', [KeyStoreError], () => openKeyStore(config, logger));
  store.inspect();
  const metrics = config.adminPort === null ? undefined : await loadMetrics();
  const observer = chooseObserver(config, metrics, logger);
  const keys = createKeyGate(store);
  const app = createApp({ service, snapshots: live, keys, logger, observer, trustedProxies });
  const connectionLimits = { maxConnections: connectionsEach(config) };
  const { server, connections } = createHttpServer(app, { observer, connectionLimits });
  metrics?.observe({ keyStore: () => store.health(), connections });
  const address = await listen(server, host, port).catch(async (error) => {
    await store.close();
    throw error;
  });
  server.on('error', (error) => logger.error({ err: error }, 'a connection could not be accepted'));
  warnWhereKeysFail(store, logger);
  const stopTelling = tellShortage(logger, connections);
  return {
    host: address.address,
    port: address.port,
    live,
    report() {
      const { release, id, mapped } = live.current();
      return { snapshot: { release, id, mapped }, keyStore: store.health() };
    },
    metrics: async () => (await metrics?.values()) ?? [],
    stopListening: () => connections.stopListening(),
    async stop() {
      stopTelling();
      await connections.drain({ graceMs: drainSeconds * GRACE_MS_PER_SECOND, limitMs: drainSeconds * 1_000 });
      await store.close();
    },
  };
}

/** The library takes a while to load, which a server without an address for operators need not wait for. */
async function loadMetrics(): Promise<ServingMetrics> {
  const { createServingMetrics } = await import('../observing/metrics.js');
  return createServingMetrics();
}

/** Nothing is observed that nobody looks at. */
function chooseObserver(
  { accessLogShare }: Config,
  metrics: ServingMetrics | undefined,
  logger: Logger,
): RequestObserver | undefined {
  const accessLog = accessLogShare === 0 ? undefined : createAccessLog(logger, accessLogShare);
  const observers = [metrics?.observer, accessLog].filter((observer) => observer !== undefined);
  if (observers.length < 2) return observers[0];
  return {
    answered(request, response, seconds) {
      for (const observer of observers) observer.answered(request, response, seconds);
    },
    refusedEarly(status, correlationId) {
      for (const observer of observers) observer.refusedEarly(status, correlationId);
    },
  };
}

function warnWhereKeysFail(store: KeyStore, logger: Logger): void {
  setTimeout(() => {
    const health = store.health();
    if (health.state === 'degraded') logger.warn({ keyStore: health }, 'the key store can not be asked');
  }, KEY_STORE_START_MS).unref();
}
