/**
 * What the answer of the store, or the lack of one, means for a key: its verdict, and what the memory keeps of it.
 *
 * A key that was good and that the store does not know any more is lost, since nobody removes keys from a store. Such a
 * key is decided from memory, and asked for once a second, until the store knows it again. While a key is lost, one that
 * neither the store nor the memory knows may be lost too: nobody knows whether it is good.
 */

import { KeyStoreError } from '../../storage/key-store-error.js';
import type { KeyQuestion, KeyVerdict } from '../key-store.js';
import type { AskedKey, KeyReply } from './decision-port.js';
import type { OutageMemory } from './outage-memory.js';

export interface VerdictListener {
  /** Something is wrong with one key alone. */
  onKeyProblem(digest: string, problem: string): void;
}

export interface VerdictOptions {
  readonly memory: OutageMemory;
  readonly listener: VerdictListener;
  /** Milliseconds since 1970-01-01T00:00Z. */
  readonly clock: () => number;
}

const LOST = 'the store no longer knows keys that were good: it has lost keys';

export class LaneVerdicts {
  #sequence = 0;

  constructor(private readonly options: VerdictOptions) {}

  /** The number of the next flight, or of what is decided from memory without one. */
  nextSequence(): number {
    return ++this.#sequence;
  }

  /** The store has answered on a key of the flight with this sequence. */
  onReply({ digest, count, debts }: AskedKey, reply: KeyReply, sequence: number): KeyVerdict {
    const { memory, listener } = this.options;
    if (reply.standing === 'unsure') return this.#recall(digest, count, sequence, true, reply.why);
    if (reply.standing === 'failed') {
      if (!reply.isWide) listener.onKeyProblem(digest, reply.why);
      return this.#recallUntouched({ digest, count, debts }, reply.why);
    }
    if (reply.standing === 'unknown' && memory.knows(digest)) {
      memory.lose(digest);
      return this.#recallUntouched({ digest, count, debts }, LOST);
    }
    memory.settle(digest, debts);
    switch (reply.standing) {
      case 'good':
        if (memory.wasRevoked(digest)) {
          listener.onKeyProblem(digest, 'the store has forgotten that this key was revoked; revoke it again');
          return { standing: 'revoked' };
        }
        memory.remember(digest, reply, this.options.clock());
        return reply.admission;
      case 'unknown':
        if (memory.wasRevoked(digest)) return { standing: 'revoked' };
        return memory.lostCount() > 0 ? { standing: 'unavailable', cause: unavailable(LOST) } : reply;
      case 'revoked':
        memory.revoke(digest);
        return reply;
      case 'expired':
        memory.forget(digest);
        return reply;
    }
  }

  /** Nobody knows whether the store decided on a key of the flight with this sequence. */
  onSilence({ digest, count }: AskedKey, sequence: number, why: string): KeyVerdict {
    return this.#recall(digest, count, sequence, true, why);
  }

  /** The store is not asked at all. */
  fromMemory(questions: readonly KeyQuestion[], why: string): KeyVerdict[] {
    const sequence = this.nextSequence();
    return questions.map(({ digest, count }) => this.#recall(digest, count, sequence, false, why));
  }

  /** The store did nothing for the key: the question is answered from memory, and the debts are still owed. */
  #recallUntouched({ digest, count, debts }: AskedKey, why: string): KeyVerdict {
    this.options.memory.keepDebts(digest, debts);
    // Not the sequence of this flight: nothing was done under it, and later ones may come before the debt is told.
    return this.#recall(digest, count, this.nextSequence(), false, why);
  }

  #recall(digest: string, count: number, sequence: number, isUnsure: boolean, why: string): KeyVerdict {
    const { memory, clock } = this.options;
    // Only its debts were told; they stay.
    if (count === 0) return { standing: 'unknown' };
    const admission = memory.decide(digest, count, clock(), sequence, isUnsure);
    return admission ?? { standing: 'unavailable', cause: unavailable(why) };
  }
}

function unavailable(why: string): KeyStoreError {
  return new KeyStoreError('KEY_STORE_FAILED', `the key store can't decide (${why})`, 'look at Redis and its address');
}
