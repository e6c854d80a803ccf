/**
 * Workers that share a port. Connections go to them in turn; each maps the same file, whose pages they share, and asks
 * the key store for itself. One that ends without being told to is replaced: at once the first time, then later and
 * later while new ones go on ending soon.
 */
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { keepCounts, type MetricValues } from '../observing/metrics.js';
import type { HeldSnapshot } from '../releases/held-snapshot.js';
import type { Fleet, FleetReports } from './fleet.js';
import { Member } from './member.js';
import { pauseAfter, Replacements } from './replacements.js';
import { listen } from './start-error.js';
import { WorkerEndedError } from './worker-messages.js';

/** After that a worker that is opening a snapshot is worth a line. */
const SLOW_MS = 2_000;
const LOOK_EVERY_MS = 20;
/** What a worker is given to end beyond DRAIN_SECONDS. */
export const STOP_MARGIN_MS = 5_000;

/** Starts `config.workers` of them. Throws StartError where one can't start. */
export async function startWorkers(config: Config, held: HeldSnapshot, logger: Logger): Promise<Fleet> {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.js') });
  const port = config.port === 0 ? await findFreePort(config.host) : config.port;
  const fleet = new WorkerFleet(config, port, held, logger);
  await fleet.start();
  return fleet;
}

/** Workers that come later, when no other listens any more, must listen where the first did. */
async function findFreePort(host: string): Promise<number> {
  const server = createServer();
  const { port } = await listen(server, host, 0);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

class WorkerFleet implements Fleet {
  host = '';
  readonly #members = new Set<Member>();
  readonly #starting = new Set<Promise<void>>();
  /** What workers counted that are gone. */
  #departed: Promise<MetricValues> = Promise.resolve([]);
  #swapping: Promise<void> = Promise.resolve();
  #lastServedMs = performance.now();
  readonly #stopping = new AbortController();
  readonly #replacements: Replacements;

  constructor(
    private readonly config: Config,
    readonly port: number,
    public held: HeldSnapshot,
    private readonly logger: Logger,
  ) {
    const start = async (pauseMs: number): Promise<void> => {
      await this.#fork(pauseMs);
      logger.info({ serving: this.servingCount() }, 'a worker was replaced');
    };
    this.#replacements = new Replacements(start, this.#stopping.signal, logger);
  }

  get expectedCount(): number {
    return this.config.workers;
  }

  async start(): Promise<void> {
    try {
      // The first one finds what is wrong.
      await this.#fork(0);
      await Promise.all(Array.from({ length: this.expectedCount - 1 }, () => this.#fork(0)));
    } catch (error) {
      await this.#stopAll();
      throw error;
    }
  }

  servingCount(): number {
    return this.#serving().length;
  }

  lastServedMs(): number {
    return this.servingCount() > 0 ? performance.now() : this.#lastServedMs;
  }

  restartCount(): number {
    return this.#replacements.startCount;
  }

  async reports(): Promise<FleetReports> {
    const answered = await Promise.all(this.#serving().map((member) => this.#hears(member)));
    // Until every worker has changed, a swap is not done: a worker that has not comes first.
    const hasChanged = (member: Member): number => Number(member.held === this.held);
    const members = this.#serving().sort((a, b) => hasChanged(a) - hasChanged(b));
    const latest = members.flatMap(({ report }) => report ?? []);
    return { latest, answeringCount: answered.filter(Boolean).length };
  }

  /** Whether a worker answers at once; a change of that is worth a line. */
  async #hears(member: Member): Promise<boolean> {
    const wasSilent = member.isSilent;
    const answers = await member.askReport();
    if (!answers && !wasSilent) this.logger.warn(member.names, 'a worker does not answer');
    if (answers && wasSilent) this.logger.info(member.names, 'a worker answers again');
    return answers;
  }

  async metrics(): Promise<MetricValues[]> {
    await Promise.all(this.#serving().map((member) => member.askMetrics()));
    return [await this.#departed, ...this.#serving().map(({ metrics }) => metrics)].filter(({ length }) => length > 0);
  }

  swap(held: HeldSnapshot): Promise<void> {
    const swapped = this.#swapping.then(() => this.#swapAll(held));
    this.#swapping = swapped.catch(() => {});
    return swapped;
  }

  async stop(): Promise<void> {
    const serving = this.#serving();
    const [ends] = await Promise.all([Promise.all(serving.map(({ ended }) => ended)), this.#stopAll()]);
    // One that was still starting ends by the signal.
    const problem = ends.find((how) => how !== 'code 0');
    if (problem !== undefined) throw new Error(`a worker ended with ${problem}`);
  }

  async #stopAll(): Promise<void> {
    this.#stopping.abort();
    // Clients that are told to go come back at once: nobody must listen any more, or they would be taken and dropped.
    await Promise.allSettled(this.#serving().map((member) => member.stopListening()));
    await Promise.all([...this.#members].map((member) => this.#stopMember(member)));
  }

  #serving(): Member[] {
    return [...this.#members].filter(({ servingSinceMs }) => servingSinceMs !== undefined);
  }

  /**
   * One worker changes first: where it refuses the file, nothing has changed. Then the other workers change, all at once;
   * one that can't is ended, and its replacement starts from the file that is held then.
   */
  async #swapAll(held: HeldSnapshot): Promise<void> {
    const earlier = this.held;
    await this.#serveFirst(held);
    // A worker that starts from now on reads `held`; one that is starting compares before it counts as serving.
    this.held = held;
    const others = this.#serving().filter((member) => member.held !== held);
    await Promise.all(others.map((member) => this.#serveOrEnd(member, held)));
    // A worker that is starting may not have opened the earlier file yet.
    void Promise.allSettled(this.#starting).then(() => earlier.release());
  }

  /**
   * Rejects where a worker refuses the file, or where two end over it, one after the other: a single one may have ended
   * for reasons of its own.
   */
  async #serveFirst(held: HeldSnapshot): Promise<void> {
    for (let endedCount = 0; ; endedCount++) {
      const member = await this.#anyServing();
      if (member === undefined) return await this.#startFrom(held);
      try {
        return await this.#serve(member, held);
      } catch (error) {
        if (!(error instanceof WorkerEndedError) || endedCount > 0) throw error;
        await member.ended;
      }
    }
  }

  async #serveOrEnd(member: Member, held: HeldSnapshot): Promise<void> {
    try {
      await this.#serve(member, held);
    } catch (error) {
      if (error instanceof WorkerEndedError) return;
      this.logger.error({ ...member.names, err: error }, 'a worker did not change its snapshot and is ended');
      member.kill();
    }
  }

  async #serve(member: Member, held: HeldSnapshot): Promise<void> {
    const slow = setTimeout(
      () => this.logger.warn(member.names, 'a worker is slow to open the snapshot, and holds up the swap'),
      SLOW_MS,
    );
    try {
      await member.serve(held);
    } finally {
      clearTimeout(slow);
    }
  }

  /** Every worker ends as soon as it starts from what is held: all start from this file instead, if that is better. */
  async #startFrom(held: HeldSnapshot): Promise<void> {
    const earlier = this.held;
    this.held = held;
    this.#replacements.hurry();
    if ((await this.#anyServing()) === undefined) {
      this.held = earlier;
      throw new Error(`no worker starts from it: ${this.#replacements.problem}`);
    }
  }

  /** A worker that serves, as soon as there is one; undefined where all end as soon as they start. */
  async #anyServing(): Promise<Member | undefined> {
    for (;;) {
      this.#stopping.signal.throwIfAborted();
      const [member] = this.#serving();
      if (member !== undefined || this.#replacements.pausingCount === this.expectedCount) return member;
      await wait(LOOK_EVERY_MS);
    }
  }

  /** Starts one; `pauseMs` is how long that was put off. */
  async #fork(pauseMs: number): Promise<void> {
    const started = this.#start(pauseMs);
    this.#starting.add(started);
    try {
      await started;
    } finally {
      this.#starting.delete(started);
    }
  }

  async #start(pauseMs: number): Promise<void> {
    const member = new Member(this.held, this.port);
    this.#members.add(member);
    void member.ended.then((how) => this.#onEnd(member, how, pauseMs));
    try {
      this.host = await member.listening();
      await this.#catchUp(member);
    } catch (error) {
      member.kill();
      throw error;
    }
  }

  /** A swap may have come while the worker started: it counts as serving when it serves what is held. */
  async #catchUp(member: Member): Promise<void> {
    while (member.held !== this.held) await member.serve(this.held);
    if (!this.#members.has(member)) throw new Error('the worker ended while it started');
    member.servingSinceMs = performance.now();
  }

  #onEnd(member: Member, how: string, lastPauseMs: number): void {
    this.#members.delete(member);
    this.#departed = this.#departed.then((values) => keepCounts([values, member.metrics]));
    const { names, servingSinceMs } = member;
    if (servingSinceMs !== undefined) this.#lastServedMs = performance.now();
    if (this.#stopping.signal.aborted || servingSinceMs === undefined) return;
    const pauseMs = pauseAfter(performance.now() - servingSinceMs, lastPauseMs);
    // Somebody told it to.
    const level = how === 'code 0' ? 'info' : 'error';
    this.logger[level]({ ...names, how, pauseMs }, 'a worker ended and is replaced');
    void this.#replacements.replace(pauseMs);
  }

  async #stopMember(member: Member): Promise<void> {
    member.stop();
    const limit = setTimeout(
      () => {
        this.logger.error(member.names, 'a worker does not stop and is ended');
        member.kill();
      },
      this.config.drainSeconds * 1_000 + STOP_MARGIN_MS,
    );
    await member.ended;
    clearTimeout(limit);
  }
}
