/**
 * The way of questions to a store that is somewhere else. One flight is in the air at a time, so a key's counts reach the
 * store in order. A flight takes a bounded number of keys, so that it stops neither the store nor this process. When a
 * flight is not back `timeoutMs` after it left, or the connection is lost, or the store refuses to write, the lane is
 * degraded and decides from OutageMemory at once, until a probe that writes has come back. What was answered meanwhile is
 * a debt, and travels with the next flights.
 *
 *     steady     decide ─► flight ─► verdicts
 *     degraded   decide ─► memory           probe every 100 ms ─► back ─► steady, debts first
 */

import { setImmediate as nextRound } from 'node:timers/promises';
import { messageOf } from '../../expected-error.js';
import type { KeyQuestion, KeyVerdict } from '../key-store.js';
import type { AskedKey, DecisionPort, KeyReply } from './decision-port.js';
import { LaneVerdicts, type VerdictListener, type VerdictOptions } from './lane-verdicts.js';

export interface LaneListener extends VerdictListener {
  onDegraded(problem: string): void;
  onRecovered(outageMs: number): void;
  /** The store has lost the first key. */
  onKeysLost(): void;
  /** All lost keys are back. */
  onKeysFound(): void;
}

export interface LaneOptions extends VerdictOptions {
  readonly port: DecisionPort;
  readonly listener: LaneListener;
  readonly timeoutMs: number;
}

/** A flight takes about 10 ms of Redis's time with as many keys as this and DEBTORS_PER_FLIGHT. */
const KEYS_PER_FLIGHT = 400;
const DEBTORS_PER_FLIGHT = 100;
const PROBE_EVERY_MS = 100;
/** How long debts wait that the store did not take, because their keys are damaged or lost. */
const STUCK_DEBTS_WAIT_MS = 1_000;
const CROWDED = 'more keys wait than it can be asked for in time';
const CONNECTION_LOST = 'the connection was lost';

type Landing = { readonly replies: readonly KeyReply[] } | { readonly why: string };

export class DecisionLane {
  readonly #verdicts: LaneVerdicts;
  /** Resolves when the flight that left last has its verdicts; undefined when no flight is waited for. */
  #flight: Promise<unknown> | undefined;
  /** A flight or a probe that has not come back; also when nobody waits for it any more. */
  #isInAir = false;
  #wasReady = false;
  #hasFlown = false;
  #degradedSinceMs = 0;
  #problem: string | null = null;
  #probeTimer: NodeJS.Timeout | undefined;
  /** Set while debts wait. */
  #debtTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly options: LaneOptions) {
    this.#verdicts = new LaneVerdicts(options);
  }

  /** One verdict for each question; of more than fit into one flight, those that can't fly in time are from memory. */
  async decide(questions: readonly KeyQuestion[]): Promise<readonly KeyVerdict[]> {
    await this.#awaitConnection();
    const startMs = performance.now();
    const verdicts: KeyVerdict[] = [];
    for (let at = 0; at < questions.length; at += KEYS_PER_FLIGHT) {
      const group = questions.slice(at, at + KEYS_PER_FLIGHT);
      while (this.#flight !== undefined && this.#problem === null) await this.#flight;
      const isLate = at > 0 && performance.now() - startMs > this.options.timeoutMs;
      const problem = this.#problem ?? (isLate ? CROWDED : null);
      verdicts.push(...(problem === null ? await this.#ask(group) : this.#verdicts.fromMemory(group, problem)));
    }
    return verdicts;
  }

  /** The connection was made or lost. */
  onConnectionChange(): void {
    if (this.#isClosed) return;
    if (this.options.port.isReady()) {
      this.#wasReady = true;
      this.#tellDebts();
    } else if (this.#wasReady && this.#hasFlown) {
      this.#degrade(CONNECTION_LOST);
    }
  }

  problem(): string | null {
    return this.#problem;
  }

  /** Tells the store what is owed, as far as it listens before `limitMs`. */
  async close(limitMs: number): Promise<void> {
    const deadlineMs = performance.now() + limitMs;
    while ((this.#isInAir || this.options.memory.debtorCount() > 0) && performance.now() < deadlineMs) {
      this.#endDebtWait();
      this.#tellDebts();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    this.#isClosed = true;
  }

  /** Before the first connection questions wait for it: it is usually made within milliseconds. */
  async #awaitConnection(): Promise<void> {
    const { port, timeoutMs } = this.options;
    if (this.#problem !== null) return;
    if (port.isReady()) this.#wasReady = true;
    else if (this.#wasReady) this.#degrade(CONNECTION_LOST);
    else await port.whenReady(timeoutMs).catch(() => this.#degrade('there is no connection'));
  }

  /** The verdicts of a flight with these questions and some debts. */
  #ask(questions: readonly KeyQuestion[]): Promise<readonly KeyVerdict[]> {
    const { memory } = this.options;
    const debtors = this.#debtTimer === undefined ? memory.nextDebtors(DEBTORS_PER_FLIGHT) : [];
    const counts = new Map(debtors.map((digest) => [digest, 0]));
    for (const { digest, count } of questions) counts.set(digest, count);
    const keys = Array.from(counts, ([digest, count]) => ({ digest, count, debts: memory.takeDebts(digest) }));
    const flight = this.#fly(keys, debtors.length > 0).finally(() => {
      this.#flight = undefined;
    });
    this.#flight = flight;
    return flight.then((verdicts) => questions.map(({ digest }) => verdicts.get(digest) as KeyVerdict));
  }

  async #fly(keys: readonly AskedKey[], hasDebtors: boolean): Promise<ReadonlyMap<string, KeyVerdict>> {
    const { port, memory } = this.options;
    const sequence = this.#verdicts.nextSequence();
    const debtorCount = memory.debtorCount();
    this.#isInAir = true;
    this.#hasFlown = true;
    const flight = port.decide(sequence, keys).then(
      (replies): Landing => ({ replies }),
      (error): Landing => ({ why: messageOf(error) }),
    );
    const landing = await this.#inTime(
      flight.finally(() => {
        this.#isInAir = false;
        setImmediate(() => this.#tellDebts());
      }),
    );
    const verdicts =
      'replies' in landing
        ? this.#land(keys, landing.replies, sequence)
        : this.#landInMemory(keys, sequence, landing.why);
    // Without this, debts that the store does not take would be told again and again without a pause.
    if (hasDebtors && memory.debtorCount() >= debtorCount) this.#beginDebtWait();
    return verdicts;
  }

  async #inTime(flight: Promise<Landing>): Promise<Landing> {
    const { timeoutMs } = this.options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Landing>((resolve) => {
      timer = setTimeout(async () => {
        // Answers that came while this process itself stood still are read before this.
        await nextRound();
        resolve({ why: `no answer within ${timeoutMs} ms` });
      }, timeoutMs);
    });
    try {
      return await Promise.race([flight, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Flies with debts alone, where no question came first. */
  #tellDebts(): void {
    const isReady = this.options.port.isReady() && this.#problem === null && this.#debtTimer === undefined;
    if (isReady && !this.#isInAir && this.options.memory.debtorCount() > 0) void this.#ask([]);
  }

  #beginDebtWait(): void {
    this.#debtTimer ??= setTimeout(() => {
      this.#endDebtWait();
      this.#tellDebts();
    }, STUCK_DEBTS_WAIT_MS).unref();
  }

  #endDebtWait(): void {
    clearTimeout(this.#debtTimer);
    this.#debtTimer = undefined;
  }

  /** Every key of the flight has a reply. */
  #land(keys: readonly AskedKey[], replies: readonly KeyReply[], sequence: number): Map<string, KeyVerdict> {
    const { memory, listener } = this.options;
    const hadLost = memory.lostCount() > 0;
    const verdicts = new Map<string, KeyVerdict>();
    let problem: string | undefined;
    for (const [index, key] of keys.entries()) {
      const reply = replies[index] as KeyReply;
      verdicts.set(key.digest, this.#verdicts.onReply(key, reply, sequence));
      if (reply.standing === 'unsure' || (reply.standing === 'failed' && reply.isWide)) problem ??= reply.why;
    }
    const hasLost = memory.lostCount() > 0;
    if (hasLost && !hadLost) listener.onKeysLost();
    if (hadLost && !hasLost) listener.onKeysFound();
    if (problem !== undefined) this.#degrade(problem);
    return verdicts;
  }

  /** Nobody knows whether the store did what it was asked. */
  #landInMemory(keys: readonly AskedKey[], sequence: number, why: string): Map<string, KeyVerdict> {
    this.#degrade(why);
    return new Map(keys.map((key) => [key.digest, this.#verdicts.onSilence(key, sequence, why)]));
  }

  #degrade(problem: string): void {
    const isNew = this.#problem === null;
    this.#problem = problem;
    if (!isNew) return;
    this.#degradedSinceMs = performance.now();
    this.options.listener.onDegraded(problem);
    this.#scheduleProbe();
  }

  #scheduleProbe(): void {
    this.#probeTimer ??= setTimeout(() => void this.#probe(), PROBE_EVERY_MS).unref();
  }

  async #probe(): Promise<void> {
    const { port, listener } = this.options;
    this.#probeTimer = undefined;
    if (this.#isClosed || this.#problem === null) return;
    this.#scheduleProbe();
    // What is in the air comes back, or fails when its connection is given up.
    if (this.#isInAir || !port.isReady()) return;
    this.#isInAir = true;
    try {
      await port.probe();
      this.#problem = null;
      this.#wasReady = true;
      listener.onRecovered(performance.now() - this.#degradedSinceMs);
    } catch (error) {
      this.#problem = messageOf(error);
    } finally {
      this.#isInAir = false;
      this.#tellDebts();
    }
  }
}
