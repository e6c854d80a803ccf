/**
 * Serves the API in this process, a worker or a single process: wires snapshot, key store, application and server.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseApiDescription } from '../api/http/api-description.js';
import { createApp } from '../api/http/app.js';
import { createHttpServer } from '../api/http/http-server.js';
import type { RequestObserver } from '../api/http/request-context.js';
import { contextOf } from '../api/http/request-context.js';
import { ExpectedError, explain } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { packageRoot } from '../base/package-root.js';
import { SnapshotError } from '../core/snapshot/snapshot-error.js';
import { service } from '../core/use-cases/service.js';
import { redactUrl } from '../keys/api-key.js';
import { KeyBatcher } from '../keys/key-batcher.js';
import { openKeyStore } from '../keys/key-settings.js';
import type { KeyStore, KeyStoreHealth, OpenOptions } from '../keys/key-store.js';
import { KeyStoreError } from '../keys/storage/key-store-error.js';
import { openCurrentSnapshot, servePinned } from '../releases/current-snapshot.js';
import type { PinnedSnapshot } from '../releases/find-snapshot.js';
import type { SnapshotProcesses } from '../releases/integrity-check.js';
import { clientAddress } from '../server/client-address.js';
import { drainLimits } from '../server/connections.js';
import { type ProcessesState, type ServedSnapshot, servedSnapshot } from './admin-server.js';
import type { MetricValues, ServingMetrics } from './metrics.js';
import { connectionsEach, tellShortage } from './open-files.js';
import { listen } from './program.js';
import type { ProcessSettings } from './settings.js';

/* The access log: one line for an evenly spread share of the requests, with URL, key id and outcome. */

/** `share` is above 0 and at most 1. */
export function createAccessLog(logger: Logger, share: number): RequestObserver {
  let due = 0;
  const isNext = (): boolean => {
    due += share;
    if (due < 1) return false;
    due -= 1;
    return true;
  };
  return {
    answered(request, response, seconds) {
      if (!isNext()) return;
      const { correlationId, route, keyId, keyOutcome, lookupCount } = contextOf(response);
      logger.info(
        {
          correlationId,
          method: request.method,
          url: redactUrl(request.originalUrl),
          route,
          status: response.writableFinished ? response.statusCode : 'aborted',
          milliseconds: Math.round(seconds * 1e6) / 1e3,
          client: clientAddress(request),
          keyId,
          keyOutcome,
          lookupCount,
        },
        'request',
      );
    },
    refusedEarly(status, correlationId) {
      if (isNext()) logger.info({ correlationId, status }, 'request that was no HTTP');
    },
  };
}

/** Milliseconds after the start when the log says whether the key store can be reached, before any request needs it. */
const KEY_STORE_START_MS = 1_000;

export interface ApiProcess {
  readonly host: string;
  readonly port: number;
  snapshot(): ServedSnapshot;
  /** Serves another file, and returns its snapshot. Rejects as CurrentSnapshot.serve. */
  serve(path: string): Promise<ServedSnapshot>;
  keyStore(): KeyStoreHealth;
  metrics(): Promise<MetricValues>;
  /** Takes no more connections. */
  stopListening(): void;
  /** Stops listening, drains requests for up to DRAIN_SECONDS, and closes the key store. */
  stop(): Promise<void>;
}

/** The methods that the supervisor calls in a worker. */
export type WorkerMethods = Pick<ApiProcess, 'serve' | 'stopListening' | 'keyStore' | 'metrics'>;

/** The reply of a worker that has started to listen. */
export interface WorkerStart {
  readonly host: string;
  readonly snapshot: ServedSnapshot;
}

/**
 * Serves the snapshot file at `path`. `onFailure` is told of each INTERNAL_ERROR. Throws StartError if the file, the key
 * store or the address can't be used.
 */
export async function serveApi(
  settings: ProcessSettings,
  path: string,
  logger: Logger,
  storeOptions: OpenOptions = {},
  onFailure = (): void => {},
): Promise<ApiProcess> {
  const { host, port, trustedProxies, keylessNetworks, photon, drainSeconds } = settings;
  const live = await explain('SNAPSHOT', [SnapshotError, ExpectedError], () =>
    openCurrentSnapshot(path, service, { logger }),
  );
  const store = await explain('KEYS_DIR', [KeyStoreError], () =>
    openKeyStore(settings, logger, { workers: settings.workers, ...storeOptions }),
  );
  store.inspect();
  const metrics = settings.adminPort === null ? undefined : await loadMetrics();
  const observer = chooseObserver(settings, metrics, logger);
  const keys = new KeyBatcher(store);
  const description = parseApiDescription(readFileSync(join(packageRoot(), 'docs/openapi.json'), 'utf8'));
  const answering = { trustedProxies, keylessNetworks, photon };
  const app = createApp({ service, snapshots: live, keys, description, logger, observer, onFailure, ...answering });
  const connectionLimits = { maxConnections: connectionsEach(settings) };
  const { server, connections } = createHttpServer(app, { observer, connectionLimits });
  metrics?.observe({ keyStore: () => store.health(), connections });
  const address = await listen(server, host, port).catch(async (error) => {
    await store.close();
    throw error;
  });
  server.on('error', (error) => logger.error({ err: error }, 'a connection could not be accepted'));
  warnWhereKeysFail(store, logger);
  const stopTelling = tellShortage(logger, connections);
  const snapshot = (): ServedSnapshot => servedSnapshot(live.current());
  return {
    host: address.address,
    port: address.port,
    snapshot,
    async serve(path) {
      await live.serve(path);
      return snapshot();
    },
    keyStore: () => store.health(),
    metrics: async () => (await metrics?.values()) ?? [],
    stopListening: () => connections.stopListening(),
    async stop() {
      stopTelling();
      await connections.drain(drainLimits(drainSeconds));
      await store.close();
    },
  };
}

/** The metrics library is slow to load, so it is loaded only if ADMIN_PORT is set. */
async function loadMetrics(): Promise<ServingMetrics> {
  const { createServingMetrics } = await import('./metrics.js');
  return createServingMetrics();
}

/** The observer for metrics and the access log; undefined without both. */
function chooseObserver(
  { accessLogShare }: ProcessSettings,
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
    if (health.state === 'degraded') logger.warn({ keyStore: health }, 'the key store is degraded');
  }, KEY_STORE_START_MS).unref();
}

/* WORKERS=1: the supervisor serves by itself. */

/** Throws StartError. */
export async function startSingleProcess(
  settings: ProcessSettings,
  first: PinnedSnapshot,
  logger: Logger,
): Promise<ServerProcesses> {
  let failureCount = 0;
  const api = await serveApi(settings, first.openPath, logger, {}, () => failureCount++);
  const { host, port } = api;
  return Object.assign(
    servePinned(
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

/* The processes that serve the API: this process alone, or workers. */

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
