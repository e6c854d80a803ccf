/**
 * Opens the channel at the address that SNAPSHOT is. A folder on this machine follows it, and is what the program
 * serves: a folder that has a snapshot is served at once, an empty one when a snapshot was pulled. Pulls run in a process
 * of their own, on Linux and macOS with low priority, while this process answers requests. A thread would not do: Brotli
 * and reads run on the threads that libuv gives all threads of a process together, with the priority of the process. The
 * process ends with its pull, so its memory is free between pulls. It may be killed at any moment, as `pull` may.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { explain, InvalidValueError, StartError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { makeFolder } from '../base/make-folder.js';
import { programFile } from '../base/package-root.js';
import { ChannelError, type ChannelErrorCode } from '../releases/channel/channel-error.js';
import { DEFAULT_CHANNEL } from '../releases/channel/channel-file.js';
import { readPublicKey } from '../releases/channel/minisign.js';
import { ChannelFollower } from '../releases/fetching/channel-follower.js';
import type { PullReport } from '../releases/fetching/pull.js';
import { isFollowed, readPullState } from '../releases/fetching/pull-state.js';
import { isServable } from '../releases/folder/find-snapshot.js';
import type { SourceSettings } from './settings.js';

type ChannelSettings = SourceSettings & { readonly snapshotSource: string };

/** Default time between two pulls, in milliseconds: a published release is served within five minutes or so. */
const DEFAULT_INTERVAL_MS = 300_000;
/** Share of the interval in which the first pulls of a fleet that was started together are spread. */
const SPREAD = 0.1;
/** Milliseconds between two looks at a folder into which another process of this machine pulls. */
const LOOK_MS = 1_000;

/** Throws InvalidValueError, StartError, and the reason of `stopping`. The caller stops the channel. */
export async function openChannel(
  settings: ChannelSettings,
  logger: Logger,
  stopping: AbortSignal,
): Promise<{ readonly path: string; readonly channel: ChannelFollower }> {
  const order = await readOrder(settings);
  const { address, channel, folder } = order;
  const intervalMs = settings.snapshotIntervalMs ?? DEFAULT_INTERVAL_MS;
  await explain('SNAPSHOT_CACHE', [Error], () => makeFolder(folder));
  const isFilled = isServable(folder);
  const known = isFilled && isFollowed(folder, channel) ? readPullState(folder, channel) : undefined;
  const follower = new ChannelFollower({ ...known, address, channel }, (signal) => pullAside(order, signal), logger);
  if (!isFilled) {
    logger.info({ address, channel, folder }, 'no snapshot is there yet: one is pulled');
    await fill(follower, folder, stopping);
  }
  follower.follow(intervalMs, firstDelayMs(intervalMs, isFilled));
  return { path: folder, channel: follower };
}

/** Milliseconds before the first pull, which is the second one where an empty folder was filled. */
export function firstDelayMs(intervalMs: number, isFilled: boolean): number {
  const spreadMs = intervalMs * SPREAD * Math.random();
  return isFilled ? spreadMs : intervalMs - spreadMs;
}

/** What to pull. Throws InvalidValueError where a variable is missing, and StartError where the key can't be used. */
export async function readOrder({
  snapshotSource: address,
  snapshotKey,
  snapshotCache: folder,
  snapshotChannel,
}: ChannelSettings): Promise<PullOrder> {
  if (snapshotKey === null || folder === null) {
    const missing = [
      ...(snapshotKey === null ? ["SNAPSHOT_KEY (the publisher's public key)"] : []),
      ...(folder === null ? ['SNAPSHOT_CACHE (a folder for pulled snapshots)'] : []),
    ];
    throw new InvalidValueError(`SNAPSHOT is an address, so ${missing.join(' and ')} must be set`);
  }
  const key = await explain('SNAPSHOT_KEY', [Error], () => readPublicKey(snapshotKey));
  return { address, channel: snapshotChannel ?? DEFAULT_CHANNEL, folder, key };
}

async function fill(follower: ChannelFollower, folder: string, stopping: AbortSignal): Promise<void> {
  const stop = (): void => void follower.stop();
  stopping.addEventListener('abort', stop);
  try {
    // Skipped: another process of this machine, such as the site beside the server, pulls the first snapshot.
    while ((await follower.pullOnce()) === 'skipped' && !isServable(folder)) {
      await wait(LOOK_MS, undefined, { signal: stopping }).catch(() => {});
    }
    stopping.throwIfAborted();
    const { failure } = follower.state;
    if (failure !== null) throw new StartError(`SNAPSHOT: ${failure.reason}`);
  } finally {
    stopping.removeEventListener('abort', stop);
  }
}

/** What the process is told. */
export interface PullOrder {
  readonly address: string;
  readonly channel: string;
  readonly folder: string;
  /** The text of the public key. */
  readonly key: string;
}

/** The one message of the process (pull-process.ts). */
export type PullReply =
  | { readonly report: PullReport }
  | { readonly refused: { readonly code: ChannelErrorCode; readonly found: string; readonly remedy: string } }
  | { readonly failed: string };

/**
 * Rejects with ChannelError, with an Error that has the message of any other failure or names the signal that ended the
 * process, and soon after `signal`.
 */
export async function pullAside(order: PullOrder, signal: AbortSignal): Promise<PullReport> {
  signal.throwIfAborted();
  // The options of this process, such as a port for debuggers, are not for another one.
  const child = fork(programFile('src/process/pull-process.js'), { execArgv: [] });
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  const ended = endOf(child);
  try {
    // A process that could not be started has no channel; one that has ended gets no message, and its end says so.
    if (child.connected) child.send(order, () => {});
    const reply = await Promise.race([once(child, 'message').then(([message]) => message as PullReply), ended]);
    if ('report' in reply) return reply.report;
    if ('failed' in reply) throw new Error(reply.failed);
    const { code, found, remedy } = reply.refused;
    throw new ChannelError(code, found, remedy);
  } finally {
    // The signal lives as long as the server, and would keep every process in memory.
    signal.removeEventListener('abort', kill);
    kill();
    await ended;
  }
}

/** Resolves when the process has ended, or could not be started. */
function endOf(child: ChildProcess): Promise<PullReply> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ failed: `the pull ended with ${signal ?? `code ${code}`}` }));
    // Without a process id, no exit follows.
    child.on('error', ({ message }) => child.pid === undefined && resolve({ failed: message }));
  });
}
