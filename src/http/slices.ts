/**
 * Many small steps for one request in slices of a millisecond, between which every other client is served: one slice of
 * one key in each turn of the event loop, however many requests the key has.
 */
import type { Response } from 'express';
import type { FairQueue } from '../server/fair-queue.js';

/** Milliseconds of a slice: a delay that nobody notices. A slice ends after the step in hand. */
const SLICE_MS = 1;

export class Slices {
  constructor(
    private readonly queue: FairQueue,
    /** Whose turn it is: slices of one key wait for each other. */
    private readonly keyId: string,
    private readonly response: Response,
  ) {}

  /**
   * Calls `step` with each index below `count`; a slice ends early where it returns true. Calls `afterSlice` behind each
   * slice and waits for it. Resolves with false where the client has gone before the last step. Rejects with what either
   * throws.
   */
  async run(count: number, step: (index: number) => boolean, afterSlice?: () => Promise<void>): Promise<boolean> {
    for (let index = 0; index < count; ) {
      await this.queue.enter(this.keyId);
      if (this.response.destroyed) return false;
      const endMs = performance.now() + SLICE_MS;
      let isFull: boolean;
      do isFull = step(index++);
      while (!isFull && index < count && performance.now() < endMs);
      await afterSlice?.();
    }
    return true;
  }
}
