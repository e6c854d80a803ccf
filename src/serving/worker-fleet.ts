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
import type { Fleet } from './fleet.js';
import { listen, StartError } from './start-error.js';
import { askWorker, type Greeting, type QuestionName, type Questions } from './worker-messages.js';
import { SNAPSHOT_FILE } from './worker-variables.js';

const SHORT_LIFE_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** Opening and probing a snapshot that no other process has touched yet, on a slow disk. */
const SWAP_LIMIT_MS = 60_000;
const REPORT_LIMIT_MS = 2_000;

interface Member {
  readonly worker: Worker;
  /** The file it serves. */
  path: string;
  isServing: boolean;
  /** Of the last time it was asked. */
  metrics: MetricValues;
}

/** Starts `config.workers` of them. Throws StartError where one can't start. */
export async function startWorkers(config: Config, path: string, logger: Logger): Promise<Fleet> {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.js') });
  const port = config.port === 0 ? await findFreePort(config.host) : config.port;
  const fleet = new WorkerFleet(config.workers, port, path, logger);
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
  #pauseMs = 0;
  #isStopping = false;
  #swapping: Promise<void> = Promise.resolve();

  constructor(
    readonly expectedCount: number,
    readonly port: number,
    private path: string,
    private readonly logger: Logger,
  ) {}

  async start(): Promise<void> {
    try {
      // The first one finds what is wrong, and the port where the system chooses it.
      await this.#fork();
      await Promise.all(Array.from({ length: this.expectedCount - 1 }, () => this.#fork()));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  servingCount(): number {
    return this.#serving().length;
  }

  restartCount(): number {
    return this.#restartCount;
  }

  async reports(): Promise<Questions['report']['answer'][]> {
    return (await this.#askAll('report', null)).map(([, report]) => report);
  }

  async metrics(): Promise<MetricValues[]> {
    for (const [member, values] of await this.#askAll('metrics', null)) member.metrics = values;
    // One that is too busy to answer has not counted backwards.
    return [await this.#departed, ...this.#serving().map(({ metrics }) => metrics)].filter(({ length }) => length > 0);
  }

  swap(path: string): Promise<void> {
    const swapped = this.#swapping.then(() => this.#swapAll(path));
    this.#swapping = swapped.catch(() => {});
    return swapped;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#members].map((member) => this.#stopMember(member)));
  }

  #serving(): Member[] {
    return [...this.#members].filter(({ isServing }) => isServing);
  }

  /** All open the file before the first one serves it. */
  async #swapAll(path: string): Promise<void> {
    const members = this.#serving();
    const prepared = await Promise.allSettled(
      members.map(({ worker }) => askWorker(worker, 'prepare', path, SWAP_LIMIT_MS)),
    );
    const failed = prepared.find((result, at) => result.status === 'rejected' && isAlive(members[at] as Member));
    if (failed !== undefined) {
      await Promise.allSettled(members.map(({ worker }) => askWorker(worker, 'discard', null, SWAP_LIMIT_MS)));
      throw (failed as PromiseRejectedResult).reason;
    }
    this.path = path;
    await Promise.allSettled(members.map((member) => this.#commit(member, path)));
  }

  async #commit(member: Member, path: string): Promise<void> {
    try {
      await askWorker(member.worker, 'commit', null, SWAP_LIMIT_MS);
      member.path = path;
    } catch (error) {
      // It would serve another release than the rest; the one that replaces it will not.
      this.logger.error(
        { worker: member.worker.id, err: error },
        'a worker did not change to the snapshot and is ended',
      );
      member.worker.process.kill('SIGKILL');
    }
  }

  async #fork(): Promise<void> {
    const { path } = this;
    const worker = cluster.fork({ [SNAPSHOT_FILE]: path, PORT: String(this.port) });
    const member: Member = { worker, path, isServing: false, metrics: [] };
    this.#members.add(member);
    const startedMs = performance.now();
    worker.once('exit', (code, signal) => this.#onExit(member, startedMs, signal ?? `code ${code}`));
    const greeting = await greetingOf(worker);
    if (greeting.kind === 'failed') throw new StartError(greeting.problem);
    this.host = greeting.host;
    // The others may have changed while it started.
    await this.#swapping;
    if (member.path !== this.path) {
      await askWorker(worker, 'prepare', this.path, SWAP_LIMIT_MS);
      await this.#commit(member, this.path);
    }
    if (!this.#members.has(member)) throw new Error('the worker ended while it started');
    member.isServing = true;
  }

  #onExit(member: Member, startedMs: number, how: string): void {
    this.#members.delete(member);
    this.#departed = this.#departed.then((values) => keepCounts([values, member.metrics]));
    if (this.#isStopping || !member.isServing) return;
    const livedMs = performance.now() - startedMs;
    if (livedMs >= SHORT_LIFE_MS) this.#pauseMs = 0;
    this.logger.error({ worker: member.worker.id, how, pauseMs: this.#pauseMs }, 'a worker ended and is replaced');
    void this.#replace();
  }

  async #replace(): Promise<void> {
    for (;;) {
      await wait(this.#pauseMs, undefined, { ref: false });
      this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2));
      if (this.#isStopping) return;
      try {
        this.#restartCount++;
        await this.#fork();
        this.logger.info({ serving: this.servingCount() }, 'a worker was replaced');
        return;
      } catch (error) {
        this.logger.error({ problem: (error as Error).message, pauseMs: this.#pauseMs }, 'a worker can not start');
      }
    }
  }

  async #stopMember({ worker }: Member): Promise<void> {
    if (worker.isDead()) return;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.process.kill('SIGTERM');
    await ended;
  }

  /** Asks all who serve; those who fail or are late are left out. */
  async #askAll<Name extends QuestionName>(
    name: Name,
    input: Questions[Name]['input'],
  ): Promise<[Member, Questions[Name]['answer']][]> {
    const answers = await Promise.all(
      this.#serving().map(async (member): Promise<[Member, Questions[Name]['answer']] | undefined> => {
        try {
          return [member, await askWorker(member.worker, name, input, REPORT_LIMIT_MS)];
        } catch {
          return undefined;
        }
      }),
    );
    return answers.filter((answer) => answer !== undefined);
  }
}

function isAlive({ worker }: Member): boolean {
  return worker.isConnected() && !worker.isDead();
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
