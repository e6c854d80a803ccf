/**
 * Serves the API in this process, a worker or a single process: wires snapshot, key store, application and server.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askExamples } from '../../api/description/ask-examples.js';
import { type AppDependencies, createApp } from '../../api/http/app.js';
import { createHttpServer } from '../../api/http/http-server.js';
import type { RequestObserver } from '../../api/http/request-context.js';
import { ExpectedError, explainStartErrors } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { packageRoot } from '../../base/package-root.js';
import { service } from '../../core/answers/service.js';
import { withSiteAddress } from '../../core/answers/site-address.js';
import { findCountryAt } from '../../core/lookup/country-at-point.js';
import { SnapshotError } from '../../core/snapshot/snapshot-error.js';
import { KeyBatcher } from '../../keys/decision/key-batcher.js';
import type { KeyStore, KeyStoreHealth, OpenOptions } from '../../keys/decision/key-store.js';
import { openKeyStore } from '../../keys/decision/open-key-store.js';
import { KeyStoreError } from '../../keys/storage/key-store-error.js';
import { PACKAGED_SITE_URL } from '../../releases/packaged/packaged-release.js';
import { openCurrentSnapshot } from '../../releases/served/current-snapshot.js';
import type { MetricValues, ServingMetrics } from '../admin/metrics.js';
import { type ServedSnapshot, servedSnapshot } from '../admin/server-state.js';
import { connectionsEach, logConnectionLimitReached } from '../program/connection-limit.js';
import { limitHeap } from '../program/heap-limit.js';
import { listen } from '../program/listen.js';
import { type ProcessSettings, packagedUrlsOf } from '../program/settings.js';
import { createAccessLog } from './access-log.js';

/** Milliseconds after the start when the log says whether the key store can be reached, before any request needs it. */
const KEY_STORE_START_MS = 1_000;

export interface ApiProcess {
  readonly host: string;
  readonly port: number;
  snapshot(): ServedSnapshot;
  /** Serves another file, and returns its snapshot. */
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

/** Serves the snapshot file at `path`. `onFailure` is called at each INTERNAL_ERROR. */
export async function serveApi(
  settings: ProcessSettings,
  path: string,
  logger: Logger,
  storeOptions: OpenOptions = {},
  onFailure = (): void => {},
): Promise<ApiProcess> {
  const { host, port, trustedProxies, keylessNetworks, photon, drainSeconds } = settings;
  limitHeap();
  const live = await explainStartErrors('SNAPSHOT', [SnapshotError, ExpectedError], () =>
    openCurrentSnapshot(path, askExamples, logger),
  );
  // Loads the outlines of countries, so that no request waits for them.
  findCountryAt(live.current(), 0, 0);
  const store = await explainStartErrors('KEYS_DIR', [KeyStoreError], () =>
    openKeyStore(settings, logger, { workers: settings.workers, ...storeOptions }),
  );
  store.inspect();
  const metrics = settings.adminPort === null ? undefined : await loadMetrics();
  const observer = chooseObserver(settings, metrics, logger);
  const keys = new KeyBatcher(store);
  const description = readFileSync(join(packageRoot(), 'docs/openapi.json'), 'utf8');
  const answering = { trustedProxies, keylessNetworks, photon };
  const site = packagedUrlsOf(settings);
  const ofSite = site === PACKAGED_SITE_URL ? { service } : createServiceOfSite(site);
  const app = createApp({ ...ofSite, snapshots: live, keys, description, logger, observer, onFailure, ...answering });
  const connectionLimits = { maxConnections: connectionsEach(settings) };
  const { server, connections } = createHttpServer(app, { observer, connectionLimits });
  metrics?.observe({ keyStore: () => store.health(), connections });
  const address = await listen(server, host, port).catch(async (error) => {
    await store.close();
    throw error;
  });
  server.on('error', (error) => logger.error({ err: error }, 'a connection could not be accepted'));
  warnWhereKeysFail(store, logger);
  const stopTelling = logConnectionLimitReached(logger, connections);
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
      await connections.drain(drainSeconds);
      await store.close();
    },
  };
}

/** The service with `url` fields of another site, which the tags of its answers tell. */
function createServiceOfSite(site: string): Pick<AppDependencies, 'service' | 'tagSuffix'> {
  return { service: withSiteAddress(service, PACKAGED_SITE_URL, site), tagSuffix: site };
}

/** The metrics library is slow to load, so it is loaded only if ADMIN_PORT is set. */
async function loadMetrics(): Promise<ServingMetrics> {
  const { createServingMetrics } = await import('../admin/metrics.js');
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
