/** How those who serve stand together: for orchestrators as readiness, for Prometheus in figures. */
import type { FleetStanding } from '../observing/metrics.js';
import type { SnapshotFollower } from '../releases/snapshot-follower.js';
import type { Fleet } from './fleet.js';

export interface Readiness {
  readonly isReady: boolean;
  readonly report: object;
}

/**
 * Whether requests should be sent here. A key store that can't be asked, a snapshot that was refused, a worker that is
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
  const { refused } = follower.state();
  const isWhole = workers.serving === workers.expected && workers.answering >= workers.serving;
  const isWell = keyStore.state === 'ready' && refused === null && isWhole;
  const { release, id } = first.snapshot;
  const status = isWell ? 'ready' : 'degraded';
  return { isReady: true, report: { status, snapshot: { release, id }, refused, workers, keyStore } };
}

export async function standingOf(fleet: Fleet, follower: SnapshotFollower): Promise<FleetStanding> {
  const { swapCount, refusedCount, refused } = follower.state();
  const [{ latest, answeringCount }, metrics] = await Promise.all([fleet.reports(), fleet.metrics()]);
  return {
    snapshot: latest[0]?.snapshot,
    swapCount,
    refusedCount,
    isRefused: refused !== null,
    expectedCount: fleet.expectedCount,
    servingCount: fleet.servingCount(),
    answeringCount,
    restartCount: fleet.restartCount(),
    metrics,
  };
}
