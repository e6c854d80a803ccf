/** What the long commands share: a progress display, and an end in good order when interrupted. */
import { createProgress, type Progress } from '../reporting/progress.js';
import { onInterruption } from './interruption.js';

/** Runs `work`; when `work` is over, whether it succeeded or not, the display is closed. */
export async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = createProgress();
  // An interruption ends the program with process.exit, at which partial files are removed too.
  onInterruption(() => progress.stop());
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}
