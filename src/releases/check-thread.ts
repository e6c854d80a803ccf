/** The thread of integrity-check.ts: reads files against their checksums. */

import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { tellLoaded } from '../base/thread.js';
import { checkSections, withFile } from '../core/snapshot/snapshot-file.js';
import type { CheckedSnapshot, CheckOutcome } from './integrity-check.js';

/** Throws SnapshotError. */
function check(path: string): CheckedSnapshot {
  const { manifest, id } = withFile(path, checkSections);
  return { release: manifest.release, id };
}

/** Lowers the thread's priority, so that requests are answered first. */
function lowerPriority(): void {
  // Other systems would lower the priority of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // A system call filter may forbid it; the check works without.
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
