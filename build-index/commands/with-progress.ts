/** Runs long commands with a progress display and a clean end on interruption. */
import { createProgress, type Progress } from '../reporting/progress.js';
import { onInterruption } from './interruption.js';

/** Runs `work`, and closes the display when it succeeds or fails. */
export async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = createProgress();
  // An interruption ends the program with process.exit, which also removes partial files.
  onInterruption(() => progress.stop());
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}
