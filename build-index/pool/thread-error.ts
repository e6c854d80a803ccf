/** Why a whole run ends where a worker thread died: what the thread was doing, and how it died. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';

  /** `step` is that of the thread's task, see Task; undefined where the thread had no task. */
  constructor(step: string | undefined, reason: string) {
    super(`a worker thread died while ${step ?? 'it had no task'}: ${reason}`);
  }
}

/** The reason for the `error` event of a worker: an error that nothing caught in the thread, or its memory limit. */
export function describeThreadError(error: unknown): string {
  if ((error as NodeJS.ErrnoException | null)?.code !== 'ERR_WORKER_OUT_OF_MEMORY') {
    return (error as Error | null)?.stack ?? String(error);
  }
  const remedy = 'NODE_OPTIONS=--max-old-space-size=<MiB> sets the limit of each thread';
  return `it ran out of memory (ERR_WORKER_OUT_OF_MEMORY); ${remedy}`;
}
