/**
 * Questions that wait for a flight to the store, in turns as they came, the oldest first. A turn is never divided, so its
 * verdicts come together.
 */

import { type Admission, partOf } from '../admission.js';
import type { KeyQuestion, KeyVerdict } from '../key-store.js';

export interface Turn {
  readonly questions: readonly KeyQuestion[];
  readonly arrivedMs: number;
  readonly resolve: (verdicts: readonly KeyVerdict[]) => void;
}

export class TurnQueue {
  #turns: Turn[] = [];

  get length(): number {
    return this.#turns.length;
  }

  push(turn: Turn): void {
    this.#turns.push(turn);
  }

  oldest(): Turn | undefined {
    return this.#turns[0];
  }

  /** Takes the oldest turns, as many as have no more than `limit` keys in all, or the oldest alone. */
  takeKeys(limit: number): Turn[] {
    let [turnCount, keyCount] = [0, 0];
    for (const { questions } of this.#turns) {
      keyCount += questions.length;
      if (turnCount > 0 && keyCount > limit) break;
      turnCount++;
    }
    return this.#turns.splice(0, turnCount);
  }

  /** Takes what arrived before that instant. */
  takeOlderThan(instantMs: number): Turn[] {
    const index = this.#turns.findIndex(({ arrivedMs }) => arrivedMs >= instantMs);
    return this.#turns.splice(0, index === -1 ? this.#turns.length : index);
  }

  takeAll(): Turn[] {
    return this.#turns.splice(0);
  }
}

/** Gives each turn its part of what was decided on all of them, in the order in which they came. */
export function answerTurns(turns: readonly Turn[], verdicts: ReadonlyMap<string, KeyVerdict>): void {
  const answered = new Map<string, number>();
  for (const { questions, resolve } of turns) {
    resolve(
      questions.map(({ digest, count }) => {
        const verdict = verdicts.get(digest) as KeyVerdict;
        if (verdict.standing !== 'good') return verdict;
        const skipped = answered.get(digest) ?? 0;
        answered.set(digest, skipped + count);
        return skipped === 0 ? firstPart(verdict, count) : partOf(verdict, skipped, count);
      }),
    );
  }
}

/** The usual case, a turn that had a flight to itself, needs no copy. */
function firstPart(admission: Admission, count: number): Admission {
  return admission.allowedCount <= count ? admission : partOf(admission, 0, count);
}
