/**
 * Paced HTTP load on several servers: a fixed number of keep-alive connections to each, every one with at most one
 * request under way, and every request written down with its answer. It never asks twice and forgives nothing: a
 * connection that breaks is an exchange of status 0. Which key a request carries is drawn by weight, seeded.
 */
import { Agent, get } from 'node:http';
import { createRandom } from '../fixtures/random.mjs';
import { waitUntil } from '../fixtures/wait-until.js';
import type { Exchange } from './evidence.js';

/** Far beyond anything a server is allowed; without an end a lost answer would look like a test that hangs. */
const ANSWER_WITHIN_MS = 20_000;
const PATH = '/v1/countries/LI';

export interface LoadKey {
  readonly name: string;
  readonly clearKey: string;
  /** How often it is sent, against the weights of the others. */
  readonly weight: number;
}

export interface LoadOptions {
  readonly ports: readonly number[];
  readonly keys: readonly LoadKey[];
  readonly connectionsPerServer: number;
  readonly requestsPerSecond: number;
  readonly seed: number;
}

export class Load {
  readonly exchanges: Exchange[] = [];
  /** By server. */
  readonly #agents: readonly (readonly Agent[])[];
  readonly #clearKeys: ReadonlyMap<string, string>;
  /** `server key` of what is not sent for now. */
  readonly #held = new Set<string>();
  /** Requests without an answer yet, by `server key`. */
  readonly #underWay = new Map<string, number>();
  #workers: Promise<void>[] = [];
  #isStopped = false;
  #turn = 0;

  constructor(private readonly options: LoadOptions) {
    const { ports, connectionsPerServer, keys } = options;
    this.#agents = ports.map(() =>
      Array.from({ length: connectionsPerServer }, () => new Agent({ keepAlive: true, maxSockets: 1 })),
    );
    this.#clearKeys = new Map(keys.map(({ name, clearKey }) => [name, clearKey]));
  }

  start(): void {
    const connectionCount = this.#agents.flat().length;
    const meanPauseMs = (1_000 * connectionCount) / this.options.requestsPerSecond;
    this.#workers = this.#agents.flatMap((agents, server) =>
      agents.map((agent, index) =>
        this.#work(server, agent, meanPauseMs, createRandom(this.options.seed + server * agents.length + index)),
      ),
    );
  }

  /** Ends the pacing; resolves when every request has its answer. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#workers);
  }

  close(): void {
    this.#isStopped = true;
    for (const agent of this.#agents.flat()) agent.destroy();
  }

  /** One request out of turn, on one of the same connections. */
  ask(server: number, key: string): Promise<Exchange> {
    const agents = this.#agents[server] as readonly Agent[];
    return this.#exchange(server, agents[this.#turn++ % agents.length] as Agent, key);
  }

  /** Sends the key to this server no more, until `resume`; resolves when none is under way. */
  async hold(server: number, key: string): Promise<void> {
    const lane = `${server} ${key}`;
    this.#held.add(lane);
    await waitUntil(`the answers to ${key}`, async () => (this.#underWay.get(lane) ?? 0) === 0);
  }

  resume(server: number, key: string): void {
    this.#held.delete(`${server} ${key}`);
  }

  async #work(server: number, agent: Agent, meanPauseMs: number, random: () => number): Promise<void> {
    let dueMs = performance.now() + random() * meanPauseMs;
    while (!this.#isStopped) {
      await new Promise((resolve) => setTimeout(resolve, dueMs - performance.now()));
      // What a slow answer delayed is not made up for: it would come as a flood.
      dueMs = Math.max(dueMs + meanPauseMs * (0.5 + random()), performance.now());
      await this.#exchange(server, agent, this.#drawKey(server, random));
    }
  }

  #drawKey(server: number, random: () => number): string {
    const keys = this.options.keys.filter(({ name }) => !this.#held.has(`${server} ${name}`));
    let left = random() * keys.reduce((sum, { weight }) => sum + weight, 0);
    const drawn = keys.find(({ weight }) => {
      left -= weight;
      return left < 0;
    });
    return (drawn ?? (keys[0] as LoadKey)).name;
  }

  async #exchange(server: number, agent: Agent, key: string): Promise<Exchange> {
    const lane = `${server} ${key}`;
    this.#underWay.set(lane, (this.#underWay.get(lane) ?? 0) + 1);
    const sentMs = Date.now();
    const startedMs = performance.now();
    const answer = await request(this.options.ports[server] as number, agent, this.#clearKeys.get(key) as string);
    const waitedMs = performance.now() - startedMs;
    const exchange = { server, key, sentMs, receivedMs: Date.now(), waitedMs, ...answer };
    this.exchanges.push(exchange);
    this.#underWay.set(lane, (this.#underWay.get(lane) ?? 0) - 1);
    return exchange;
  }
}

function request(port: number, agent: Agent, clearKey: string): Promise<Pick<Exchange, 'status' | 'problem'>> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve({ status: 0, problem: error.code ?? error.message });
    const headers = { 'x-api-key': clearKey };
    const sent = get({ host: '127.0.0.1', port, path: PATH, agent, headers }, (response) => {
      response.resume();
      response.once('error', fail).once('end', () => resolve({ status: response.statusCode ?? 0 }));
    });
    sent.once('error', fail);
    sent.setTimeout(ANSWER_WITHIN_MS, () => sent.destroy(new Error(`no answer within ${ANSWER_WITHIN_MS} ms`)));
  });
}
