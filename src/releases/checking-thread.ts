/** The thread of checking.ts: null for a sound file, else what is wrong with it. */
import { parentPort, workerData } from 'node:worker_threads';
import { SnapshotError } from '../format/snapshot-error.js';
import { checkSectionsOf } from '../store/section-checksums.js';

try {
  checkSectionsOf(workerData as string);
  parentPort?.postMessage(null);
} catch (error) {
  if (!(error instanceof SnapshotError)) throw error;
  parentPort?.postMessage(error.message);
}
