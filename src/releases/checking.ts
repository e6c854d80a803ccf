/**
 * Reads a whole snapshot file against its checksums on a thread of its own, of low priority where the system has
 * priorities of threads: requests go on being answered meanwhile.
 */
import { Worker } from 'node:worker_threads';

export interface CheckedSnapshot {
  readonly release: string;
  /** See Snapshot. */
  readonly id: string;
}

/** The message of the checking thread. */
export type CheckOutcome = { readonly checked: CheckedSnapshot } | { readonly problem: string };

/**
 * Resolves with the file's release and id. Rejects with an Error that says what is wrong, and when `signal` ends the
 * check.
 */
export function checkSnapshotFile(path: string, signal: AbortSignal): Promise<CheckedSnapshot> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./checking-thread.js', import.meta.url), { workerData: path });
    worker.once('message', (outcome: CheckOutcome) =>
      'problem' in outcome ? reject(new Error(outcome.problem)) : resolve(outcome.checked),
    );
    worker.once('error', reject);
    const stop = (): void => void worker.terminate();
    signal.addEventListener('abort', stop);
    worker.once('exit', (code) => {
      // The signal lasts as long as the server, and its listener would keep the ended thread in memory.
      signal.removeEventListener('abort', stop);
      reject(new Error(`the check ended with code ${code}`));
    });
  });
}
