/** Opens the source that SNAPSHOT names: a path or, where SNAPSHOT is an address, a folder that follows a channel. */

import { InvalidValueError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { parseSourceUrl } from '../releases/channel.js';
import type { ChannelFollower, ChannelState } from '../releases/follow-channel.js';
import { checkSnapshotFile, type SnapshotProcesses } from '../releases/integrity-check.js';
import { type CompilationListener, withPackaged } from '../releases/packaged-snapshot.js';
import { type FollowerState, SnapshotFollower } from '../releases/snapshot-follower.js';
import type { AdminSources } from './admin-server.js';
import { listen } from './program.js';
import type { SourceSettings } from './settings.js';

export interface OpenedSource {
  /** The path of a snapshot file, or of a folder of published ones. */
  readonly path: string;
  /** What fills the folder; undefined where somebody else does. */
  readonly channel: ChannelFollower | undefined;
  /** What an operator does where the file is damaged, if that is more than to fetch or build it again. */
  readonly remedy?: string;
}

/** Of a compiled world: the start that finds no file compiles it again. */
const REMEDY_OF_CACHE = 'this file is a cache: remove it and restart, which builds it again';

/**
 * Starts a program from its source; where that fails, nothing is pulled any more. Throws as `start`, InvalidValueError
 * where a variable is missing or needs an address, StartError where the key or the cache can't be used or an empty cache
 * can't be filled, and the reason of `stopping`.
 */
export async function startFromSource<Started>(
  settings: SourceSettings,
  logger: Logger,
  stopping: AbortSignal,
  start: (source: OpenedSource) => Promise<Started>,
): Promise<Started> {
  if (settings.snapshotSource === null) {
    refuseRest(settings);
    const request = { countries: null, stopping, isServed: true };
    return await withPackaged(request, tellInLog(logger), (path) =>
      start({ path, channel: undefined, remedy: REMEDY_OF_CACHE }),
    );
  }
  const source = await openSource({ ...settings, snapshotSource: settings.snapshotSource }, logger, stopping);
  try {
    return await start(source);
  } catch (error) {
    await source.channel?.stop();
    throw error;
  }
}

async function openSource(
  settings: SourceSettings & { readonly snapshotSource: string },
  logger: Logger,
  stopping: AbortSignal,
): Promise<OpenedSource> {
  const { snapshotSource } = settings;
  if (parseSourceUrl(snapshotSource) !== undefined) {
    // Most programs follow no channel.
    const { openChannel } = await import('./open-channel.js');
    return await openChannel(settings, logger, stopping);
  }
  refuseRest(settings);
  return { path: snapshotSource, channel: undefined };
}

function tellInLog(logger: Logger): CompilationListener {
  return {
    begin: (what) => logger.info({}, `compiling ${what}, this once: that takes seconds`),
    warn: (message) => logger.warn({}, message),
  };
}

function refuseRest({ snapshotKey, snapshotCache, snapshotChannel, snapshotIntervalMs }: SourceSettings): void {
  const given = Object.entries({
    SNAPSHOT_KEY: snapshotKey,
    SNAPSHOT_CACHE: snapshotCache,
    SNAPSHOT_CHANNEL: snapshotChannel,
    SNAPSHOT_EVERY: snapshotIntervalMs,
  }).flatMap(([variable, value]) => (value === null ? [] : [variable]));
  if (given.length === 0) return;
  throw new InvalidValueError(`${given.join(' and ')} may be set only where SNAPSHOT is an http or https address`);
}

/*
 * Follows the source of a server or the site, and starts and stops the admin server beside it: the part of both
 * programs that is the same.
 */

export interface FollowedSource {
  readonly adminPort: number | undefined;
  /** Pulls the channel and looks for another snapshot now. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

export interface FollowedState extends FollowerState {
  /** Null where SNAPSHOT is no address. */
  readonly channel: ChannelState | null;
  readonly isStopping: boolean;
}

export interface FollowOptions {
  readonly source: OpenedSource;
  readonly processes: SnapshotProcesses;
  readonly logger: Logger;
  /** The address of the admin server: there is none if the port is null. `prefix` precedes HOST and PORT in errors. */
  readonly admin: { readonly host: string; readonly port: number | null; readonly prefix: string };
  adminSources(readState: () => FollowedState): Promise<AdminSources>;
  /** Drains requests and closes the key store. */
  stop(): Promise<void>;
}

/** Throws StartError if the admin server's address can't be used; then everything is stopped. */
export async function followSource(options: FollowOptions): Promise<FollowedSource> {
  const { source, processes, logger, admin } = options;
  const { path, channel, remedy } = source;
  const follower = new SnapshotFollower({ source: path, processes, check: checkSnapshotFile, logger, remedy });
  let isStopping = false;
  let adminServer: { readonly port: number; close(): void } | undefined;
  const stop = async (): Promise<void> => {
    isStopping = true;
    // Concurrently, because the check of a new snapshot may take long.
    await Promise.all([channel?.stop(), follower.stop(), options.stop()]).finally(() => adminServer?.close());
  };
  try {
    if (admin.port !== null) {
      const sources = await options.adminSources(() => ({
        ...follower.state(),
        channel: channel?.state ?? null,
        isStopping,
      }));
      adminServer = await startAdmin(sources, { ...admin, port: admin.port }, logger);
    }
  } catch (error) {
    // The error of the start matters more than an error of the stop.
    await stop().catch(() => {});
    throw error;
  }
  return {
    adminPort: adminServer?.port,
    async reload() {
      // A snapshot that was refused is tried again although the channel did not change.
      await Promise.all([channel?.pullOnce(), follower.look()]);
      if (channel !== undefined) await follower.look();
    },
    async close() {
      logger.info({}, 'stopping');
      await stop();
      logger.info({}, 'stopped');
    },
  };
}

async function startAdmin(
  sources: AdminSources,
  { host, port, prefix }: { readonly host: string; readonly port: number; readonly prefix: string },
  logger: Logger,
): Promise<{ readonly port: number; close(): void }> {
  const { createAdminServer } = await import('./admin-server.js');
  const server = createAdminServer(sources, host);
  const address = await listen(server, host, port, prefix);
  server.on('error', (error) => logger.error({ err: error }, 'a connection for operators could not be accepted'));
  return {
    port: address.port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
