/** The thread of checking.ts: reads files against their checksums. */
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { answerFrom, type Question } from '../questions.js';
import { checkSections } from '../store/section-checksums.js';
import { withFile } from '../store/snapshot-reading.js';
import { tellLoaded } from '../thread.js';
import type { CheckQuestions } from './checking.js';

const answers: CheckQuestions = {
  check(path) {
    const { manifest, id } = withFile(path, checkSections);
    return { release: manifest.release, id };
  },
};

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
parentPort?.on('message', async (question: Question) => parentPort?.postMessage(await answerFrom(answers, question)));
tellLoaded();
