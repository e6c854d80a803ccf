/** The thread of checking.ts. */
import { constants, setPriority } from 'node:os';
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

// On Linux a thread's priority is its own; elsewhere those who answer requests would be put behind as well.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
parentPort?.postMessage(check(workerData as string));
