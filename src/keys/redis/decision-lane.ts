/**
 * The way of questions to a store that is somewhere else. One flight is in the air at a time: what arrives meanwhile
 * waits and leaves together, so there is one round trip however many requests came, and a key's counts reach the store
 * in order. A flight takes a bounded number of keys, so that it stops neither the store nor this process. When a flight
 * is not back `timeoutMs` after it left, or the connection is lost, or the store refuses to write, the lane is degraded
 * and decides from OutageMemory at once, until a probe that writes has come back. What was answered meanwhile travels
 * with the next flights. A question waits for the flight under way and for its own, so at most twice `timeoutMs`; where
 * more keys wait than one flight takes, those left behind for `timeoutMs` are decided from memory too, without an outage.
 *
 *     steady     ask ─► queue ─► flight ─► verdicts
 *     degraded   ask ─► memory          probe every 100 ms ─► back ─► steady, debts first
 *
 * A key that was good and that the store does not know any more is lost, since nobody removes keys from a store. Such a
 * key is decided from memory, and asked for once a second, until the store knows it again. While a key is lost, one that
 * neither the store nor the memory knows may be lost too: nobody knows whether it is good.
 */

import { messageOf } from '../key-error.js';
import { type KeyQuestion, KeyStoreError, type KeyVerdict } from '../key-store.js';
import type { AskedKey, DecisionPort, KeyReply } from './decision-port.js';
import type { OutageMemory } from './outage-memory.js';
import { answerTurns, type Turn, TurnQueue } from './turn-queue.js';

export interface LaneListener {
  onDegraded(problem: string): void;
  onRecovered(outageMs: number): void;
  /** The store has lost the first key. */
  onKeysLost(): void;
  /** All lost keys are back. */
  onKeysFound(): void;
  /** Something is wrong with one key alone. */
  onKeyProblem(digest: string, problem: string): void;
}

export interface LaneOptions {
  readonly port: DecisionPort;
  readonly memory: OutageMemory;
  readonly listener: LaneListener;
  readonly nextSequence: () => number;
  readonly clock: () => number;
  readonly timeoutMs: number;
}

/** A flight takes about 10 ms of Redis's time with as many keys as this and DEBTORS_PER_FLIGHT. */
export const KEYS_PER_FLIGHT = 400;
const DEBTORS_PER_FLIGHT = 100;
const PROBE_EVERY_MS = 100;
/** How long debts wait that the store did not take, because their keys are damaged or lost. */
const STUCK_DEBTS_WAIT_MS = 1_000;
const LOST = 'the store no longer knows keys that were good: it has lost keys';
const CROWDED = 'more keys wait than it can be asked for in time';

export class DecisionLane {
  readonly #queue = new TurnQueue();
  /** A flight or a probe that has not come back; also when nobody waits for it any more. */
  #isInAir = false;
  #wasReady = false;
  #degradedSinceMs: number | null = null;
  #problem: string | null = null;
  /** Of the key that was asked for last, and in an outage of the one to probe. */
  #lastDigest = '';
  #probeTimer: NodeJS.Timeout | undefined;
  /** Set while debts wait. */
  #debtTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly options: LaneOptions) {}

  /** At most KEYS_PER_FLIGHT questions, which fly together. */
  ask(questions: readonly KeyQuestion[]): Promise<readonly KeyVerdict[]> {
    this.#wasReady ||= this.options.port.isReady();
    // Before the first connection requests wait for it: it is usually made within milliseconds.
    if (this.#problem === null && this.#wasReady && !this.options.port.isReady()) {
      this.#degrade('the connection was lost', questions[0]?.digest ?? '');
    }
    if (this.#problem !== null) return Promise.resolve(this.#decideFromMemory(questions, this.#problem));
    return new Promise((resolve) => {
      this.#queue.push({ questions, arrivedMs: performance.now(), resolve });
      if (this.#queue.length === 1 && !this.options.port.isReady()) this.#watchOldest();
      this.#takeOff();
    });
  }

  /** The connection was made or lost. */
  onConnectionChange(): void {
    if (this.#isClosed) return;
    if (this.options.port.isReady()) {
      this.#wasReady = true;
      this.#takeOff();
    } else if (this.#wasReady && this.#problem === null && this.#lastDigest !== '') {
      this.#degrade('the connection was lost', this.#lastDigest);
    }
  }

  problem(): string | null {
    return this.#problem;
  }

  /** Tells the store what is owed, as far as it listens before `limitMs`. */
  async close(limitMs: number): Promise<void> {
    const deadlineMs = performance.now() + limitMs;
    while (this.#hasUnfinished() && performance.now() < deadlineMs) {
      this.#endDebtWait();
      this.#takeOff();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    this.#isClosed = true;
  }

  #hasUnfinished(): boolean {
    return this.#isInAir || this.options.memory.debtorCount() > 0;
  }

  #takeOff(): void {
    const { port, memory } = this.options;
    if (this.#isInAir || this.#problem !== null) return;
    if (!port.isReady()) {
      const oldest = this.#queue.oldest();
      if (oldest !== undefined && this.#wasReady) {
        this.#degrade('the connection was lost', oldest.questions[0]?.digest ?? '');
      }
      return;
    }
    const debtors = this.#debtTimer === undefined ? memory.nextDebtors(DEBTORS_PER_FLIGHT) : [];
    if (this.#queue.length === 0 && debtors.length === 0) return;
    const turns = this.#queue.takeKeys(KEYS_PER_FLIGHT);
    for (const { questions, resolve } of this.#queue.takeOlderThan(performance.now() - this.options.timeoutMs)) {
      resolve(this.#decideFromMemory(questions, CROWDED));
    }
    const counts = new Map(debtors.map((digest) => [digest, 0]));
    for (const { questions } of turns) {
      for (const { digest, count } of questions) counts.set(digest, (counts.get(digest) ?? 0) + count);
    }
    const keys = Array.from(counts, ([digest, count]) => ({ digest, count, debts: memory.takeDebts(digest) }));
    void this.#fly(turns, keys, debtors.length > 0);
  }

  async #fly(turns: readonly Turn[], keys: readonly AskedKey[], hasDebtors: boolean): Promise<void> {
    const { port, memory, timeoutMs, nextSequence } = this.options;
    const sequence = nextSequence();
    const debtorCount = memory.debtorCount();
    this.#isInAir = true;
    this.#lastDigest = keys[0]?.digest ?? '';
    let [isLate, isBack] = [false, false];
    const lateTimer = setTimeout(() => {
      // Answers that came while this process itself stood still are read before this.
      setImmediate(() => {
        if (isBack) return;
        isLate = true;
        this.#landInMemory(turns, keys, sequence, `no answer within ${timeoutMs} ms`);
      });
    }, timeoutMs);
    try {
      const replies = await port.decide(sequence, keys);
      isBack = true;
      if (!isLate) this.#land(turns, keys, replies, sequence);
    } catch (error) {
      isBack = true;
      if (!isLate) this.#landInMemory(turns, keys, sequence, messageOf(error));
    } finally {
      clearTimeout(lateTimer);
      this.#isInAir = false;
      // Without this, debts that nobody takes would be told again and again without a pause.
      if (hasDebtors && memory.debtorCount() >= debtorCount) this.#beginDebtWait();
      this.#takeOff();
    }
  }

  #beginDebtWait(): void {
    this.#debtTimer ??= setTimeout(() => {
      this.#endDebtWait();
      this.#takeOff();
    }, STUCK_DEBTS_WAIT_MS).unref();
  }

  #endDebtWait(): void {
    clearTimeout(this.#debtTimer);
    this.#debtTimer = undefined;
  }

  /** Every key of the flight has a reply. */
  #land(turns: readonly Turn[], keys: readonly AskedKey[], replies: readonly KeyReply[], sequence: number): void {
    const { memory, listener } = this.options;
    const hadLost = memory.lostCount() > 0;
    const verdicts = new Map<string, KeyVerdict>();
    let wide: { readonly why: string; readonly digest: string } | undefined;
    for (const [index, key] of keys.entries()) {
      const reply = replies[index] as KeyReply;
      verdicts.set(key.digest, this.#verdictOf(key, reply, sequence));
      if (reply.standing === 'unsure' || (reply.standing === 'failed' && reply.isWide)) {
        wide ??= { why: reply.why, digest: key.digest };
      }
    }
    answerTurns(turns, verdicts);
    const hasLost = memory.lostCount() > 0;
    if (hasLost && !hadLost) listener.onKeysLost();
    if (hadLost && !hasLost) listener.onKeysFound();
    // Only now: it decides what waits from what was just learned.
    if (wide !== undefined) this.#degrade(wide.why, wide.digest);
  }

  /** Nobody knows whether the store did what it was asked. */
  #landInMemory(turns: readonly Turn[], keys: readonly AskedKey[], sequence: number, why: string): void {
    const verdicts = new Map(
      keys.map(({ digest, count }) => [digest, this.#recall(digest, count, sequence, true, why)] as const),
    );
    answerTurns(turns, verdicts);
    this.#degrade(why, keys[0]?.digest ?? '');
  }

  #verdictOf({ digest, count, debts }: AskedKey, reply: KeyReply, sequence: number): KeyVerdict {
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

  /** The store did nothing for the key: the question is answered from memory, and the debts are still owed. */
  #recallUntouched({ digest, count, debts }: AskedKey, why: string): KeyVerdict {
    this.options.memory.keepDebts(digest, debts);
    // Not the sequence of this flight: nothing was done under it, and later ones may come before the debt is told.
    return this.#recall(digest, count, this.options.nextSequence(), false, why);
  }

  #recall(digest: string, count: number, sequence: number, isUnsure: boolean, why: string): KeyVerdict {
    const { memory, clock } = this.options;
    // Only its debts were told; they stay.
    if (count === 0) return { standing: 'unknown' };
    const admission = memory.decide(digest, count, clock(), sequence, isUnsure);
    return admission ?? { standing: 'unavailable', cause: unavailable(why) };
  }

  #decideFromMemory(questions: readonly KeyQuestion[], why: string): KeyVerdict[] {
    const sequence = this.options.nextSequence();
    return questions.map(({ digest, count }) => this.#recall(digest, count, sequence, false, why));
  }

  /** What waits although there is no flight, because there never was a connection, waits no longer than the rest. */
  #watchOldest(): void {
    setTimeout(() => {
      const oldest = this.#queue.oldest();
      if (oldest === undefined) return;
      if (performance.now() - oldest.arrivedMs < this.options.timeoutMs - 1) {
        this.#watchOldest();
        return;
      }
      if (!this.#isInAir) this.#degrade('there is no connection', oldest.questions[0]?.digest ?? '');
    }, this.options.timeoutMs);
  }

  #degrade(problem: string, digest: string): void {
    const isNew = this.#problem === null;
    this.#problem = problem;
    this.#lastDigest = digest;
    if (isNew) {
      this.#degradedSinceMs = performance.now();
      this.options.listener.onDegraded(problem);
      this.#scheduleProbe();
    }
    // They would wait for a flight that can't start.
    for (const { questions, resolve } of this.#queue.takeAll()) resolve(this.#decideFromMemory(questions, problem));
  }

  #scheduleProbe(): void {
    this.#probeTimer ??= setTimeout(() => void this.#probe(), PROBE_EVERY_MS).unref();
  }

  async #probe(): Promise<void> {
    const { port } = this.options;
    this.#probeTimer = undefined;
    if (this.#isClosed || this.#problem === null) return;
    this.#scheduleProbe();
    // What is in the air comes back, or fails when its connection is given up.
    if (this.#isInAir || !port.isReady()) return;
    this.#isInAir = true;
    try {
      await port.probe(this.#lastDigest);
      this.#recover();
    } catch (error) {
      this.#problem = messageOf(error);
    } finally {
      this.#isInAir = false;
      this.#takeOff();
    }
  }

  #recover(): void {
    const outageMs = performance.now() - (this.#degradedSinceMs ?? 0);
    this.#problem = null;
    this.#wasReady = true;
    this.options.listener.onRecovered(outageMs);
  }
}

function unavailable(why: string): KeyStoreError {
  return new KeyStoreError('KEY_STORE_FAILED', `the key store can't decide (${why})`, 'look at Redis and its address');
}
