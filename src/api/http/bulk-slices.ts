/**
 * Many small steps for one request in slices of half a millisecond, between which every other client is served: each
 * turn of the event loop runs one slice of one client, however many requests it has.
 */

import type { Response } from 'express';
import type { FairQueue } from '../../server/fair-queue.js';

/**
 * Milliseconds of a slice: a delay that nobody notices. Slices twice as long double the delay and save no processor time
 * that can be measured. A slice ends after the step in hand.
 */
const SLICE_MS = 0.5;

export class Slices {
  constructor(
    private readonly queue: FairQueue,
    /** Whose turn it is: slices of one client wait for each other. */
    private readonly client: string,
    private readonly response: Response,
  ) {}

  /**
   * Calls `step` with each index below `count`; where it returns a promise, the slice ends and the next one waits for it.
   * Resolves with false where the client has gone before the last step.
   */
  async run(count: number, step: (index: number) => Promise<void> | undefined): Promise<boolean> {
    for (let index = 0; index < count; ) {
      await this.queue.enter(this.client);
      if (this.response.destroyed) return false;
      const endMs = performance.now() + SLICE_MS;
      let waiting: Promise<void> | undefined;
      do waiting = step(index++);
      while (waiting === undefined && index < count && performance.now() < endMs);
      await waiting;
    }
    return true;
  }
}
