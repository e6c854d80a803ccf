/** A worker thread died: the message has its task and the reason. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';

  /** `step` is the step of the thread's task, see Task; undefined if the thread had no task. */
  constructor(step: string | undefined, reason: string) {
    super(`a worker thread died while ${step ?? 'it had no task'}: ${reason}`);
  }
}

/** The reason of a worker's `error` event: an uncaught error in the thread, or its memory limit. */
export function describeThreadError(error: unknown): string {
  if ((error as NodeJS.ErrnoException | null)?.code !== 'ERR_WORKER_OUT_OF_MEMORY') {
    return (error as Error | null)?.stack ?? String(error);
  }
  const remedy = 'NODE_OPTIONS=--max-old-space-size=<MiB> sets the limit of each thread';
  return `it ran out of memory (ERR_WORKER_OUT_OF_MEMORY); ${remedy}`;
}
