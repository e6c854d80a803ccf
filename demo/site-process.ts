/**
 * The site as a child of the process that `npm start` runs: it ends with that process, and tells where it listens. A
 * site that dies is started again on the same port, with the pauses that workers get.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { StartError } from '../src/base/errors.js';
import type { Logger } from '../src/base/logger.js';
import { programFile } from '../src/base/package-root.js';
import { restartPauseMs } from '../src/process/program/restart-pause.js';
import type { SiteState } from '../src/site/main.js';

export interface SiteProcess {
  /** As the site told last. */
  readonly state: SiteState;
  /** Resolves when it has ended. */
  close(): Promise<void>;
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
  let state: SiteState | undefined;
  const onMessage = (message: Partial<SiteState>): void => {
    state = { ...(state as SiteState), ...message };
  };
  const first = forkSite(environment, onMessage);
  await Promise.race([once(first.child, 'message').catch(() => {}), first.ended]);
  if (state?.port === undefined) throw new StartError('the site did not start, so the API ends too');
  const stopping = new AbortController();
  // Of the first site, also where the settings left the choice of a port to the system.
  const samePort = { ...environment, SITE_PORT: String(state.port) };
  const replaced = keepReplacing(first, () => forkSite(samePort, onMessage), stopping.signal, stopLimitMs, logger);
  return {
    get state() {
      return state as SiteState;
    },
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

function forkSite(environment: NodeJS.ProcessEnv, onMessage: (state: Partial<SiteState>) => void): ForkedSite {
  const child = fork(programFile('cli/main.js'), ['site'], { env: environment });
  child.on('message', (message) => onMessage(message as Partial<SiteState>));
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    child.on('error', (error) => {
      // Otherwise the process runs, and its exit is heard of later.
      if (child.pid === undefined) resolve(error.message);
    });
  });
  return { child, startedAtMs: performance.now(), ended };
}

/** Resolves when the site that runs at the time of `stopping` has ended. */
async function keepReplacing(
  first: ForkedSite,
  forkNext: () => ForkedSite,
  stopping: AbortSignal,
  stopLimitMs: number,
  logger: Logger,
): Promise<void> {
  let pauseMs = 0;
  for (let site = first; ; site = forkNext()) {
    const how = await endOf(site, stopping, stopLimitMs);
    if (stopping.aborted) return;
    pauseMs = restartPauseMs(pauseMs, performance.now() - site.startedAtMs);
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
