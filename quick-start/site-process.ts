/**
 * The site as a child of the process that `npm start` runs: it ends with that process, and tells where it listens. A
 * site that dies is started again on the same port, with the pauses that workers get.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../src/logger.js';
import { programFile } from '../src/platform/package-root.js';
import { restartDelayMs } from '../src/process/restart-delay.js';
import { StartError } from '../src/start-error.js';

export interface SiteProcess {
  readonly siteUrl: string;
  /** Resolves when it has ended. */
  close(): Promise<void>;
}

/** What the site's program tells once it listens. */
export interface SiteAddress {
  readonly siteUrl: string;
  readonly port: number;
}

/**
 * Its lines go where this process's lines go. A site that does not end within `stopLimitMs` of `close` is killed.
 * Throws StartError where it ends before it listens; it has said why.
 */
export async function startSiteProcess(
  environment: NodeJS.ProcessEnv,
  stopLimitMs: number,
  logger: Logger,
): Promise<SiteProcess> {
  const first = forkSite(environment);
  const address = await Promise.race([
    firstMessage(first.child).catch(() => undefined),
    first.ended.then(() => undefined),
  ]);
  if (address === undefined) throw new StartError('the site did not start');
  const stopping = new AbortController();
  // Of the first site, also where the settings left the choice of a port to the system.
  const replaced = keepReplacing(
    first,
    { ...environment, SITE_PORT: String(address.port) },
    stopping.signal,
    stopLimitMs,
    logger,
  );
  return {
    siteUrl: address.siteUrl,
    async close() {
      stopping.abort();
      await replaced;
    },
  };
}

interface ForkedSite {
  readonly child: ChildProcess;
  readonly startedAtMs: number;
  /** How it ended: a signal, or "code 0", or why it could not be started. */
  readonly ended: Promise<string>;
}

function forkSite(environment: NodeJS.ProcessEnv): ForkedSite {
  const child = fork(programFile('cli/main.js'), ['site'], { env: environment });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    child.on('error', (error) => {
      // Otherwise the process runs, and its exit is heard of later.
      if (child.pid === undefined) resolve(error.message);
    });
  });
  return { child, startedAtMs: performance.now(), ended };
}

async function firstMessage(child: ChildProcess): Promise<SiteAddress> {
  const [address] = (await once(child, 'message')) as [SiteAddress];
  return address;
}

/** Resolves when the site that runs at the time of `stopping` has ended. */
async function keepReplacing(
  first: ForkedSite,
  environment: NodeJS.ProcessEnv,
  stopping: AbortSignal,
  stopLimitMs: number,
  logger: Logger,
): Promise<void> {
  let pauseMs = 0;
  for (let site = first; ; site = forkSite(environment)) {
    const how = await endOf(site, stopping, stopLimitMs);
    if (stopping.aborted) return;
    pauseMs = restartDelayMs(pauseMs, performance.now() - site.startedAtMs);
    // Code 0: an operator stopped it.
    const level = how === 'code 0' ? 'info' : 'error';
    logger[level]({ sitePid: site.child.pid, how, pauseMs }, 'the site ended and is started again');
    await wait(pauseMs, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
  }
}

/** Lets the site end once `stopping` is aborted, and ends it after `stopLimitMs`. */
async function endOf({ child, ended }: ForkedSite, stopping: AbortSignal, stopLimitMs: number): Promise<string> {
  // Not by a signal: it may have come to both, and a second one would cut short what is under way.
  const letGo = (): void => {
    if (child.connected) child.disconnect();
    // A site that hangs ends all the same.
    setTimeout(() => child.kill('SIGKILL'), stopLimitMs).unref();
  };
  stopping.addEventListener('abort', letGo);
  const how = await ended;
  stopping.removeEventListener('abort', letGo);
  return how;
}
