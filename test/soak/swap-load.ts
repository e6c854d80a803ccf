/** Load whose every answer is compared with what the release named in its header must answer, byte by byte. */

import { Agent, get } from 'node:http';
import { type ResponseData, readResponseData } from '../../src/core/answers/response-data.js';
import { service } from '../../src/core/answers/service.js';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';

/** By release, then by path: the `data` of the answer, as text. */
type ExpectedAnswers = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface LoadOptions {
  readonly port: number;
  readonly key: string;
  readonly expected: ExpectedAnswers;
  readonly connections: number;
  /** Of all connections together; undefined: each asks as soon as it was answered. */
  readonly requestsPerSecond?: number;
}

export interface LoadOutcome {
  readonly seconds: number;
  /** Of each good answer, ascending. */
  readonly latenciesMs: Float64Array;
  readonly byRelease: ReadonlyMap<string, number>;
  /** What was no answer, or not the right one. */
  readonly failures: readonly string[];
}

/** Questions that different releases answer differently, one from most endpoints, and their answers. */
export function expectAnswers(paths: readonly string[]): ExpectedAnswers {
  return new Map(
    paths.map((path) => {
      const snapshot = openSnapshot(path);
      const questions: [string, () => ResponseData][] = [
        ['/v1/countries', () => service.listCountries(snapshot, { hasPostcodes: undefined })],
        ...['DE', 'US', 'IN', 'FR', 'PL', 'JP'].flatMap((country): [string, () => ResponseData][] => [
          [`/v1/countries/${country}`, () => service.getCountry(snapshot, { country })],
          [
            `/v1/countries/${country}/places?page=7`,
            () => service.listPlaces(snapshot, { country, level: undefined, page: 7, pageSize: 50 }),
          ],
          [
            `/v1/autocomplete?q=san&country=${country}`,
            () => service.autocomplete(snapshot, { query: 'san', country, limit: 10 }),
          ],
        ]),
        [
          '/v1/autocomplete?q=new',
          () => service.autocomplete(snapshot, { query: 'new', country: undefined, limit: 10 }),
        ],
        [
          '/v1/reverse?lat=48.8&lng=2.3&country=FR',
          () => service.reverse(snapshot, { lat: 48.8, lng: 2.3, country: 'FR' }),
        ],
      ];
      const answers = questions.flatMap(([path, answer]): [string, string][] => {
        try {
          return [[path, readResponseData(answer())]];
        } catch {
          // Not every release has every country: what it refuses is not asked.
          return [];
        }
      });
      return [snapshot.release, new Map(answers)] as const;
    }),
  );
}

/** Asks until `isOver`. */
export async function runLoad(options: LoadOptions, isOver: () => boolean): Promise<LoadOutcome> {
  const { connections, requestsPerSecond, expected } = options;
  const [first, ...others] = [...expected.values()];
  const paths = [...(first?.keys() ?? [])].filter((path) => others.every((answers) => answers.has(path)));
  const latencies: number[] = [];
  const byRelease = new Map<string, number>();
  const failures: string[] = [];
  const pauseMs = requestsPerSecond === undefined ? 0 : (connections / requestsPerSecond) * 1000;
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async (_, number) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      let dueMs = startedMs + (pauseMs * number) / connections;
      for (let turn = number; !isOver(); turn++) {
        const waitMs = dueMs - performance.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        // What a slow answer delayed is not made up for: it would come as a flood.
        dueMs = Math.max(dueMs + pauseMs, performance.now());
        const path = paths[turn % paths.length] as string;
        const askedMs = performance.now();
        const { release, problem } = await ask(options, agent, path);
        if (problem !== undefined) failures.push(`${path}: ${problem}`);
        else {
          latencies.push(performance.now() - askedMs);
          byRelease.set(release, (byRelease.get(release) ?? 0) + 1);
        }
      }
      agent.destroy();
    }),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  return { seconds, latenciesMs: Float64Array.from(latencies).sort(), byRelease, failures };
}

/** After that an answer counts as lost. */
const ANSWER_LIMIT_MS = 20_000;

function ask(
  { port, key, expected }: LoadOptions,
  agent: Agent,
  path: string,
): Promise<{ release: string; problem?: string }> {
  return new Promise((resolve) => {
    const fail = (error: Error): void => resolve({ release: '', problem: error.message });
    const request = get({ host: '127.0.0.1', port, path, agent, headers: { 'x-api-key': key } }, (response) => {
      const release = String(response.headers['x-dataset-release']);
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', fail);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const data = text.slice('{"statusCode":200,"data":'.length, text.lastIndexOf(',"metadata":'));
        if (data === expected.get(release)?.get(path)) resolve({ release });
        else
          resolve({
            release,
            problem: `${response.statusCode} of ${release} is not its answer: ${text.slice(0, 200)}`,
          });
      });
    });
    request.once('error', fail);
    request.setTimeout(ANSWER_LIMIT_MS, () => request.destroy(new Error(`no answer in ${ANSWER_LIMIT_MS} ms`)));
  });
}

/** The value below which a share of them lies. */
export function quantile(ascending: Float64Array, share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))] ?? Number.NaN;
}
