/**
 * The page `/metrics` for Prometheus: the metrics of all processes that serve, summed up, and the state of the server in
 * figures. Labels have a fixed set of values: the templates of routes, status codes, outcomes of key checks.
 */

import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { contextOf, type RequestObserver } from '../../api/http/request-context.js';
import { countDroppedLines } from '../../base/logger.js';
import type { KeyStoreHealth } from '../../keys/decision/key-store.js';
import type { Connections } from '../../server/server-connections.js';
import type { ServerState } from './server-state.js';

/** All metrics of a process with their values, as a worker sends them to the supervisor. */
export type MetricValues = readonly {
  readonly name: string;
  readonly type: string;
  readonly values: readonly object[];
}[];

export interface ServingSources {
  readonly keyStore: () => KeyStoreHealth;
  readonly connections: Pick<Connections, 'openCount' | 'heldBytes' | 'refusedCount' | 'cutCounts'>;
}

export interface ServingMetrics {
  readonly observer: RequestObserver;
  /** Sets the sources of the gauges; to be called once, before the first `values`. */
  observe(sources: ServingSources): void;
  values(): Promise<MetricValues>;
}

/** The prefix of all metric names. */
export const PREFIX = 'postal_places_';
/** Seconds: most answers take less than a millisecond, an answer that waits for Redis up to 250. */
const LATENCY_BUCKETS = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
/** Milliseconds between two samples of the event loop: each sample wakes the process. */
const EVENT_LOOP_LOOK_MS = 50;
const NO_ROUTE = 'none';
const ABORTED = 'aborted';

export function createServingMetrics(): ServingMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS });
  const counter = counterMaker(registry);
  countLog(counter);
  // Counted here, because the library hashes all labels for each count.
  const requestCounts = new Map<string, Map<number | string, number>>();
  const decisionCounts = new Map<string, number>();
  counter(
    'http_requests_total',
    'Requests by route and status; aborted where the client went away before its answer was out.',
    () => listRequestCounts(requestCounts),
    ['route', 'status'],
  );
  let lookupCount = 0;
  counter('bulk_lookups_total', 'Lookups of bulk requests that were counted and answered.', () => [[{}, lookupCount]]);
  const latency = new Histogram({
    name: `${PREFIX}http_request_duration_seconds`,
    help: 'From the head of a request to the end of its answer.',
    labelNames: ['route'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  counter(
    'key_decisions_total',
    'Key checks by outcome.',
    () => Array.from(decisionCounts, ([outcome, count]) => [{ outcome }, count]),
    ['outcome'],
  );
  return {
    observer: {
      answered(_request, response, seconds) {
        const { route = NO_ROUTE, keyOutcome, lookupCount: lookups = 0 } = contextOf(response);
        countRequest(route, response.writableFinished ? response.statusCode : ABORTED);
        latency.observe({ route }, seconds);
        lookupCount += lookups;
        if (keyOutcome !== undefined) countUp(decisionCounts, keyOutcome);
      },
      refusedEarly(status) {
        countRequest(NO_ROUTE, status);
      },
    },
    observe: ({ keyStore, connections }) => {
      gauge('key_store_degraded', 'Processes whose key store can not be asked.', () =>
        keyStore().state === 'degraded' ? 1 : 0,
      );
      gauge('http_connections', 'Open connections.', () => connections.openCount());
      gauge('http_held_bytes', 'About what unanswered requests and unread answers take.', () =>
        connections.heldBytes(),
      );
      counter('http_connections_refused_total', 'New connections closed because none of the others was idle.', () => [
        [{}, connections.refusedCount()],
      ]);
      counter(
        'http_connections_cut_total',
        'Open connections that the server closed by itself, by why.',
        () => Object.entries(connections.cutCounts()).map(([reason, count]) => [{ reason }, count]),
        ['reason'],
      );
      counter('key_store_errors_total', 'Times the key store could not be asked or held damaged data.', () => [
        [{}, keyStore().errorCount],
      ]);
    },
    values: () => metricValuesOf(registry),
  };

  function countRequest(route: string, status: number | string): void {
    let counts = requestCounts.get(route);
    if (counts === undefined) {
      counts = new Map();
      requestCounts.set(route, counts);
    }
    countUp(counts, status);
  }

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }
}

/** The metrics of a supervisor, which answers no request itself. */
export function readSupervisorMetrics(): Promise<MetricValues> {
  const registry = new Registry();
  countLog(counterMaker(registry));
  return metricValuesOf(registry);
}

function countLog(counter: MakeCounter): void {
  counter(
    'log_lines_dropped_total',
    'Lines of the log that were dropped because they could not be written in time.',
    () => [[{}, countDroppedLines()]],
  );
}

/** Makes a counter that takes the counts of all labels when it is asked. */
type MakeCounter = (name: string, help: string, read: () => LabelledCounts, labelNames?: readonly string[]) => void;

function counterMaker(registry: Registry): MakeCounter {
  return (name, help, read, labelNames = []) => {
    new Counter({
      name: `${PREFIX}${name}`,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const [labels, count] of read()) this.inc(labels, count);
      },
    });
  };
}

type LabelledCounts = readonly (readonly [labels: Readonly<Record<string, string | number>>, count: number])[];

function listRequestCounts(requestCounts: ReadonlyMap<string, ReadonlyMap<number | string, number>>): LabelledCounts {
  return [...requestCounts].flatMap(([route, counts]) =>
    Array.from(counts, ([status, count]) => [{ route, status }, count] as const),
  );
}

function countUp<Label>(counts: Map<Label, number>, label: Label): void {
  counts.set(label, (counts.get(label) ?? 0) + 1);
}

/** The values of a registry. The library's types say that the type of a metric is a number, and it is a word. */
function metricValuesOf(registry: Registry): Promise<MetricValues> {
  return registry.getMetricsAsJSON() as Promise<unknown> as Promise<MetricValues>;
}

/** A function that gives the text of the page; `processes` gives the metrics of each process. */
export function createMetricsPage(
  state: () => Promise<ServerState>,
  processes: () => Promise<readonly MetricValues[]>,
): () => Promise<string> {
  const registry = new Registry();
  const gauge = (name: string, help: string, ...labelNames: string[]): Gauge<string> =>
    new Gauge({ name: `${PREFIX}${name}`, help, labelNames, registers: [registry] });
  const counter = (name: string, help: string, ...labelNames: string[]): Counter<string> =>
    new Counter({ name: `${PREFIX}${name}`, help, labelNames, registers: [registry] });
  const info = gauge('snapshot_info', 'The snapshot that is served; always 1.', 'release', 'id');
  const swaps = counter('snapshot_swaps_total', 'Snapshots that were to follow the one before, by outcome.', 'outcome');
  const dataDate = gauge(
    'snapshot_data_timestamp_seconds',
    'The date of the data that is served, in seconds since 1970; absent where it is unknown.',
    'release',
  );
  // Of the channel that is followed; without one, they have no samples.
  const checked = gauge(
    'channel_checked_timestamp_seconds',
    'When the last pull of the channel ended, in seconds since 1970; absent before the first.',
    'channel',
  );
  const succeeded = gauge(
    'channel_succeeded_timestamp_seconds',
    'When the last pull that succeeded ended, in seconds since 1970; absent before the first.',
    'channel',
  );
  const failing = gauge(
    'channel_failing',
    '1 while the last pull of the channel failed, by why; else absent.',
    ...['channel', 'code'],
  );
  const late = gauge(
    'channel_late',
    '1 while no pull has succeeded for an hour, or for three intervals where these are longer.',
    'channel',
  );
  const pulls = counter('channel_pulls_total', 'Pulls of the channel by outcome.', 'channel', 'outcome');
  const refused = gauge('snapshot_refused', '1 while the source names a snapshot that was refused.');
  const damaged = gauge('snapshot_damaged', '1 while the snapshot that is served does not agree with its checksums.');
  const workers = gauge('workers', 'Processes that serve, and that should.', 'state');
  const restarts = counter(
    'worker_restarts_total',
    'Starts of a worker in the place of one that had ended, also those that failed.',
  );
  return async () => {
    const [current, values] = await Promise.all([state(), processes()]);
    const { release, id, sourceDate } = current.snapshot;
    for (const metric of [info, dataDate, swaps, restarts, checked, succeeded, failing, late, pulls]) metric.reset();
    if (current.servingCount > 0) info.set({ release, id }, 1);
    setTime(dataDate, { release }, sourceDate);
    if (current.channel !== null) {
      const { channel, checkedAt, succeededAt, failure, isLate, counts } = current.channel;
      setTime(checked, { channel }, checkedAt);
      setTime(succeeded, { channel }, succeededAt);
      if (failure !== null) failing.set({ channel, code: failure.code }, 1);
      late.set({ channel }, isLate ? 1 : 0);
      for (const [outcome, count] of Object.entries(counts)) pulls.inc({ channel, outcome }, count);
    }
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

/** Sets no sample where the time is unknown. */
function setTime(gauge: Gauge<string>, labels: Readonly<Record<string, string>>, time: string | null): void {
  const milliseconds = Date.parse(time ?? '');
  if (!Number.isNaN(milliseconds)) gauge.set(labels, milliseconds / 1_000);
}

/** The sums of the metrics that never go down, of processes that have ended. */
export function keepCounts(values: readonly MetricValues[]): Promise<MetricValues> {
  return metricValuesOf(
    sumUp(values.map((metrics) => metrics.filter(({ type }) => /^(?:counter|histogram)$/.test(type)))),
  );
}

function sumUp(values: readonly MetricValues[]): Registry {
  return AggregatorRegistry.aggregate([...values]);
}
