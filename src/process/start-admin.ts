/**
 * Starts the server for operators, on an address of its own: visitors never reach it, and take none of its connections.
 */

import type { AdminSources } from '../admin/admin-server.js';
import type { Logger } from '../logger.js';
import { listen } from './listen.js';

export interface AdminAddress {
  readonly port: number;
  close(): void;
}

/** Throws StartError, which names HOST and PORT with `prefix` before them, where the address can't be had. */
export async function startAdmin(
  sources: AdminSources,
  { host, port, prefix }: { readonly host: string; readonly port: number; readonly prefix: string },
  logger: Logger,
): Promise<AdminAddress> {
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
