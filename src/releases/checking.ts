/** Reads a whole snapshot file against its checksums on a thread of its own: requests go on being answered meanwhile. */
import { Worker } from 'node:worker_threads';

/** Rejects with an Error whose message says what is wrong with the file. */
export function checkSnapshotFile(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./checking-thread.js', import.meta.url), { workerData: path });
    worker.once('message', (problem: string | null) => (problem === null ? resolve() : reject(new Error(problem))));
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the check ended with code ${code}`)));
  });
}
