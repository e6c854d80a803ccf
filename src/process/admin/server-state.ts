/** The state of a server at one moment, and the verdicts of `/healthz` and `/readyz` on it. */

import type { KeyStoreHealth } from '../../keys/decision/key-store.js';
import type { ChannelState } from '../../releases/fetching/channel-follower.js';

export interface ServedSnapshot {
  readonly release: string;
  readonly id: string;
  /** The date of the data, ISO 8601; null where unknown. */
  readonly sourceDate: string | null;
  /** False if the file was read into memory instead. */
  readonly mapped: boolean;
}

export function servedSnapshot({
  release,
  id,
  mapped,
  manifest,
}: Omit<ServedSnapshot, 'sourceDate'> & { readonly manifest: Pick<ServedSnapshot, 'sourceDate'> }): ServedSnapshot {
  return { release, id, sourceDate: manifest.sourceDate, mapped };
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
  /** The channel that the source is; null where the source is a file or a folder. */
  readonly channel: ChannelState | null;
  readonly isStopping: boolean;
}

type SourceState = Pick<ServerState, 'snapshot' | 'refused' | 'damaged' | 'channel' | 'isStopping'>;

/** The response to `/healthz` or `/readyz`: status 200 if good, else 503. */
export interface Verdict {
  readonly isGood: boolean;
  readonly report: object;
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
 * worker that is missing or too busy to answer, a channel that can't be pulled for long makes the server `degraded` and
 * not unready: requests are still answered, and taking every server out of service at once would end that.
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
  const isReady = keyStore.state === 'ready' && isComplete && isSourceGood(state);
  const { report } = judgeSiteReadiness(state);
  return { isGood: true, report: { ...report, status: isReady ? 'ready' : 'degraded', workers, keyStore } };
}

/** The same for the site, which is one process and needs no key store to show its pages. */
export function judgeSiteReadiness(state: SourceState): Verdict {
  const { refused, damaged, channel, isStopping } = state;
  if (isStopping) return { isGood: false, report: { status: 'stopping', refused, damaged } };
  const { release, id, sourceDate } = state.snapshot;
  const status = isSourceGood(state) ? 'ready' : 'degraded';
  const snapshot = { release, id, sourceDate };
  return { isGood: true, report: { status, snapshot, refused, damaged, ...shownChannel(channel) } };
}

function isSourceGood({ refused, damaged, channel }: SourceState): boolean {
  return refused === null && damaged === null && channel?.isLate !== true;
}

/** Nothing where there is no channel. */
function shownChannel(state: ChannelState | null): object {
  if (state === null) return {};
  const { address, channel, release, changedAt, checkedAt, succeededAt, failure } = state;
  return { channel: { address, channel, release, changedAt, checkedAt, succeededAt, failure } };
}
