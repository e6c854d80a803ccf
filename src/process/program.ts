/**
 * The lifecycle of the server and of the site: start, signals and stop. A failed start prints one line.
 */

import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { describeStartError, StartError } from '../base/errors.js';
import { exitCodeOf } from '../base/exit-code.js';
import { endLog } from '../base/logger.js';

/** A running server or site. */
export interface Runnable {
  /** Looks for another snapshot now. */
  reload(): Promise<void>;
  /** Stops listening and drains requests. */
  close(): Promise<void>;
}

/** Stands before every line of standard error. */
const PROGRAM = 'postal-places';

/**
 * Milliseconds after a signal in which a further signal counts as the same one: Ctrl-C reaches npm and this process,
 * and npm forwards it; service managers do the same with SIGTERM. Only a later Ctrl-C ends the process at once.
 */
const SAME_SIGNAL_MS = 1_000;

/**
 * Serves until SIGTERM, SIGINT, the end of a parent or one of `ends`, looks for another snapshot on SIGHUP, and
 * resolves once `start` has, with undefined where it rejects. A second signal ends the process. `start` may reject with
 * the reason of `stopping` where it would take long.
 */
export async function runProgram<Running extends Runnable>(
  start: (stopping: AbortSignal) => Promise<Running>,
  ends: readonly Promise<unknown>[] = [],
): Promise<Running | undefined> {
  // Listens from now on: a signal during the start stops the program as soon as it serves.
  const stopSignal = Promise.race([firstSignal(), parentsEnd(), ...ends]);
  const stopping = new AbortController();
  void stopSignal.then(() => stopping.abort());
  let running: Running | undefined;
  process.on('SIGHUP', () => void running?.reload());
  try {
    const started = await start(stopping.signal);
    running = started;
    void stopSignal.then(() => stop(started));
    return started;
  } catch (error) {
    if (!stopping.signal.aborted || error !== stopping.signal.reason) {
      process.stderr.write(`${PROGRAM}: ${describeStartError(error)}\n`);
      process.exitCode = exitCodeOf(error);
    }
    await endLog();
    // The channel to a parent would keep this process running.
    if (process.connected) process.disconnect();
    return undefined;
  }
}

/** Resolves on the first signal to stop; a later one ends the process. */
function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstMs: number | undefined;
    const handle = (): void => {
      firstMs ??= performance.now();
      resolve();
      if (performance.now() - firstMs > SAME_SIGNAL_MS) process.exit(1);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, handle);
  });
}

/** A forked program ends with its parent, or when the parent disconnects. */
async function parentsEnd(): Promise<unknown> {
  // Not forked.
  if (process.send === undefined) return await new Promise(() => {});
  // The parent may have ended while this process loaded its modules.
  return process.connected && (await once(process, 'disconnect'));
}

async function stop(running: Runnable): Promise<void> {
  try {
    await running.close();
  } catch (error) {
    process.stderr.write(`${PROGRAM}: it did not stop cleanly: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
  await endLog();
  // A connection that came when the last worker had stopped listening is handed to no worker, and would keep this
  // process.
  process.exit();
}

/* How a server begins to listen, and where it is found then. */

/**
 * Connections that the kernel keeps for a process that has not accepted them yet: a burst of clients after a deploy.
 */
const BACKLOG = 1_024;

/**
 * Resolves with the address. Throws StartError, which names HOST and PORT with `prefix` before them, such as ADMIN_.
 */
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
export function originOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `http://${EVERY_ADDRESS[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}`;
}

/*
 * The pause before a process that ended is replaced: none after a process that served for a while, then longer and
 * longer while each replacement ends soon. A process that can't start costs little, and is still tried.
 */

/** The shortest life of a process that served for a while, milliseconds: longer than a start on a slow machine. */
const SHORT_LIFE_MS = 10_000;
/** The pause after the first short life, milliseconds; each later pause is twice the one before. */
const FIRST_PAUSE_MS = 100;
/** The longest pause, milliseconds: what an operator waits at most after removing the cause. */
const LONGEST_PAUSE_MS = 30_000;

/** Milliseconds. `earlierPauseMs` is the pause before the start of the process that has ended now, after `lifeMs`. */
export function restartDelayMs(earlierPauseMs: number, lifeMs: number): number {
  return lifeMs > SHORT_LIFE_MS ? 0 : Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, earlierPauseMs * 2));
}
