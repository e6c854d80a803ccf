/** The page `/metrics`: the metrics of all processes that serve, summed up, and the state of the server in figures. */
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import { type MetricValues, PREFIX, valuesOf } from './process-metrics.js';
import type { ServerState } from './server-state.js';

/** A function that gives the text of the page; `processes` gives the metrics of each process. */
export function createMetricsPage(
  state: () => Promise<ServerState>,
  processes: () => Promise<readonly MetricValues[]>,
): () => Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  const info = new Gauge({
    name: `${PREFIX}snapshot_info`,
    help: 'The snapshot that is served; always 1.',
    labelNames: ['release', 'id'],
    registers,
  });
  const swaps = new Counter({
    name: `${PREFIX}snapshot_swaps_total`,
    help: 'Snapshots that were to follow the one before, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const refused = new Gauge({
    name: `${PREFIX}snapshot_refused`,
    help: '1 while the source names a snapshot that was refused.',
    registers,
  });
  const damaged = new Gauge({
    name: `${PREFIX}snapshot_damaged`,
    help: '1 while the snapshot that is served does not agree with its checksums.',
    registers,
  });
  const workers = new Gauge({
    name: `${PREFIX}workers`,
    help: 'Processes that serve, and that should.',
    labelNames: ['state'],
    registers,
  });
  const restarts = new Counter({
    name: `${PREFIX}worker_restarts_total`,
    help: 'Starts of a worker in the place of one that had ended, also those that failed.',
    registers,
  });
  return async () => {
    const [current, values] = await Promise.all([state(), processes()]);
    const { release, id } = current.snapshot;
    for (const metric of [info, swaps, restarts]) metric.reset();
    if (current.servingCount > 0) info.set({ release, id }, 1);
    swaps.inc({ outcome: 'served' }, current.swapCount);
    swaps.inc({ outcome: 'refused' }, current.refusedCount);
    refused.set(current.refused === null ? 0 : 1);
    damaged.set(current.damaged === null ? 0 : 1);
    workers.set({ state: 'serving' }, current.servingCount);
    workers.set({ state: 'answering' }, current.keyStores.length);
    workers.set({ state: 'expected' }, current.expectedCount);
    restarts.inc(current.restartCount);
    return `${await sumUp(values).metrics()}${await registry.metrics()}`;
  };
}

/** The sums of the metrics that never go down, of processes that have ended. */
export function keepCounts(values: readonly MetricValues[]): Promise<MetricValues> {
  return valuesOf(sumUp(values.map((metrics) => metrics.filter(({ type }) => /^(?:counter|histogram)$/.test(type)))));
}

function sumUp(values: readonly MetricValues[]): Registry {
  return AggregatorRegistry.aggregate([...values]);
}
