/**
 * Starts the site: one process that opens the snapshot, answers from it, and follows its source from release to release
 * as the server does, by the same code. Nothing but wiring.
 */
import { setFlagsFromString } from 'node:v8';
import { createLog } from '../admin/log.js';
import { judgeLiveness, judgeSiteReadiness, programVersion } from '../admin/server-state.js';
import { ExpectedError } from '../expected-error.js';
import { SnapshotError } from '../format/snapshot-error.js';
import type { Logger } from '../logger.js';
import { listen } from '../process/listen.js';
import { connectionsEach, tellShortage, warnOfFewFiles } from '../process/open-files.js';
import { type AdminAddress, startAdmin } from '../process/start-admin.js';
import { drainLimits } from '../server/connections.js';
import { warnOfMissingInternals } from '../server/node-internals.js';
import { service } from '../service/service.js';
import { checkSnapshotFile } from '../snapshots/check-file.js';
import { type CurrentSnapshot, openCurrentSnapshot, servePinned } from '../snapshots/current-snapshot.js';
import type { SnapshotProcesses } from '../snapshots/integrity-check.js';
import { openFromSource } from '../snapshots/open-source.js';
import type { PinnedSnapshot } from '../snapshots/pinned-snapshot.js';
import { followSnapshots } from '../snapshots/snapshot-follower.js';
import { explain } from '../start-error.js';
import { openAccounts } from './account/open-accounts.js';
import { createSiteApp } from './app.js';
import { readAssets } from './assets.js';
import { readDocs } from './docs/docs-library.js';
import { watchEarlierReleases } from './earlier-releases.js';
import { createSiteServer } from './server.js';
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

/**
 * How much the heap may grow, in percent of what lives, before V8 collects garbage. By default V8 lets a flood of
 * requests grow the heap to four times that before it does: 258 MB for 121 MB of the process, at the same processor
 * time.
 */
const HEAP_GROWING_PERCENT = 50;

/** Throws StartError where the snapshot or an address can't be had, and Error where the build is not whole. */
export async function startSite(settings: SiteSettings): Promise<RunningSite> {
  const { snapshotSource: source, drainSeconds, trustedProxies } = settings;
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  const logger = await createLog(settings.logLevel);
  const [assets, docs] = [readAssets(), readDocs()];
  const { snapshots, processes } = await openFromSource(source, serveSource);
  const { opened, missing } = await openAccounts(settings, logger, {
    isTerminal: process.stdout.isTTY === true,
    write: (text) => void process.stdout.write(text),
  });
  const addresses = { siteUrl: settings.siteUrl ?? '', apiUrl: settings.apiUrl, hasAccounts: opened !== undefined };
  const account = opened?.site;
  const earlierReleases = watchEarlierReleases(source, logger);
  const shared = { assets, docs, earlierReleases, logger, trustedProxies, account };
  const app = createSiteApp({ snapshots, addresses, ...shared });
  const processSettings = { ...settings, workers: 1 };
  const connectionLimits = { maxConnections: connectionsEach(processSettings) };
  const { server, connections } = createSiteServer(app, { connectionLimits });
  const { address: host, port } = await listen(server, settings.host, settings.port, 'SITE_').catch(async (error) => {
    await opened?.close();
    throw error;
  });
  server.on('error', (error) => logger.error({ err: error }, 'a connection could not be accepted'));
  // No request has been read yet: where the site is can be told before the first one.
  addresses.siteUrl ||= `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { siteUrl } = addresses;
  const follower = followSnapshots({ source, processes, check: checkSnapshotFile, logger });
  let isStopping = false;
  let admin: AdminAddress | undefined;
  const stop = async (): Promise<void> => {
    isStopping = true;
    try {
      await Promise.all([follower.stop(), connections.drain(drainLimits(drainSeconds))]);
      await opened?.close();
    } finally {
      admin?.close();
    }
  };
  try {
    admin = await startSiteAdmin(
      settings,
      () => ({ ...follower.state(), snapshot: snapshots.current(), isStopping }),
      logger,
    );
  } catch (error) {
    // What ended the start says more than how the end went.
    await stop().catch(() => {});
    throw error;
  }
  await logStart(logger, snapshots, { host, port, adminPort: admin?.port, siteUrl });
  warnOfFewFiles(processSettings, logger);
  warnOfMissingInternals(logger);
  const stopTelling = tellShortage(logger, connections);
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
      stopTelling();
      await stop();
      logger.info({}, 'stopped');
    },
  };
}

/** Where the settings give it a port. */
async function startSiteAdmin(
  { adminHost: host, adminPort: port }: SiteSettings,
  readState: () => Parameters<typeof judgeSiteReadiness>[0],
  logger: Logger,
): Promise<AdminAddress | undefined> {
  if (port === null) return undefined;
  const sources = {
    liveness: () => judgeLiveness(0),
    readiness: async () => judgeSiteReadiness(readState()),
    version: programVersion(),
  };
  return await startAdmin(sources, { host, port, prefix: 'SITE_ADMIN_' }, logger);
}

async function serveSource(
  first: PinnedSnapshot,
): Promise<{ readonly snapshots: CurrentSnapshot; readonly processes: SnapshotProcesses }> {
  const snapshots = await explain('SNAPSHOT', [SnapshotError, ExpectedError], () =>
    openCurrentSnapshot(first.openPath, service),
  );
  return { snapshots, processes: servePinned(first, (path) => snapshots.serve(path)) };
}

/** Tools read the port from the line `listening`, so it is written whatever the level. */
async function logStart(
  logger: Logger,
  snapshots: CurrentSnapshot,
  at: { host: string; port: number; adminPort: number | undefined; siteUrl: string },
): Promise<void> {
  const { release, id, manifest } = snapshots.current();
  (await createLog('info')).info({ ...at, release, snapshot: id }, 'listening');
  if (manifest.siteUrl === at.siteUrl) return;
  logger.warn(
    { url: manifest.siteUrl, siteUrl: at.siteUrl },
    'the url fields of the snapshot point to another site than this one; build-index build --site-url sets them',
  );
}
