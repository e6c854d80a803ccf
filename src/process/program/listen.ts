/** How a server begins to listen, and where it is found then. */

import type { AddressInfo, Server } from 'node:net';
import { StartError } from '../../base/errors.js';

/**
 * Connections that the kernel keeps for a process that has not accepted them yet: a burst of clients after a deploy.
 */
const BACKLOG = 1_024;

/** Resolves with the address. `prefix`, such as ADMIN_, stands before HOST and PORT in the message of an error. */
export async function listen(server: Server, host: string, port: number, prefix = ''): Promise<AddressInfo> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, backlog: BACKLOG }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    const why = (error as Error).message;
    throw new StartError(`${prefix}HOST ${host}, ${prefix}PORT ${port}: ${why}`, { cause: error });
  }
  return server.address() as AddressInfo;
}

/** Hosts that mean every address of the machine, which no client can connect to everywhere. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** The address for a client on this machine of a server that listens there. */
export function listeningOrigin({ host, port }: { readonly host: string; readonly port: number }): string {
  return `http://${EVERY_ADDRESS[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}`;
}
