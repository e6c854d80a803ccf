/**
 * Follows a source from snapshot to snapshot. The follower looks at the source several times a second; where the source
 * names another file than before, the file is checked and swapped in. A file that is refused is told once and tried again
 * every minute, or when a look is asked for; the snapshot in service stays. Where the snapshot in service turns out to be
 * damaged, and the source is a folder, the newest whole snapshot of the folder takes its place.
 */
import type { Logger } from '../logger.js';
import { type HeldSnapshot, holdSnapshot } from './held-snapshot.js';
import { type Check, createServedCheck, type Problem, RETRY_MS, type SnapshotServers } from './served-check.js';
import { locateOthers, locateSnapshot, type SnapshotLocation } from './snapshot-source.js';

export interface FollowerOptions {
  readonly source: string;
  readonly servers: SnapshotServers;
  readonly check: Check;
  readonly logger: Logger;
  readonly pollMs?: number;
}

export interface FollowerState {
  readonly swapCount: number;
  readonly refusedCount: number;
  /** The file that the source names and that is not served; null where the file that the source names is served. */
  readonly refused: Problem | null;
  /** The file that is served, where it is damaged and no whole file could take its place. */
  readonly damaged: Problem | null;
}

export interface SnapshotFollower {
  state(): FollowerState;
  /** Looks now, also at a file that was refused; resolves when the file that was found is served or refused. */
  look(): Promise<void>;
  /** Resolves when the last look is over. */
  stop(): Promise<void>;
}

const POLL_MS = 250;

export function followSnapshots(options: FollowerOptions): SnapshotFollower {
  const { source, servers, check, logger, pollMs = POLL_MS } = options;
  const stopping = new AbortController();
  const isStopped = (): boolean => stopping.signal.aborted;
  const servedCheck = createServedCheck(servers, check, logger, stopping.signal);
  let refusal: { readonly identity: string; readonly atMs: number } | undefined;
  let state: Omit<FollowerState, 'damaged'> = { swapCount: 0, refusedCount: 0, refused: null };
  let looking: Promise<void> = Promise.resolve();

  function refuse({ identity, path }: SnapshotLocation, error: unknown): void {
    const reason = (error as Error).message;
    const isKnown = refusal?.identity === identity && state.refused?.reason === reason;
    refusal = { identity, atMs: performance.now() };
    if (isKnown) return;
    state = { ...state, refusedCount: state.refusedCount + 1, refused: { path, reason } };
    logger.error({ path, reason }, 'the snapshot was refused; the one before goes on being served');
  }

  /** Rejects where the file can't be served, or is not whole. */
  async function serve(location: SnapshotLocation): Promise<void> {
    const startedAt = performance.now();
    const held = holdSnapshot(location);
    const { release, id } = await checkAndSwap(held).catch((error) => {
      held.release();
      throw error;
    });
    servedCheck.passed();
    state = { ...state, swapCount: state.swapCount + 1 };
    const seconds = Math.round(performance.now() - startedAt) / 1000;
    logger.info({ release, snapshot: id, path: location.path, seconds }, 'serving another snapshot');
  }

  async function checkAndSwap(held: HeldSnapshot): ReturnType<Check> {
    const checked = await check(held.openPath, stopping.signal);
    stopping.signal.throwIfAborted();
    await servers.swap(held);
    return checked;
  }

  /** Serves the first snapshot of the source, in the order of `list`, that can take the place of the damaged one. */
  async function leaveDamaged(isNews: boolean): Promise<void> {
    const tell = (path: string, error: unknown): void => {
      if (isNews)
        logger.error(
          { path, reason: (error as Error).message },
          'this snapshot can not take the place of the damaged one',
        );
    };
    const others = orProblem(() => locateOthers(source, servers.held.path));
    if (others instanceof Error) {
      tell(source, others);
      return;
    }
    for (const other of others) {
      try {
        await serve(other);
        return;
      } catch (error) {
        if (isStopped()) return;
        tell(other.path, error);
      }
    }
  }

  async function lookAtSource(isForced: boolean): Promise<void> {
    const location = orProblem(() => locateSnapshot(source));
    if (location instanceof Error) {
      refuse({ identity: location.message, path: source }, location);
      return;
    }
    const { path, identity } = location;
    const { held } = servers;
    if (identity === held.identity || (servedCheck.damage() !== null && identity === held.identityNow())) {
      if (state.refused !== null) logger.info({ path }, 'the source names what is served again; nothing is refused');
      refusal = undefined;
      state = { ...state, refused: null };
      return;
    }
    const isToWait = identity === refusal?.identity && performance.now() - refusal.atMs < RETRY_MS;
    if (isToWait && !isForced) return;
    try {
      await serve(location);
      refusal = undefined;
      state = { ...state, refused: null };
    } catch (error) {
      if (isStopped()) return;
      const now = orProblem(() => locateSnapshot(source));
      // The source names another file by now.
      if (!(now instanceof Error) && now.identity !== identity) await lookAtSource(isForced);
      else refuse(location, error);
    }
  }

  async function lookOnce(isForced: boolean): Promise<void> {
    if (isStopped()) return;
    const earlier = servedCheck.damage();
    if (await servedCheck.look(isForced)) await leaveDamaged(earlier === null);
    if (!isStopped()) await lookAtSource(isForced);
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
    state: () => ({ ...state, damaged: servedCheck.damage() }),
    look: () => look(true),
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await looking;
    },
  };
}

function orProblem<T>(locate: () => T): T | Error {
  try {
    return locate();
  } catch (error) {
    return error as Error;
  }
}
