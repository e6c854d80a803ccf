/**
 * Reads a whole snapshot file against its checksums on a thread of its own, of low priority where the system knows a
 * thread's priority: requests go on being answered meanwhile.
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

/** What the thread (check-thread.ts) sends once. */
export type CheckOutcome = { readonly checked: CheckedSnapshot } | { readonly error: string };

/**
 * What snapshot the file is. Rejects with an Error whose message says what is wrong with the file, or that `signal`
 * ended the check.
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
    // The signal lasts as long as the server, and would keep every thread in memory.
    signal.removeEventListener('abort', stop);
    stop();
  }
}
