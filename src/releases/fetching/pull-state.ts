/**
 * "pull.json" of a folder of published snapshots that `pull` fills: what the channel said when the folder last had what
 * it names. Without a usable file, the next pull asks for everything and accepts every sequence number.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../base/durable-files.js';
import { isChannelReleaseName, isCount, isText } from '../channel/channel-file.js';

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

interface StateFile {
  /** The channel that the folder follows: that of the last pull. */
  readonly followed?: unknown;
  /** The states of all channels that the folder has followed, by name. */
  readonly channels?: Readonly<Record<string, Partial<Record<keyof PullState, unknown>> | undefined>>;
}

const STATE_FILE = 'pull.json';

/** What a channel said last, also if the folder has followed another one since; undefined if that is not known. */
export function readPullState(folder: string, channel: string): PullState | undefined {
  const { channels } = readStateFile(folder);
  const state = channels !== undefined && Object.hasOwn(channels, channel) ? channels[channel] : undefined;
  const isUsable =
    state?.channel === channel &&
    isChannelReleaseName(state.release) &&
    isCount(state.sequence, Number.MAX_SAFE_INTEGER) &&
    isText(state.changedAt, 40) &&
    (state.etag === null || isText(state.etag, 200)) &&
    isText(state.source, 4_096);
  return isUsable ? (state as PullState) : undefined;
}

/** Whether the last pull into the folder was of this channel. */
export function isPullStateOf(folder: string, channel: string): boolean {
  return readStateFile(folder).followed === channel;
}

/** For one process at a time. */
export function writePullState(folder: string, state: PullState): void {
  const channels = { ...readStateFile(folder).channels, [state.channel]: state };
  replaceFile(join(folder, STATE_FILE), `${JSON.stringify({ followed: state.channel, channels }, null, 1)}\n`);
}

function readStateFile(folder: string): StateFile {
  try {
    const file: unknown = JSON.parse(readFileSync(join(folder, STATE_FILE), 'utf8'));
    return typeof file === 'object' && file !== null ? (file as StateFile) : {};
  } catch {
    // There is none yet, or it is damaged: the state is asked for again.
    return {};
  }
}
