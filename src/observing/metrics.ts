/**
 * What a process that serves counts, and what is known of all of them together, for Prometheus. Labels come from lists
 * of ours only: the templates of routes, status codes, outcomes of key checks.
 */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Connections } from '../http/connections.js';
import type { RequestObserver } from '../http/handlers.js';
import { contextOf } from '../http/render.js';
import type { KeyStoreHealth } from '../keys/key-store.js';

/** All metrics of a process with their values, as they go from a worker to the one that sums them up. */
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
  /** Where the gauges get their values; to be called once, before the first `values`. */
  observe(sources: ServingSources): void;
  values(): Promise<MetricValues>;
}

const PREFIX = 'postal_places_';
/** Seconds: most answers take less than a millisecond, one that waits for Redis up to 250. */
const LATENCY_BUCKETS = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
/** Each look wakes the process. */
const EVENT_LOOP_LOOK_MS = 50;
const NO_ROUTE = 'none';
const ABORTED = 'aborted';

export function createServingMetrics(): ServingMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS });
  const requests = new Counter({
    name: `${PREFIX}http_requests_total`,
    help: 'Requests by route and status; aborted where the client went away before its answer was out.',
    labelNames: ['route', 'status'],
    registers,
  });
  const latency = new Histogram({
    name: `${PREFIX}http_request_duration_seconds`,
    help: 'From the head of a request to the end of its answer.',
    labelNames: ['route'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  const decisions = new Counter({
    name: `${PREFIX}key_decisions_total`,
    help: 'Key checks by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    observer: {
      answered(_request, response, seconds) {
        const { route = NO_ROUTE, keyOutcome } = contextOf(response);
        requests.inc({ route, status: response.writableFinished ? response.statusCode : ABORTED });
        latency.observe({ route }, seconds);
        if (keyOutcome !== undefined) decisions.inc({ outcome: keyOutcome });
      },
      refusedEarly(status) {
        requests.inc({ route: NO_ROUTE, status });
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
      counter('http_connections_refused_total', 'New connections closed because none of the others was idle.', () =>
        connections.refusedCount(),
      );
      countCuts(() => connections.cutCounts());
      counter(
        'key_store_errors_total',
        'Times the key store could not be asked or held damaged data.',
        () => keyStore().errorCount,
      );
    },
    values: () => valuesOf(registry),
  };

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

  function countCuts(read: () => Readonly<Record<string, number>>): void {
    new Counter({
      name: `${PREFIX}http_connections_cut_total`,
      help: 'Open connections that the server closed by itself, by why.',
      labelNames: ['reason'],
      registers,
      collect() {
        this.reset();
        for (const [reason, count] of Object.entries(read())) this.inc({ reason }, count);
      },
    });
  }

  function counter(name: string, help: string, read: () => number): void {
    new Counter({
      name: `${PREFIX}${name}`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }
}

/** Of several processes that are gone: the sums of what never goes down. */
export function keepCounts(values: readonly MetricValues[]): Promise<MetricValues> {
  return valuesOf(sumUp(values.map((metrics) => metrics.filter(({ type }) => /^(?:counter|histogram)$/.test(type)))));
}

function sumUp(values: readonly MetricValues[]): Registry {
  return AggregatorRegistry.aggregate([...values]);
}

/** The types of the library call the type of a metric a number; it is a word. */
function valuesOf(registry: Registry): Promise<MetricValues> {
  return registry.getMetricsAsJSON() as Promise<unknown> as Promise<MetricValues>;
}

/** What is known of all who serve together. */
export interface FleetStanding {
  readonly snapshot: { readonly release: string; readonly id: string } | undefined;
  readonly swapCount: number;
  readonly refusedCount: number;
  /** Whether the source names a snapshot that is not served. */
  readonly isRefused: boolean;
  /** Whether the snapshot that is served does not agree with its checksums. */
  readonly isDamaged: boolean;
  readonly expectedCount: number;
  readonly servingCount: number;
  /** Those of them who answered at once when they were asked. */
  readonly answeringCount: number;
  readonly restartCount: number;
  /** Of each process. */
  readonly metrics: readonly MetricValues[];
}

/** A function that gives the text of `/metrics`: the values of every process summed up, and those of all together. */
export function createMetricsPage(standing: () => Promise<FleetStanding>): () => Promise<string> {
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
    const {
      snapshot,
      swapCount,
      refusedCount,
      isRefused,
      isDamaged,
      expectedCount,
      servingCount,
      restartCount,
      metrics,
      answeringCount,
    } = await standing();
    for (const metric of [info, swaps, restarts]) metric.reset();
    if (snapshot !== undefined) info.set({ release: snapshot.release, id: snapshot.id }, 1);
    swaps.inc({ outcome: 'served' }, swapCount);
    swaps.inc({ outcome: 'refused' }, refusedCount);
    refused.set(isRefused ? 1 : 0);
    damaged.set(isDamaged ? 1 : 0);
    workers.set({ state: 'serving' }, servingCount);
    workers.set({ state: 'answering' }, answeringCount);
    workers.set({ state: 'expected' }, expectedCount);
    restarts.inc(restartCount);
    return `${await sumUp(metrics).metrics()}${await registry.metrics()}`;
  };
}
