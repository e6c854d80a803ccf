/**
 * Starts the admin server, on its own address: clients can't reach it or use up its connections.
 */

import type { AdminSources } from '../admin/admin-server.js';
import type { Logger } from '../logger.js';
import { listen } from './listen.js';

export interface AdminAddress {
  readonly port: number;
  close(): void;
}

/** Throws StartError if the address can't be used; it names HOST and PORT with `prefix`. */
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
