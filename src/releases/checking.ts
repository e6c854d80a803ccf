/**
 * Reads a whole snapshot file against its checksums on a thread of its own, of low priority where there is such a thing:
 * requests go on being answered meanwhile.
 */
import { Worker } from 'node:worker_threads';

export interface CheckedSnapshot {
  readonly release: string;
  /** See Snapshot. */
  readonly id: string;
}

/** What the thread says of a file. */
export type CheckOutcome = { readonly checked: CheckedSnapshot } | { readonly problem: string };

/** What the file is. Rejects with an Error whose message says what is wrong with it, and when `signal` ends the check. */
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
      // The signal lasts as long as the server, and would keep every thread that it could have stopped.
      signal.removeEventListener('abort', stop);
      reject(new Error(`the check ended with code ${code}`));
    });
  });
}
