/**
 * The state of a server at one moment, and the verdicts of `/healthz` and `/readyz` on it.
 */
import { FORMAT_VERSION } from '../format/header.js';
import type { KeyStoreHealth } from '../keys/key-store.js';
import { packageVersion } from '../platform/package-root.js';

export interface ServedSnapshot {
  readonly release: string;
  readonly id: string;
  /** False if the file was read into memory instead. */
  readonly mapped: boolean;
}

/** The processes that serve. */
export interface ProcessesState {
  /** The key store's health from each process that replied in time. */
  readonly keyStores: readonly KeyStoreHealth[];
  readonly expectedCount: number;
  readonly servingCount: number;
  /** Number of replacements of workers, including failed starts. */
  readonly restartCount: number;
}

export interface ServerState extends ProcessesState {
  /** The snapshot that every process serves. */
  readonly snapshot: ServedSnapshot;
  readonly swapCount: number;
  readonly refusedCount: number;
  /** The refused snapshot that the source names, with the reason; else null. */
  readonly refused: object | null;
  /** The served snapshot, if it does not match its checksums, with the reason; else null. */
  readonly damaged: object | null;
  readonly isStopping: boolean;
}

/** The response to `/healthz` or `/readyz`: status 200 if good, else 503. */
export interface Verdict {
  readonly isGood: boolean;
  readonly report: object;
}

/** The response to `/version`. */
export function programVersion(): object {
  return { version: packageVersion(), node: process.versions.node, snapshotFormat: FORMAT_VERSION };
}

/**
 * Milliseconds without a serving worker after which `/healthz` fails: then a restart of the server may help more than
 * further replacements.
 */
const UNSERVED_LIMIT_MS = 60_000;

/** Whether the server should run on, or be restarted. */
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
