/** Those who serve: this process alone, or workers. */
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { MetricValues } from '../observing/metrics.js';
import type { HeldSnapshot } from '../releases/held-snapshot.js';
import { type ServingReport, startServing } from './serving.js';

export interface FleetReports {
  /** The last report of each process that serves; where some have changed their snapshot and some not, of the latter first. */
  readonly latest: readonly ServingReport[];
  /** How many answered at once when they were asked. */
  readonly answeringCount: number;
}

export interface Fleet {
  readonly host: string;
  /** The port it listens on, also where the configuration left the choice to the system. */
  readonly port: number;
  readonly expectedCount: number;
  /** What is served; where nobody serves, what the next one starts from. */
  readonly held: HeldSnapshot;
  servingCount(): number;
  /** When somebody served for the last time, see performance.now(): now, where somebody does. */
  lastServedMs(): number;
  /** How often one was started, or tried to, in the place of one that had ended. */
  restartCount(): number;
  reports(): Promise<FleetReports>;
  metrics(): Promise<MetricValues[]>;
  /**
   * Serves another file, and releases it in its time; rejects where one can't, and then all serve what they served. Where
   * nobody can serve what was served, they start from this one.
   */
  swap(held: HeldSnapshot): Promise<void>;
  /** Resolves when requests under way have been answered and key stores are closed. */
  stop(): Promise<void>;
}

/** This process alone. Throws StartError. */
export async function startAlone(config: Config, first: HeldSnapshot, logger: Logger): Promise<Fleet> {
  const { host, port, live, report, metrics, stop } = await startServing(config, first.openPath, logger);
  let held = first;
  return {
    get held() {
      return held;
    },
    host,
    port,
    expectedCount: 1,
    servingCount: () => 1,
    lastServedMs: () => performance.now(),
    restartCount: () => 0,
    reports: async () => ({ latest: [report()], answeringCount: 1 }),
    metrics: async () => [await metrics()],
    async swap(next) {
      await live.serve(next.openPath);
      // What a request still uses is held by its mapping.
      held.release();
      held = next;
    },
    stop,
  };
}
