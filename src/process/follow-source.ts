/**
 * Follows the source of a server or the site, and starts and stops the admin server beside it: the part of both
 * programs that is the same.
 */

import type { AdminSources } from '../admin/admin-server.js';
import type { Logger } from '../logger.js';
import { checkSnapshotFile } from '../snapshots/check-file.js';
import type { SnapshotProcesses } from '../snapshots/integrity-check.js';
import { type FollowerState, followSnapshots } from '../snapshots/snapshot-follower.js';
import { listen } from './listen.js';

export interface FollowedSource {
  readonly adminPort: number | undefined;
  /** Checks the source for another snapshot now. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

export interface FollowOptions {
  readonly source: string;
  readonly processes: SnapshotProcesses;
  readonly logger: Logger;
  /** The address of the admin server: there is none if the port is null. `prefix` precedes HOST and PORT in errors. */
  readonly admin: { readonly host: string; readonly port: number | null; readonly prefix: string };
  adminSources(readState: () => FollowerState & { readonly isStopping: boolean }): Promise<AdminSources>;
  /** Drains requests and closes the key store. */
  stop(): Promise<void>;
}

/** Throws StartError if the admin server's address can't be used; then everything is stopped. */
export async function followSource(options: FollowOptions): Promise<FollowedSource> {
  const { source, processes, logger, admin } = options;
  const follower = followSnapshots({ source, processes, check: checkSnapshotFile, logger });
  let isStopping = false;
  let adminServer: { readonly port: number; close(): void } | undefined;
  const stop = async (): Promise<void> => {
    isStopping = true;
    // Concurrently, because the check of a new snapshot may take long.
    await Promise.all([follower.stop(), options.stop()]).finally(() => adminServer?.close());
  };
  try {
    if (admin.port !== null) {
      const sources = await options.adminSources(() => ({ ...follower.state(), isStopping }));
      adminServer = await startAdmin(sources, { ...admin, port: admin.port }, logger);
    }
  } catch (error) {
    // The error of the start matters more than an error of the stop.
    await stop().catch(() => {});
    throw error;
  }
  return {
    adminPort: adminServer?.port,
    reload: () => follower.look(),
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
  const server = createAdminServer(sources);
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
