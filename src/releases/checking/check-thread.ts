/** The thread of integrity-check.ts: reads a file against its checksums. An error ends it. */

import { parentPort } from 'node:worker_threads';
import { lowerPriority, tellLoaded } from '../../base/thread.js';
import { checkSections, withFile } from '../../core/snapshot/snapshot-file.js';
import type { CheckedSnapshot } from './integrity-check.js';

// Requests are answered first. Other systems would lower the priority of the whole process.
if (process.platform === 'linux') lowerPriority();
parentPort?.once('message', (path: string) => {
  const { manifest, id } = withFile(path, checkSections);
  parentPort?.postMessage({ release: manifest.release, id } satisfies CheckedSnapshot);
});
tellLoaded();
