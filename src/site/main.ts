/**
 * What `postal-places site` runs, the public website: pages for people, over the snapshot that the API serves, in a
 * process and at an address of its own. `postal-places start` runs it beside the API.
 */

import { askExamples } from '../api/description/ask-examples.js';
import type { Steps } from '../base/cooperative.js';
import { ExpectedError, explainStartErrors } from '../base/errors.js';
import { createLogger, type Logger } from '../base/logger.js';
import { isLoopback } from '../base/private-addresses.js';
import type { Snapshot } from '../core/snapshot/snapshot.js';
import { SnapshotError } from '../core/snapshot/snapshot-error.js';
import { adminVersionReport } from '../process/admin/admin-server.js';
import { judgeLiveness, judgeSiteReadiness, servedSnapshot } from '../process/admin/server-state.js';
import {
  connectionsEach,
  logConnectionLimitReached,
  warnIfConnectionLimitTooHigh,
} from '../process/program/connection-limit.js';
import { limitHeap } from '../process/program/heap-limit.js';
import { listen, listeningOrigin } from '../process/program/listen.js';
import { runProgram } from '../process/program/run-program.js';
import { followSource } from '../process/source/follow-source.js';
import { type OpenedSource, startFromSource } from '../process/source/snapshot-source.js';
import type { PinnedSnapshot } from '../releases/folder/pinned-snapshot.js';
import { tellPackagedData } from '../releases/packaged/packaged-release.js';
import { type CurrentSnapshot, openCurrentSnapshot } from '../releases/served/current-snapshot.js';
import { openFromSource } from '../releases/served/open-from-source.js';
import type { SnapshotProcesses } from '../releases/served/serving-processes.js';
import { singleServingProcess } from '../releases/served/serving-processes.js';
import { openAccounts } from './account/open-accounts.js';
import { createSiteApp } from './app.js';
import { readDocs } from './docs/docs-library.js';
import { readAssets } from './http/built-assets.js';
import { prepareInSteps } from './prepare-snapshot.js';
import { createSiteServer } from './site-server.js';
import { readSiteSettings, type SiteSettings } from './site-settings.js';

export interface RunningSite {
  /** The public address. */
  readonly siteUrl: string;
  /** Variables that must be set before anybody can sign in; empty where accounts are off. */
  readonly missing: readonly string[];
  servedRelease(): string;
  reload(): Promise<void>;
  /** Stops listening, and drains requests for up to DRAIN_SECONDS. */
  close(): Promise<void>;
}

/** Rejects with the reason of `stopping` if it is aborted. */
export async function startSite(settings: SiteSettings, stopping: AbortSignal): Promise<RunningSite> {
  const logger = await createLogger(settings.logLevel);
  return await startFromSource(settings, logger, stopping, (source) => startFrom(source, settings, logger));
}

async function startFrom(source: OpenedSource, settings: SiteSettings, logger: Logger): Promise<RunningSite> {
  const { snapshotSource, drainSeconds, trustedProxies } = settings;
  limitHeap();
  const [assets, docs] = [readAssets(), readDocs()];
  let failureCount = 0;
  const serve = (pinned: PinnedSnapshot) => serveSource(pinned, logger, () => failureCount);
  const { snapshots, processes } = await openFromSource(source.path, serve);
  const { opened, missing } = await openAccounts(settings, logger, {
    isTerminal: process.stdout.isTTY === true,
    write: (text) => void process.stdout.write(text),
  });
  const { formKey } = settings.accounts;
  const addresses = {
    siteUrl: settings.siteUrl ?? '',
    apiUrl: settings.apiUrl,
    hasAccounts: opened !== undefined,
    formKey,
  };
  const account = opened?.site;
  const onFailure = (): void => void failureCount++;
  const shared = { assets, docs, logger, onFailure, trustedProxies, account };
  const app = createSiteApp({ snapshots, addresses, ...shared });
  const processSettings = { ...settings, workers: 1 };
  const connectionLimits = { maxConnections: connectionsEach(processSettings) };
  const { server, connections } = createSiteServer(app, { connectionLimits });
  const { address: host, port } = await listen(server, settings.host, settings.port, 'SITE_').catch(async (error) => {
    await opened?.close();
    throw error;
  });
  server.on('error', (error) => logger.error({ err: error }, 'a connection could not be accepted'));
  // No request has been read yet, so the first one already sees the address.
  addresses.siteUrl ||= listeningOrigin({ host, port });
  const { siteUrl } = addresses;
  const stopTelling = logConnectionLimitReached(logger, connections);
  const { adminPort, ...running } = await followSource({
    ...{ source, processes, logger },
    admin: { host: settings.adminHost, port: settings.adminPort, prefix: 'SITE_ADMIN_' },
    adminSources: async (readState) => ({
      liveness: () => judgeLiveness(0),
      readiness: async () => judgeSiteReadiness({ ...readState(), snapshot: servedSnapshot(snapshots.current()) }),
      version: adminVersionReport(),
    }),
    async stop() {
      stopTelling();
      await connections.drain(drainSeconds);
      await opened?.close();
    },
  });
  await logStart(logger, snapshots, { host, port, adminPort, siteUrl });
  tellPackagedData(snapshotSource, logger);
  warnIfConnectionLimitTooHigh(processSettings, logger);
  if (opened !== undefined && siteUrl.startsWith('https:') && trustedProxies.length === 0) {
    logger.warn({}, 'TRUST_PROXY is not set: limits for network addresses take all readers behind the proxy for one');
  }
  if (missing.length > 0) logger.warn({ missing }, 'nobody can sign in: set what is missing, or ACCOUNTS=off');
  return { siteUrl, missing, servedRelease: () => snapshots.current().release, ...running };
}

async function serveSource(
  first: PinnedSnapshot,
  logger: Logger,
  failureCount: () => number,
): Promise<{ readonly snapshots: CurrentSnapshot; readonly processes: SnapshotProcesses }> {
  const snapshots = await explainStartErrors('SNAPSHOT', [SnapshotError, ExpectedError], () =>
    openCurrentSnapshot(first.openPath, probeAndPrepare, logger),
  );
  return { snapshots, processes: singleServingProcess(first, (path) => snapshots.serve(path), failureCount) };
}

function* probeAndPrepare(snapshot: Snapshot): Steps<void> {
  yield* askExamples(snapshot);
  yield* prepareInSteps(snapshot);
}

/** Tools read the port from the line `listening`, so it is written at every LOG_LEVEL. */
async function logStart(
  logger: Logger,
  snapshots: CurrentSnapshot,
  at: { host: string; port: number; adminPort: number | undefined; siteUrl: string },
): Promise<void> {
  const { release, id, manifest } = snapshots.current();
  (await createLogger('info')).info({ ...at, release, snapshot: id }, 'listening');
  const isAtHome = [manifest.siteUrl, at.siteUrl].every(
    (url) => URL.canParse(url) && isLoopback(new URL(url).hostname),
  );
  if (manifest.siteUrl === at.siteUrl || isAtHome) return;
  logger.warn(
    { url: manifest.siteUrl, siteUrl: at.siteUrl },
    'the url fields of the snapshot point to another site than this one; postal-places build --site-url sets them',
  );
}

/** Resolves once the site listens, or can't. */
export async function serveSite(): Promise<void> {
  await runProgram(async (stopping) => startSite(readSiteSettings(process.env), stopping));
}
