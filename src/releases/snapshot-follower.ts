/**
 * Follows a source from snapshot to snapshot. Looks at the source several times a second; where the source names
 * another file than before, that file is checked and offered to the workers. A file that is refused is logged once and
 * tried again every minute, or when `look` is called; the snapshot that is served goes on being served.
 */
import type { CheckedSnapshot } from './checking.js';
import { type HeldSnapshot, holdSnapshot } from './held-snapshot.js';
import { locateSnapshot, type SnapshotLocation } from './snapshot-source.js';

interface FollowerOptions {
  readonly source: string;
  /** The file that is served at the start. */
  readonly serving: SnapshotLocation;
  /**
   * Resolves with release and id of a snapshot file; rejects with what is wrong with the file, and soon after the
   * signal.
   */
  readonly check: (path: string, signal: AbortSignal) => Promise<CheckedSnapshot>;
  /**
   * Serves a file from now on and releases it later; rejects where the file can't be served: then nothing has changed.
   */
  readonly swap: (held: HeldSnapshot) => Promise<void>;
  readonly logger: FollowerLogger;
  readonly pollMs?: number;
}

interface FollowerLogger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface FollowerState {
  readonly swapCount: number;
  readonly refusedCount: number;
  /** The file that the source names and that is not served; null where the file that the source names is served. */
  readonly refused: { readonly path: string; readonly reason: string } | null;
}

export interface SnapshotFollower {
  state(): FollowerState;
  /** Looks now, also at a file that was refused; resolves when the file is served or refused. */
  look(): Promise<void>;
  /** Resolves when the follower looks no more. */
  stop(): Promise<void>;
}

const POLL_MS = 250;
const RETRY_MS = 60_000;

export function followSnapshots(options: FollowerOptions): SnapshotFollower {
  const { source, check, swap, logger, pollMs = POLL_MS } = options;
  let served = options.serving.identity;
  let refusal: { readonly identity: string; readonly atMs: number } | undefined;
  let state: FollowerState = { swapCount: 0, refusedCount: 0, refused: null };
  let looking: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const isStopped = (): boolean => stopping.signal.aborted;

  function refuse(identity: string, path: string, error: unknown): void {
    const reason = (error as Error).message;
    const isKnown = refusal?.identity === identity && state.refused?.reason === reason;
    refusal = { identity, atMs: performance.now() };
    if (isKnown) return;
    state = { ...state, refusedCount: state.refusedCount + 1, refused: { path, reason } };
    logger.error({ path, reason }, 'the snapshot was refused; the one before goes on being served');
  }

  async function lookOnce(isForced: boolean): Promise<void> {
    if (isStopped()) return;
    const location = locateOrProblem(source);
    if (location instanceof Error) {
      refuse(location.message, source, location);
      return;
    }
    const { path, identity } = location;
    if (identity === served) {
      if (state.refused !== null) logger.info({ path }, 'the source names what is served again; nothing is refused');
      refusal = undefined;
      state = { ...state, refused: null };
      return;
    }
    const isToWait = identity === refusal?.identity && performance.now() - refusal.atMs < RETRY_MS;
    if (isToWait && !isForced) return;
    const startedAt = performance.now();
    let held: HeldSnapshot | undefined;
    let checked: CheckedSnapshot;
    try {
      held = holdSnapshot(location);
      checked = await check(held.openPath, stopping.signal);
      stopping.signal.throwIfAborted();
      await swap(held);
    } catch (error) {
      held?.release();
      if (isStopped()) return;
      const now = locateOrProblem(source);
      // Where the source names another file by now, that file is looked at instead of refusing this one.
      if (!(now instanceof Error) && now.identity !== identity) await lookOnce(isForced);
      else refuse(identity, path, error);
      return;
    }
    served = identity;
    refusal = undefined;
    state = { ...state, swapCount: state.swapCount + 1, refused: null };
    const seconds = Math.round(performance.now() - startedAt) / 1000;
    logger.info({ release: checked.release, snapshot: checked.id, path, seconds }, 'serving another snapshot');
  }

  function look(isForced: boolean): Promise<void> {
    looking = looking.then(() => lookOnce(isForced));
    return looking;
  }

  let timer = setTimeout(function poll() {
    void look(false).then(() => {
      if (!isStopped()) timer = setTimeout(poll, pollMs).unref();
    });
  }, pollMs).unref();

  return {
    state: () => state,
    look: () => look(true),
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await looking;
    },
  };
}

function locateOrProblem(source: string): SnapshotLocation | Error {
  try {
    return locateSnapshot(source);
  } catch (error) {
    return error as Error;
  }
}
