/**
 * Follows the source of a server or the site, and starts and stops the admin server beside it: the part of both
 * programs that is the same.
 */

import type { Logger } from '../../base/logger.js';
import { checkIntegrity } from '../../releases/checking/integrity-check.js';
import type { ChannelState } from '../../releases/fetching/channel-follower.js';
import type { SnapshotProcesses } from '../../releases/served/serving-processes.js';
import { type FollowerState, SnapshotFollower } from '../../releases/served/snapshot-follower.js';
import type { AdminSources } from '../admin/admin-server.js';
import { listen } from '../program/listen.js';
import type { OpenedSource } from './snapshot-source.js';

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
  const follower = new SnapshotFollower({ source: path, processes, check: checkIntegrity, logger, remedy });
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
  const { createAdminServer } = await import('../admin/admin-server.js');
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
