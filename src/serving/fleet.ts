/** Those who serve: this process alone, or workers. */
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { MetricValues } from '../observing/metrics.js';
import { type ServingReport, startServing } from './serving.js';

export interface Fleet {
  readonly host: string;
  /** The port it listens on, also where the configuration left the choice to the system. */
  readonly port: number;
  readonly expectedCount: number;
  servingCount(): number;
  /** How many ended without being told to, and were replaced. */
  restartCount(): number;
  /** From each that answers soon. */
  reports(): Promise<ServingReport[]>;
  metrics(): Promise<MetricValues[]>;
  /** Serves another file; rejects where one can't, and then all serve what they served. */
  swap(path: string): Promise<void>;
  /** Resolves when requests under way have been answered and key stores are closed. */
  stop(): Promise<void>;
}

/** This process alone. Throws StartError. */
export async function startAlone(config: Config, path: string, logger: Logger): Promise<Fleet> {
  const { host, port, live, report, metrics, stop } = await startServing(config, path, logger);
  return {
    host,
    port,
    expectedCount: 1,
    servingCount: () => 1,
    restartCount: () => 0,
    reports: async () => [report()],
    metrics: async () => [await metrics()],
    async swap(next) {
      live.prepare(next);
      live.commit();
    },
    stop,
  };
}
