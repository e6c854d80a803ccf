/**
 * Checks a whole snapshot file against its checksums on a worker thread, on Linux with low priority, while the process
 * goes on answering requests.
 */
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { programFile } from '../platform/package-root.js';
import { startThread } from '../platform/thread.js';

export interface CheckedSnapshot {
  readonly release: string;
  /** See Snapshot. */
  readonly id: string;
}

/** The one message of the thread (check-thread.ts). */
export type CheckOutcome = { readonly checked: CheckedSnapshot } | { readonly error: string };

/**
 * Checks the file and identifies its snapshot. Rejects with an Error if the file is damaged, or if `signal` ended the
 * check.
 */
export async function checkSnapshotFile(path: string, signal: AbortSignal): Promise<CheckedSnapshot> {
  const thread = startThread(pathToFileURL(programFile('src/snapshots/check-thread.js')));
  const stop = (): void => void thread.end();
  signal.addEventListener('abort', stop);
  try {
    thread.worker.postMessage(path);
    const outcome = await Promise.race([
      once(thread.worker, 'message').then(([message]) => message as CheckOutcome),
      once(thread.worker, 'exit').then(([code]): CheckOutcome => ({ error: `the check ended with code ${code}` })),
    ]);
    if ('error' in outcome) throw new Error(outcome.error);
    return outcome.checked;
  } finally {
    // The signal lives as long as the server, and would keep every thread in memory.
    signal.removeEventListener('abort', stop);
    stop();
  }
}
