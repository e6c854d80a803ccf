/** The thread of checking.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { SnapshotError } from '../format/snapshot-error.js';
import { checkSections } from '../store/section-checksums.js';
import { withFile } from '../store/snapshot-reading.js';
import type { CheckOutcome } from './checking.js';

function check(path: string): CheckOutcome {
  try {
    const { manifest, id } = withFile(path, checkSections);
    return { checked: { release: manifest.release, id } };
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    return { problem: error.message };
  }
}

parentPort?.postMessage(check(workerData as string));
