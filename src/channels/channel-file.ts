/**
 * A channel as a static host has it, "channels/<name>.json": which release its followers serve. It is replaced at every
 * publication, promotion and rollback, and signed.
 */
import { fileInvalid, isCount, isPublishedRelease, isText, parseObject } from './release-file.js';

export interface ChannelFile {
  /** The channel's own name: a file of another channel under its name is refused. */
  readonly channel: string;
  /** The name of a release, see ReleaseFile. */
  readonly release: string;
  /**
   * Grows at every change, also at a rollback: a follower refuses a lower one, so nobody can show it an old state. It is
   * the time of the change in seconds since 1970, or one more than the number before where that is higher; so it goes on
   * growing where a publisher has lost the files.
   */
  readonly sequence: number;
  /** ISO 8601, UTC. */
  readonly changedAt: string;
  /** The releases that the channel named before, oldest first, at most MAX_EARLIER; for `rollback`. */
  readonly earlier: readonly string[];
}

/** Maximum length of a channel's file in bytes. */
export const MAX_CHANNEL_FILE_BYTES = 64 << 10;
/** Maximum number of earlier releases that a channel's file names. */
const MAX_EARLIER = 20;

export function encodeChannelFile(file: ChannelFile): string {
  return `${JSON.stringify(file, null, 1)}\n`;
}

/** Throws ChannelError FILE_INVALID. */
export function parseChannelFile(text: string, name: string): ChannelFile {
  const path = `channels/${name}.json`;
  const { channel, release, sequence, changedAt, earlier } = parseObject(text, path) as Record<string, unknown>;
  if (channel !== name) throw fileInvalid(path, 'it is of another channel');
  if (!isPublishedRelease(release)) throw fileInvalid(path, 'release');
  if (!isCount(sequence, Number.MAX_SAFE_INTEGER)) throw fileInvalid(path, 'sequence');
  if (!isText(changedAt, 40) || Number.isNaN(Date.parse(changedAt))) throw fileInvalid(path, 'changedAt');
  if (!Array.isArray(earlier) || earlier.length > MAX_EARLIER || !earlier.every(isPublishedRelease)) {
    throw fileInvalid(path, 'earlier');
  }
  return { channel: name, release, sequence, changedAt, earlier };
}

/** The channel after a publication or a promotion of `release`. */
export function advance(before: ChannelFile | undefined, channel: string, release: string): ChannelFile {
  const earlier = before === undefined ? [] : [...before.earlier.filter((name) => name !== release), before.release];
  return renewed(before, channel, release, earlier.filter((name) => name !== release).slice(-MAX_EARLIER));
}

/** The channel after a rollback; undefined if it names no earlier release. */
export function stepBack(before: ChannelFile): ChannelFile | undefined {
  const release = before.earlier.at(-1);
  return release === undefined ? undefined : renewed(before, before.channel, release, before.earlier.slice(0, -1));
}

function renewed(
  before: ChannelFile | undefined,
  channel: string,
  release: string,
  earlier: readonly string[],
): ChannelFile {
  const now = Date.now();
  const sequence = Math.max(Math.floor(now / 1000), (before?.sequence ?? 0) + 1);
  return { channel, release, sequence, changedAt: new Date(now).toISOString(), earlier };
}
