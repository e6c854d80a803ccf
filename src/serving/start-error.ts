/** Why a server can't start: one line that names the variable to look at. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Runs `open`; a refusal of one of these kinds becomes a StartError that names the variable. */
export async function explain<T>(
  variable: string,
  refusals: readonly (abstract new (...args: never[]) => Error)[],
  open: () => T | Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!refusals.some((refusal) => error instanceof refusal)) throw error;
    throw new StartError(`${variable}: ${(error as Error).message}`, { cause: error });
  }
}

/** Listens, and resolves with the address; `prefix` is of the variables' names, such as ADMIN_. Throws StartError. */
export async function listen(server: Server, host: string, port: number, prefix = ''): Promise<AddressInfo> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, backlog: 1024 }, () => {
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
