/** The first half of a swap: workers open the file beside the one they serve. */
import type { Logger } from 'pino';
import type { HeldSnapshot } from '../releases/held-snapshot.js';
import type { Member } from './member.js';
import { WorkerEndedError } from './worker-messages.js';

/** After that a worker that is opening a snapshot is worth a line: the others wait for it. */
const SLOW_MS = 2_000;

export class SwapPreparation {
  /** Those who have opened the file. */
  readonly prepared: Member[] = [];
  readonly #asked = new Set<Member>();
  #endedCount = 0;

  constructor(
    private readonly held: HeldSnapshot,
    private readonly logger: Logger,
  ) {}

  /** Those of `members` that were not asked yet. */
  notAsked(members: readonly Member[]): Member[] {
    return members.filter((member) => !this.#asked.has(member));
  }

  /**
   * Lets a worker open the file. Rejects where it refuses it, or where it is the second that ends over it; a single one
   * may have ended for reasons of its own, and is replaced.
   */
  async ask(member: Member): Promise<void> {
    this.#asked.add(member);
    const slow = setTimeout(
      () => this.logger.warn(member.names, 'a worker is slow to open the snapshot, and holds up the swap'),
      SLOW_MS,
    );
    try {
      await member.prepare(this.held);
      this.prepared.push(member);
    } catch (error) {
      if (!(error instanceof WorkerEndedError)) throw error;
      this.logger.warn({ ...member.names, problem: error.message }, 'a worker ended, or was ended, over the snapshot');
      if (++this.#endedCount > 1) throw error;
    } finally {
      clearTimeout(slow);
    }
  }

  /** The same of several, and waits for all of them. */
  async askAll(members: readonly Member[]): Promise<void> {
    const outcomes = await Promise.allSettled(members.map((member) => this.ask(member)));
    const refusal = outcomes.find((outcome) => outcome.status === 'rejected');
    if (refusal !== undefined) throw refusal.reason;
  }

  /** Lets those who have opened the file let go of it. */
  async discard(): Promise<void> {
    await Promise.allSettled(this.prepared.map((member) => member.discard()));
  }
}
