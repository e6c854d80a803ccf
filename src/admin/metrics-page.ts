/** The page `/metrics`: the metrics of all processes that serve, summed up, and the state of the server in figures. */
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import type { ChannelState } from '../channels/follow-channel.js';
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
  const dataDate = new Gauge({
    name: `${PREFIX}snapshot_data_timestamp_seconds`,
    help: 'The date of the data that is served, in seconds since 1970; absent where it is unknown.',
    labelNames: ['release'],
    registers,
  });
  const setChannel = addChannelMetrics(registers);
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
    const { release, id, sourceDate } = current.snapshot;
    for (const metric of [info, dataDate, swaps, restarts]) metric.reset();
    if (current.servingCount > 0) info.set({ release, id }, 1);
    setTime(dataDate, { release }, sourceDate);
    setChannel(current.channel);
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

/** The metrics of the channel that is followed; without one, they have no samples. */
function addChannelMetrics(registers: Registry[]): (state: ChannelState | null) => void {
  const checked = new Gauge({
    name: `${PREFIX}channel_checked_timestamp_seconds`,
    help: 'When the last pull of the channel ended, in seconds since 1970; absent before the first.',
    labelNames: ['channel'],
    registers,
  });
  const succeeded = new Gauge({
    name: `${PREFIX}channel_succeeded_timestamp_seconds`,
    help: 'When the last pull that succeeded ended, in seconds since 1970; absent before the first.',
    labelNames: ['channel'],
    registers,
  });
  const failing = new Gauge({
    name: `${PREFIX}channel_failing`,
    help: '1 while the last pull of the channel failed, by why; else absent.',
    labelNames: ['channel', 'code'],
    registers,
  });
  const late = new Gauge({
    name: `${PREFIX}channel_late`,
    help: '1 while no pull has succeeded for an hour, or for three intervals where these are longer.',
    labelNames: ['channel'],
    registers,
  });
  const pulls = new Counter({
    name: `${PREFIX}channel_pulls_total`,
    help: 'Pulls of the channel by outcome.',
    labelNames: ['channel', 'outcome'],
    registers,
  });
  return (state) => {
    for (const metric of [checked, succeeded, failing, late, pulls]) metric.reset();
    if (state === null) return;
    const { channel, checkedAt, succeededAt, failure, isLate, counts } = state;
    setTime(checked, { channel }, checkedAt);
    setTime(succeeded, { channel }, succeededAt);
    if (failure !== null) failing.set({ channel, code: failure.code }, 1);
    late.set({ channel }, isLate ? 1 : 0);
    for (const [outcome, count] of Object.entries(counts)) pulls.inc({ channel, outcome }, count);
  };
}

/** Sets no sample where the time is unknown. */
function setTime(gauge: Gauge<string>, labels: Readonly<Record<string, string>>, time: string | null): void {
  const milliseconds = Date.parse(time ?? '');
  if (!Number.isNaN(milliseconds)) gauge.set(labels, milliseconds / 1_000);
}

/** The sums of the metrics that never go down, of processes that have ended. */
export function keepCounts(values: readonly MetricValues[]): Promise<MetricValues> {
  return valuesOf(sumUp(values.map((metrics) => metrics.filter(({ type }) => /^(?:counter|histogram)$/.test(type)))));
}

function sumUp(values: readonly MetricValues[]): Registry {
  return AggregatorRegistry.aggregate([...values]);
}
