/** How those who serve stand together: for orchestrators as liveness and readiness, for Prometheus in figures. */
import type { FleetStanding } from '../observing/metrics.js';
import type { SnapshotFollower } from '../releases/snapshot-follower.js';
import type { Fleet } from './fleet.js';

export interface Readiness {
  readonly isReady: boolean;
  readonly report: object;
}

/** Workers that die are replaced by themselves; after that long without any, a start of everything is the better try. */
const UNSERVED_LIMIT_MS = 60_000;

export interface Liveness {
  readonly isAlive: boolean;
  readonly report: object;
}

/** Whether somebody serves, or did a short while before `nowMs`, see performance.now(). */
export function livenessOf(fleet: Pick<Fleet, 'lastServedMs'>, nowMs = performance.now()): Liveness {
  const unservedMs = nowMs - fleet.lastServedMs();
  if (unservedMs < UNSERVED_LIMIT_MS) return { isAlive: true, report: { status: 'ok' } };
  return { isAlive: false, report: { status: 'nobody serves', forSeconds: Math.floor(unservedMs / 1_000) } };
}

/**
 * Whether requests should be sent here. A key store that can't be asked, a snapshot that was refused or is damaged, a worker that is
 * missing or one that is too busy to answer makes it `degraded` and not unready: requests are still answered, and taking
 * every server out of service at once would end that.
 */
export async function readinessOf(fleet: Fleet, follower: SnapshotFollower, isStopping: boolean): Promise<Readiness> {
  const { latest, answeringCount } = await fleet.reports();
  const [first] = latest;
  const workers = { expected: fleet.expectedCount, serving: fleet.servingCount(), answering: answeringCount };
  if (first === undefined || answeringCount === 0 || isStopping) {
    return { isReady: false, report: { status: isStopping ? 'stopping' : 'unready', workers } };
  }
  // Of several workers the one that fares worst speaks for all.
  const { keyStore } = latest.find((report) => report.keyStore.state === 'degraded') ?? first;
  const { refused, damaged } = follower.state();
  const isWhole = workers.serving === workers.expected && workers.answering >= workers.serving;
  const isWell = keyStore.state === 'ready' && refused === null && damaged === null && isWhole;
  const { release, id } = first.snapshot;
  const status = isWell ? 'ready' : 'degraded';
  return { isReady: true, report: { status, snapshot: { release, id }, refused, damaged, workers, keyStore } };
}

export async function standingOf(fleet: Fleet, follower: SnapshotFollower): Promise<FleetStanding> {
  const { swapCount, refusedCount, refused, damaged } = follower.state();
  const [{ latest, answeringCount }, metrics] = await Promise.all([fleet.reports(), fleet.metrics()]);
  return {
    snapshot: latest[0]?.snapshot,
    swapCount,
    refusedCount,
    isRefused: refused !== null,
    isDamaged: damaged !== null,
    expectedCount: fleet.expectedCount,
    servingCount: fleet.servingCount(),
    answeringCount,
    restartCount: fleet.restartCount(),
    metrics,
  };
}
