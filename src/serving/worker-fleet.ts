/**
 * Workers that share a port. Connections go to them in turn; each maps the same file, whose pages they share, and asks
 * the key store for itself. One that ends without being told to is replaced: at once the first time, then later and
 * later while new ones go on ending soon.
 */
import cluster, { type Worker } from 'node:cluster';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { keepCounts, type MetricValues } from '../observing/metrics.js';
import type { HeldSnapshot } from '../releases/held-snapshot.js';
import type { Fleet, FleetReports } from './fleet.js';
import type { ServingReport } from './serving.js';
import { listen, StartError } from './start-error.js';
import { askWorker, type Greeting, NoAnswerError, type Questions } from './worker-messages.js';
import { SNAPSHOT_FILE } from './worker-variables.js';

const SHORT_LIFE_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** Opening and probing a snapshot that no other process has touched yet, on a slow disk. */
const SWAP_LIMIT_MS = 60_000;
/** Shorter than what asks for readiness waits, and Prometheus for metrics. */
const REPORT_LIMIT_MS = 500;
const METRICS_LIMIT_MS = 5_000;
/** What a worker is given to end beyond DRAIN_SECONDS. */
const STOP_MARGIN_MS = 5_000;

interface Member {
  readonly worker: Worker;
  /** How long its start was put off. */
  readonly pauseMs: number;
  /** What it serves. */
  held: HeldSnapshot;
  /** When it began to; undefined before that. */
  servingSinceMs: number | undefined;
  /** Of the last time it answered. */
  report: ServingReport | undefined;
  metrics: MetricValues;
}

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
  /** What workers counted that are gone. */
  #departed: Promise<MetricValues> = Promise.resolve([]);
  #restartCount = 0;
  #swapping: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor(
    private readonly config: Config,
    readonly port: number,
    private held: HeldSnapshot,
    private readonly logger: Logger,
  ) {}

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

  restartCount(): number {
    return this.#restartCount;
  }

  async reports(): Promise<FleetReports> {
    const answers = await this.#askAll('report', REPORT_LIMIT_MS);
    for (const [member, report] of answers) member.report = report;
    const latest = this.#serving().flatMap(({ report }) => report ?? []);
    return { latest, answeringCount: answers.length };
  }

  async metrics(): Promise<MetricValues[]> {
    for (const [member, values] of await this.#askAll('metrics', METRICS_LIMIT_MS)) member.metrics = values;
    // One that is too busy to answer has not counted backwards.
    return [await this.#departed, ...this.#serving().map(({ metrics }) => metrics)].filter(({ length }) => length > 0);
  }

  swap(held: HeldSnapshot): Promise<void> {
    const swapped = this.#swapping.then(() => this.#swapAll(held));
    this.#swapping = swapped.catch(() => {});
    return swapped;
  }

  async stop(): Promise<void> {
    const problem = (await this.#stopAll()).find((outcome) => outcome !== 'code 0');
    if (problem !== undefined) throw new Error(`a worker ended with ${problem}`);
  }

  /** How they ended. */
  #stopAll(): Promise<string[]> {
    this.#stopping.abort();
    return Promise.all([...this.#members].map((member) => this.#stopMember(member)));
  }

  #serving(): Member[] {
    return [...this.#members].filter(({ servingSinceMs }) => servingSinceMs !== undefined);
  }

  /** All open the file before the first one serves it. One that dies over it refuses it too. */
  async #swapAll(held: HeldSnapshot): Promise<void> {
    const members = this.#serving();
    if (members.length === 0) throw new Error('there is no worker at the moment');
    const prepared = await Promise.allSettled(members.map((member) => this.#prepare(member, held)));
    const refusal = prepared.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (refusal !== undefined) {
      await Promise.allSettled(members.map(({ worker }) => askWorker(worker, 'discard', null, SWAP_LIMIT_MS)));
      throw refusal.reason;
    }
    const earlier = this.held;
    this.held = held;
    await Promise.all(members.map((member) => this.#commit(member, held)));
    earlier.release();
  }

  async #prepare({ worker }: Member, { openPath }: HeldSnapshot): Promise<void> {
    try {
      await askWorker(worker, 'prepare', openPath, SWAP_LIMIT_MS);
    } catch (error) {
      // It hangs, and nobody it serves gets an answer either.
      if (error instanceof NoAnswerError) worker.process.kill('SIGKILL');
      throw error;
    }
  }

  async #commit(member: Member, held: HeldSnapshot): Promise<void> {
    try {
      await askWorker(member.worker, 'commit', null, SWAP_LIMIT_MS);
      member.held = held;
    } catch (error) {
      // It would serve another release than the rest; the one that replaces it will not.
      this.logger.error({ worker: member.worker.id, err: error }, 'a worker did not change its snapshot and is ended');
      member.worker.process.kill('SIGKILL');
    }
  }

  async #fork(pauseMs: number): Promise<void> {
    const { held } = this;
    const worker = cluster.fork({ [SNAPSHOT_FILE]: held.openPath, PORT: String(this.port) });
    const member: Member = { worker, pauseMs, held, servingSinceMs: undefined, report: undefined, metrics: [] };
    this.#members.add(member);
    worker.once('exit', (code, signal) => this.#onExit(member, signal ?? `code ${code}`));
    const greeting = await greetingOf(worker);
    if (greeting.kind === 'failed') throw new StartError(greeting.problem);
    this.host = greeting.host;
    member.report = greeting.report;
    try {
      await this.#catchUp(member);
    } catch (error) {
      worker.process.kill('SIGKILL');
      throw error;
    }
    member.servingSinceMs = performance.now();
  }

  /** The others may have changed while it started. It listens already, and may answer a request from what it has. */
  async #catchUp(member: Member): Promise<void> {
    await this.#swapping;
    while (member.held !== this.held) {
      const { held } = this;
      await this.#prepare(member, held);
      await this.#commit(member, held);
      await this.#swapping;
    }
    if (!this.#members.has(member)) throw new Error('the worker ended while it started');
  }

  #onExit(member: Member, how: string): void {
    this.#members.delete(member);
    this.#departed = this.#departed.then((values) => keepCounts([values, member.metrics]));
    const { servingSinceMs, worker } = member;
    if (this.#stopping.signal.aborted || servingSinceMs === undefined) return;
    const isShort = performance.now() - servingSinceMs < SHORT_LIFE_MS;
    const pauseMs = isShort ? nextPause(member.pauseMs) : 0;
    // Somebody told it to.
    const level = how === 'code 0' ? 'info' : 'error';
    this.logger[level]({ worker: worker.id, how, pauseMs }, 'a worker ended and is replaced');
    void this.#replace(pauseMs);
  }

  async #replace(firstPauseMs: number): Promise<void> {
    const { signal } = this.#stopping;
    for (let pauseMs = firstPauseMs; ; pauseMs = nextPause(pauseMs)) {
      // The timer keeps the process alive where this was the last worker.
      await wait(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      this.#restartCount++;
      try {
        await this.#fork(pauseMs);
        this.logger.info({ serving: this.servingCount() }, 'a worker was replaced');
        return;
      } catch (error) {
        this.logger.error({ problem: (error as Error).message, pauseMs }, 'a worker can not start');
      }
    }
  }

  /** How it ended. */
  async #stopMember({ worker }: Member): Promise<string> {
    const ended = new Promise<string>((resolve) => {
      worker.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    });
    if (worker.isDead()) return 'code 0';
    worker.process.kill('SIGTERM');
    const limit = setTimeout(
      () => {
        this.logger.error({ worker: worker.id }, 'a worker does not stop and is ended');
        worker.process.kill('SIGKILL');
      },
      this.config.drainSeconds * 1_000 + STOP_MARGIN_MS,
    );
    const how = await ended;
    clearTimeout(limit);
    return how;
  }

  /** Asks all who serve; those who fail or are late are left out. */
  async #askAll<Name extends 'report' | 'metrics'>(
    name: Name,
    limitMs: number,
  ): Promise<[Member, Questions[Name]['answer']][]> {
    const answers = await Promise.all(
      this.#serving().map(async (member): Promise<[Member, Questions[Name]['answer']] | undefined> => {
        try {
          return [member, await askWorker(member.worker, name, null, limitMs)];
        } catch {
          return undefined;
        }
      }),
    );
    return answers.filter((answer) => answer !== undefined);
  }
}

function nextPause(pauseMs: number): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pauseMs * 2));
}

/** The first word of a worker. One that ends without any has failed. */
function greetingOf(worker: Worker): Promise<Greeting> {
  return new Promise((resolve) => {
    worker.on('message', (message: Greeting) => {
      if (message.kind === 'listening' || message.kind === 'failed') resolve(message);
    });
    worker.once('exit', (code, signal) =>
      resolve({ kind: 'failed', problem: `a worker ended at once: ${signal ?? `code ${code}`}` }),
    );
  });
}
