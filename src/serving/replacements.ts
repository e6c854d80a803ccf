/**
 * Workers in the place of those that ended: at once the first time, then later and later while new ones do not start, or
 * end soon.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';

const SHORT_LIFE_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

export class Replacements {
  #startCount = 0;
  #problem = '';
  readonly #pausing = new Set<AbortController>();

  /** `start` starts one, and rejects where that fails; with `stopping` no more are started. */
  constructor(
    private readonly start: (pauseMs: number) => Promise<void>,
    private readonly stopping: AbortSignal,
    private readonly logger: Logger,
  ) {}

  /** How often one was started, or tried to. */
  get startCount(): number {
    return this.#startCount;
  }

  /** How many are waited for that did not start, or ended soon, before. */
  get pausingCount(): number {
    return this.#pausing.size;
  }

  /** Why one did not start the last time. */
  get problem(): string {
    return this.#problem;
  }

  /** Replaces a worker after `firstPauseMs`; resolves when another serves. */
  async replace(firstPauseMs: number): Promise<void> {
    for (let pauseMs = firstPauseMs; ; pauseMs = nextPause(pauseMs)) {
      await this.#pause(pauseMs);
      if (this.stopping.aborted) return;
      this.#startCount++;
      try {
        await this.start(pauseMs);
        return;
      } catch (error) {
        if (this.stopping.aborted) return;
        this.#problem = (error as Error).message;
        this.logger.error({ problem: this.#problem, pauseMs }, 'a worker can not start');
      }
    }
  }

  /** Starts those now that are waited for. */
  hurry(): void {
    for (const pause of this.#pausing) pause.abort();
    this.#pausing.clear();
  }

  async #pause(pauseMs: number): Promise<void> {
    if (pauseMs === 0) return;
    const pause = new AbortController();
    this.#pausing.add(pause);
    // The timer keeps the process alive where this was the last worker.
    await wait(pauseMs, undefined, { signal: AbortSignal.any([this.stopping, pause.signal]) }).catch(() => {});
    this.#pausing.delete(pause);
  }
}

/** The pause before a worker is replaced that served for `lifeMs`, and was started after a pause itself. */
export function pauseAfter(lifeMs: number, lastPauseMs: number): number {
  return lifeMs < SHORT_LIFE_MS ? nextPause(lastPauseMs) : 0;
}

function nextPause(pauseMs: number): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pauseMs * 2));
}
