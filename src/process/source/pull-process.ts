/**
 * Pulls in a process of its own, on Linux and macOS with low priority, while this process answers requests. A thread would
 * not do: Brotli and reads run on the threads that libuv gives all threads of a process together, with the priority of the
 * process. The process ends with its pull, so its memory is free between pulls. It may be killed at any moment.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { packageProgramPath } from '../../base/package-root.js';
import { ChannelError, type ChannelErrorCode } from '../../releases/channel/channel-error.js';
import type { PullReport } from '../../releases/fetching/pull.js';

/** What the process is told. */
export interface PullOrder {
  readonly address: string;
  readonly channel: string;
  readonly folder: string;
  /** The text of the public key. */
  readonly key: string;
}

/** The one message of the process (pull-program.ts). */
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
  const child = fork(packageProgramPath('src/process/source/pull-program.js'), { execArgv: [] });
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
