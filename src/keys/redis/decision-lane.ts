/**
 * The way of questions to a store that is somewhere else. One flight is in the air at a time: what arrives meanwhile
 * waits and leaves together, so there is one round trip however many requests came, and a key's counts reach the store
 * in order. Nobody waits longer than `timeoutMs`: when a flight is not back by then, or the connection is lost, or the
 * store refuses to write, the lane is degraded and decides from OutageMemory at once, until a probe that writes has come
 * back. What was answered meanwhile travels with the next flights.
 *
 *     steady     ask ─► queue ─► flight ─► verdicts
 *     degraded   ask ─► memory          probe every 100 ms ─► back ─► steady, debts first
 */

import { type Admission, partOf } from '../admission.js';
import { messageOf } from '../key-error.js';
import { type KeyQuestion, KeyStoreError, type KeyVerdict } from '../key-store.js';
import type { AskedKey, DecisionPort, KeyReply } from './decision-port.js';
import type { OutageMemory } from './outage-memory.js';

export interface LaneListener {
  onDegraded(problem: string): void;
  onRecovered(outageMs: number): void;
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

interface Turn {
  readonly questions: readonly KeyQuestion[];
  readonly arrivedMs: number;
  readonly resolve: (verdicts: readonly KeyVerdict[]) => void;
}

const PROBE_EVERY_MS = 100;
const DEBTORS_PER_FLIGHT = 200;
/** How long debts wait that the store did not take, because the data of their keys are damaged. */
const STUCK_DEBTS_WAIT_MS = 1_000;

export class DecisionLane {
  #queue: Turn[] = [];
  /** A flight or a probe that has not come back; also when nobody waits for it any more. */
  #isInAir = false;
  #wasReady = false;
  #degradedSinceMs: number | null = null;
  #problem: string | null = null;
  /** Of the key that was asked for last, and in an outage of the one to probe. */
  #lastDigest = '';
  #probeTimer: NodeJS.Timeout | undefined;
  #debtTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly options: LaneOptions) {}

  ask(questions: readonly KeyQuestion[]): Promise<readonly KeyVerdict[]> {
    this.#wasReady ||= this.options.port.isReady();
    // Before the first connection requests wait for it: it is usually made within milliseconds.
    if (this.#problem === null && this.#wasReady && !this.options.port.isReady()) {
      this.#degrade('the connection was lost', questions[0]?.digest ?? '');
    }
    if (this.#problem !== null) return Promise.resolve(this.#decideFromMemory(questions, this.#problem));
    return new Promise((resolve) => {
      const turn = { questions, arrivedMs: performance.now(), resolve };
      this.#queue.push(turn);
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
      const [oldest] = this.#queue;
      if (oldest !== undefined && this.#wasReady) {
        this.#degrade('the connection was lost', oldest.questions[0]?.digest ?? '');
      }
      return;
    }
    const debtors = memory.nextDebtors(DEBTORS_PER_FLIGHT);
    if (this.#queue.length === 0 && debtors.length === 0) return;
    const turns = this.#queue;
    this.#queue = [];
    const counts = new Map(debtors.map((digest) => [digest, 0]));
    for (const { questions } of turns) {
      for (const { digest, count } of questions) counts.set(digest, (counts.get(digest) ?? 0) + count);
    }
    const keys = Array.from(counts, ([digest, count]) => ({ digest, count, debts: memory.takeDebts(digest) }));
    void this.#fly(turns, keys);
  }

  async #fly(turns: readonly Turn[], keys: readonly AskedKey[]): Promise<void> {
    const { port, memory, timeoutMs, nextSequence } = this.options;
    const sequence = nextSequence();
    const debtorCount = memory.debtorCount();
    const startedMs = performance.now();
    this.#isInAir = true;
    this.#lastDigest = keys[0]?.digest ?? '';
    const oldestMs = turns[0]?.arrivedMs ?? startedMs;
    let [isLate, isBack] = [false, false];
    const lateTimer = setTimeout(
      () => {
        // Answers that came while this process itself stood still are read before this.
        setImmediate(() => {
          if (isBack) return;
          isLate = true;
          this.#landInMemory(turns, keys, sequence, `no answer within ${timeoutMs} ms`);
        });
      },
      Math.max(0, timeoutMs - (startedMs - oldestMs)),
    );
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
      if (turns.length === 0 && memory.debtorCount() >= debtorCount) this.#takeOffLater();
      else this.#takeOff();
    }
  }

  #takeOffLater(): void {
    if (this.#queue.length > 0) this.#takeOff();
    this.#debtTimer ??= setTimeout(() => {
      this.#debtTimer = undefined;
      this.#takeOff();
    }, STUCK_DEBTS_WAIT_MS).unref();
  }

  /** Every key of the flight has a reply. */
  #land(turns: readonly Turn[], keys: readonly AskedKey[], replies: readonly KeyReply[], sequence: number): void {
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
      // Not the sequence of this flight: nothing was done under it, and later ones may come before the debt is told.
      return this.#recall(digest, count, this.options.nextSequence(), false, reply.why);
    }
    memory.settle(digest, debts);
    if (reply.standing !== 'good') {
      if (reply.standing === 'unknown' && memory.knows(digest)) {
        listener.onKeyProblem(digest, 'the store no longer knows this key, which was good: it has lost keys');
      }
      memory.forget(digest, reply.standing === 'revoked');
      return reply;
    }
    if (memory.wasRevoked(digest)) {
      listener.onKeyProblem(digest, 'the store has forgotten that this key was revoked; revoke it again');
      return { standing: 'revoked' };
    }
    memory.remember(digest, reply, this.options.clock());
    return reply.admission;
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
      const [oldest] = this.#queue;
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
    const waiting = this.#queue;
    this.#queue = [];
    for (const { questions, resolve } of waiting) resolve(this.#decideFromMemory(questions, problem));
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

/** Gives each turn its part of what was decided on all of them, in the order in which they came. */
function answerTurns(turns: readonly Turn[], verdicts: ReadonlyMap<string, KeyVerdict>): void {
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

function unavailable(why: string): KeyStoreError {
  return new KeyStoreError('KEY_STORE_FAILED', `the key store can't decide (${why})`, 'look at Redis and its address');
}
