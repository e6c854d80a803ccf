/**
 * "pull.json" of a folder of published snapshots that `pull` fills: what the channel said when the folder last had what
 * it names. Without a usable file, the next pull asks for everything and accepts every sequence number.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../publishing/replace-file.js';
import { isCount, isPublishedRelease, isText } from './release-file.js';

export interface PullState {
  readonly channel: string;
  readonly release: string;
  readonly sequence: number;
  /** ISO 8601, UTC: when the publisher changed the channel. */
  readonly changedAt: string;
  /** Of the channel's file, and the source that gave it; null if it gave none. */
  readonly etag: string | null;
  readonly source: string;
}

const STATE_FILE = 'pull.json';

export function readPullState(folder: string, channel: string): PullState | undefined {
  let state: Partial<Record<keyof PullState, unknown>>;
  try {
    state = (JSON.parse(readFileSync(join(folder, STATE_FILE), 'utf8')) ?? {}) as typeof state;
  } catch {
    // There is none yet, or it is damaged: the state is asked for again.
    return undefined;
  }
  const isUsable =
    state.channel === channel &&
    isPublishedRelease(state.release) &&
    isCount(state.sequence, Number.MAX_SAFE_INTEGER) &&
    isText(state.changedAt, 40) &&
    (state.etag === null || isText(state.etag, 200)) &&
    isText(state.source, 4_096);
  return isUsable ? (state as PullState) : undefined;
}

/** For one process at a time. */
export function writePullState(folder: string, state: PullState): void {
  replaceFile(join(folder, STATE_FILE), `${JSON.stringify(state, null, 1)}\n`);
}
