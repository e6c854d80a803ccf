/** The thread of check-file.ts: reads files against their checksums. */
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { tellLoaded } from '../platform/thread.js';
import { checkSections } from '../store/section-checksums.js';
import { withFile } from '../store/snapshot-reading.js';
import type { CheckedSnapshot, CheckOutcome } from './check-file.js';

/** Throws SnapshotError. */
function check(path: string): CheckedSnapshot {
  const { manifest, id } = withFile(path, checkSections);
  return { release: manifest.release, id };
}

/** Leaves the processors to the threads that answer requests, where the system knows a thread's priority. */
function lowerPriority(): void {
  // Elsewhere a priority is the whole process's, and would delay the answers as well.
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // A filter of system calls forbids it; the check is as good without.
  }
}

lowerPriority();
parentPort?.once('message', (path: string) => parentPort?.postMessage(outcomeOf(path)));
tellLoaded();

function outcomeOf(path: string): CheckOutcome {
  try {
    return { checked: check(path) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
