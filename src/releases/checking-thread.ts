/** The thread that checking.ts starts: it checks one snapshot file and ends. */
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

/** Takes only the processor time that other threads leave, where the system lets a thread do so. */
function stepBack(): void {
  // Elsewhere a priority is the whole process's, and the threads that answer requests would be put behind as well.
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // A filter of system calls forbids it; the check is as good without a low priority.
  }
}

stepBack();
parentPort?.postMessage(check(workerData as string));
