/**
 * The state of a server at one moment, as operators see it, and what `/healthz` and `/readyz` make of it. The
 * supervisor puts it together.
 */
import { FORMAT_VERSION } from '../format/header.js';
import type { KeyStoreHealth } from '../keys/key-store.js';
import { packageVersion } from '../platform/package-root.js';

export interface ServedSnapshot {
  readonly release: string;
  readonly id: string;
  /** False where the file had to be read into memory. */
  readonly mapped: boolean;
}

/** The processes that serve. */
export interface ProcessesState {
  /** The health of a key store for each process that answered at once when it was asked. */
  readonly keyStores: readonly KeyStoreHealth[];
  readonly expectedCount: number;
  readonly servingCount: number;
  /** How often a worker was started, or failed to start, in the place of one that had ended. */
  readonly restartCount: number;
}

export interface ServerState extends ProcessesState {
  /** What every process serves. */
  readonly snapshot: ServedSnapshot;
  readonly swapCount: number;
  readonly refusedCount: number;
  /** The snapshot that the source names and that is not served, with the reason. */
  readonly refused: object | null;
  /** The snapshot that is served, where it does not agree with its checksums, with the reason. */
  readonly damaged: object | null;
  readonly isStopping: boolean;
}

/** The answer to `/healthz` or `/readyz`: status 200 where it is good, else 503. */
export interface Verdict {
  readonly isGood: boolean;
  readonly report: object;
}

/** What answers `/version`. */
export function programVersion(): object {
  return { version: packageVersion(), node: process.versions.node, snapshotFormat: FORMAT_VERSION };
}

/**
 * Milliseconds. Workers that die are replaced; after a minute without any, a start of the whole server is the better
 * try.
 */
const UNSERVED_LIMIT_MS = 60_000;

/** Whether the server should go on, or be started again. */
export function judgeLiveness(unservedMs: number): Verdict {
  if (unservedMs === 0) return { isGood: true, report: { status: 'ok' } };
  const report = { status: 'nobody serves', forSeconds: Math.floor(unservedMs / 1_000) };
  return { isGood: unservedMs < UNSERVED_LIMIT_MS, report };
}

/**
 * Whether requests should be sent here. A key store that can't be asked, a snapshot that was refused or is damaged, a
 * worker that is missing or too busy to answer makes the server `degraded` and not unready: requests are still
 * answered, and taking every server out of service at once would end that.
 */
export function judgeReadiness(state: ServerState): Verdict {
  const { keyStores, expectedCount, servingCount, refused, damaged, isStopping } = state;
  const workers = { expected: expectedCount, serving: servingCount, answering: keyStores.length };
  // The worst key store of all processes speaks for the server.
  const keyStore = keyStores.find((health) => health.state === 'degraded') ?? keyStores[0];
  if (keyStore === undefined || isStopping) {
    return { isGood: false, report: { status: isStopping ? 'stopping' : 'unready', refused, damaged, workers } };
  }
  const isComplete = servingCount === expectedCount && keyStores.length >= servingCount;
  const isReady = keyStore.state === 'ready' && refused === null && damaged === null && isComplete;
  const { release, id } = state.snapshot;
  const status = isReady ? 'ready' : 'degraded';
  return { isGood: true, report: { status, snapshot: { release, id }, refused, damaged, workers, keyStore } };
}

/** The same for the site, which is one process and needs no key store to show its pages. */
export function judgeSiteReadiness(
  state: Pick<ServerState, 'snapshot' | 'refused' | 'damaged' | 'isStopping'>,
): Verdict {
  const { snapshot, refused, damaged, isStopping } = state;
  if (isStopping) return { isGood: false, report: { status: 'stopping', refused, damaged } };
  const status = refused === null && damaged === null ? 'ready' : 'degraded';
  const { release, id } = snapshot;
  return { isGood: true, report: { status, snapshot: { release, id }, refused, damaged } };
}
