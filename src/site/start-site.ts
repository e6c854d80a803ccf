/**
 * Starts the site: one process that opens the snapshot, answers from it, and follows its source from release to release as
 * the server does, by the same code. Nothing but wiring.
 */
import { createServer, type Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { classesOf } from '../app-prototypes.js';
import { startFromSource } from '../first-process/start-from-source.js';
import { SnapshotError } from '../format/snapshot-error.js';
import type { Logger } from '../logger.js';
import { createLog } from '../operators/log.js';
import { checkSnapshotFile } from '../releases/checking.js';
import type { HeldSnapshot } from '../releases/held-snapshot.js';
import type { SnapshotServers } from '../releases/served-check.js';
import { followSnapshots } from '../releases/snapshot-follower.js';
import { service } from '../service/service.js';
import { listen } from '../serving/listening.js';
import { type LiveSnapshot, openLiveSnapshot } from '../serving/live-snapshot.js';
import { ProbeError } from '../serving/probing.js';
import { explain } from '../serving/start-error.js';
import { openAccounts } from './account/open-accounts.js';
import { createSiteApp } from './app.js';
import { readAssets } from './assets.js';
import { readDocs } from './docs/docs-library.js';
import { watchEarlierReleases } from './earlier-releases.js';
import type { SiteSettings } from './site-settings.js';

export interface RunningSite {
  readonly host: string;
  readonly port: number;
  /** Where readers find it. */
  readonly siteUrl: string;
  reload(): Promise<void>;
  /** Takes no more connections, and lets requests under way end within DRAIN_SECONDS. */
  close(): Promise<void>;
}

/** A page is asked for in a few hundred bytes. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 20_000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384 };
const MAX_CONNECTIONS = 10_000;
const DRAIN_LOOK_MS = 50;

/** Throws StartError where the snapshot or the address can't be had, and Error where the build is not whole. */
export async function startSite(settings: SiteSettings): Promise<RunningSite> {
  const { snapshotSource: source } = settings;
  const logger = await createLog(settings.logLevel);
  const [assets, docs] = [readAssets(), readDocs()];
  const { live, servers } = await startFromSource(source, serveHeld);
  const { apiUrl, trustedProxies } = settings;
  const { opened, missing } = await openAccounts(settings, logger, {
    isTerminal: process.stdout.isTTY === true,
    write: (text) => void process.stdout.write(text),
  });
  const addresses = { siteUrl: settings.siteUrl ?? '', apiUrl, hasAccounts: opened !== undefined };
  const account = opened?.site;
  const earlierReleases = watchEarlierReleases(source, logger);
  const app = createSiteApp({
    snapshots: live,
    addresses,
    assets,
    docs,
    earlierReleases,
    logger,
    trustedProxies,
    account,
  });
  const server = createServer({ ...LIMITS, ...classesOf(app) }, app);
  server.maxConnections = MAX_CONNECTIONS;
  const { address: host, port } = await listen(server, settings.host, settings.port, 'SITE_').catch(async (error) => {
    await opened?.close();
    throw error;
  });
  server.on('error', (error) => logger.error({ err: error }, 'a connection could not be accepted'));
  // No request has been read yet: where the site is can be told before the first one.
  addresses.siteUrl ||= `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { siteUrl } = addresses;
  const follower = followSnapshots({ source, servers, check: checkSnapshotFile, logger });
  await logStart(logger, live, { host, port, siteUrl });
  if (opened !== undefined && siteUrl.startsWith('https:') && trustedProxies.length === 0) {
    logger.warn({}, 'TRUST_PROXY is not set: limits for network addresses take all readers behind the proxy for one');
  }
  if (missing.length > 0) logger.warn({ missing }, 'nobody can sign in: set what is missing, or ACCOUNTS=off');
  return {
    host,
    port,
    siteUrl,
    reload: () => follower.look(),
    async close() {
      logger.info({}, 'stopping');
      await Promise.all([follower.stop(), drain(server, settings.drainSeconds)]);
      await opened?.close();
      logger.info({}, 'stopped');
    },
  };
}

/** This process alone serves the snapshot. */
async function serveHeld(first: HeldSnapshot): Promise<{ live: LiveSnapshot; servers: SnapshotServers }> {
  const live = await explain('SNAPSHOT', [SnapshotError, ProbeError], () => openLiveSnapshot(first.openPath, service));
  let held = first;
  const servers: SnapshotServers = {
    get held() {
      return held;
    },
    servingCount: () => 1,
    async swap(next) {
      await live.serve(next.openPath);
      held.release();
      held = next;
    },
  };
  return { live, servers };
}

/** Tools read the port from the line `listening`, so it is written whatever the level. */
async function logStart(
  logger: Logger,
  live: LiveSnapshot,
  at: { host: string; port: number; siteUrl: string },
): Promise<void> {
  const { release, id, manifest } = live.current();
  (await createLog('info')).info({ ...at, release, snapshot: id }, 'listening');
  if (manifest.siteUrl === at.siteUrl) return;
  logger.warn(
    { url: manifest.siteUrl, siteUrl: at.siteUrl },
    'the url fields of the snapshot point to another site than this one; build-index build --site-url sets them',
  );
}

/** Idle connections are closed at once, others when their answer is out, and all of them at the limit. */
async function drain(server: Server, seconds: number): Promise<void> {
  const limit = setTimeout(() => server.closeAllConnections(), seconds * 1_000);
  let isClosed = false;
  server.close(() => {
    isClosed = true;
  });
  while (!isClosed) {
    server.closeIdleConnections();
    await wait(DRAIN_LOOK_MS);
  }
  clearTimeout(limit);
}
