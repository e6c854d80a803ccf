/**
 * Reads a whole snapshot file against its checksums on a thread of its own, of low priority where the system knows a
 * thread's priority: requests go on being answered meanwhile.
 */
import { pathToFileURL } from 'node:url';
import { programFile } from '../package-root.js';
import { type Answer, Asker, NO_LIMIT_MS } from '../questions.js';
import { startThread } from '../thread.js';

export interface CheckedSnapshot {
  readonly release: string;
  /** See Snapshot. */
  readonly id: string;
}

/** What the thread is asked. */
export interface CheckQuestions {
  /** Throws SnapshotError. */
  check(path: string): CheckedSnapshot;
}

/**
 * What snapshot the file is. Rejects with an Error whose message says what is wrong with the file, or that `signal` ended
 * the check.
 */
export async function checkSnapshotFile(path: string, signal: AbortSignal): Promise<CheckedSnapshot> {
  const thread = startThread(pathToFileURL(programFile('src/releases/checking-thread.js')));
  const { worker } = thread;
  const asker = new Asker<CheckQuestions>((question) => worker.postMessage(question));
  worker.on('message', (answer: Answer) => asker.hear(answer));
  worker.once('error', (error) => asker.end(error as Error));
  worker.once('exit', (code) => asker.end(new Error(`the check ended with code ${code}`)));
  const stop = (): void => void thread.end();
  signal.addEventListener('abort', stop);
  try {
    return await asker.ask(NO_LIMIT_MS, 'check', path);
  } finally {
    // The signal lasts as long as the server, and would keep every thread in memory.
    signal.removeEventListener('abort', stop);
    stop();
  }
}
