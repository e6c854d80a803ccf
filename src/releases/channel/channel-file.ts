/**
 * A channel as a static host has it, "channels/<name>.json": which release its followers serve, and which bytes that
 * release has. It is the only file that is signed, and is replaced at every publication, promotion and rollback. What a
 * host has, relative to its folder's address:
 *
 *   releases/<name>.snapshot.br         the snapshot of a release, compressed by Brotli; never changes
 *   releases/<name>.changes.ndjson.br   the list of what that release changes, compressed alike
 *   channels/<channel>.json             this file, written after everything that it leads to
 *   channels/<channel>.json.minisig     its signature
 */

import { MAX_CHANGES_BYTES, MAX_HEADER_BYTES } from '../../core/snapshot/changes-file.js';
import { MAX_SNAPSHOT_BYTES } from '../../core/snapshot/header.js';
import type { CompressedFile } from '../files/compressed-file.js';
import { parsePublishedName, publishedChangesName } from '../folder/published-name.js';
import { ChannelError } from './channel-error.js';

/** A release as a channel's file describes it. */
export interface Release {
  /** The snapshot's file name without its ending: "2026-03-7289fc5e39d3cc7e". */
  readonly name: string;
  readonly formatVersion: number;
  /** The newest date of the data, "2026-03-01"; null if the snapshot has none. */
  readonly sourceDate: string | null;
  /** ISO 8601, UTC. */
  readonly publishedAt: string;
  readonly counts: { readonly countries: number; readonly places: number; readonly postcodes: number };
  readonly snapshot: CompressedFile;
  /** The list of what changed since `since`, the name of an earlier release; null for none. */
  readonly changes: (CompressedFile & { readonly since: string }) | null;
}

export interface ChannelFile {
  /** The channel's own name: a file of another channel under its name is refused. */
  readonly channel: string;
  /**
   * Grows at every change, also at a rollback: a follower refuses a lower one, so nobody can show it an old state. It is
   * the time of the change in seconds since 1970, or one more than the number before where that is higher; so it goes on
   * growing where a publisher has lost the files.
   */
  readonly sequence: number;
  /** ISO 8601, UTC. */
  readonly changedAt: string;
  readonly release: Release;
  /** The releases that the channel named before, oldest first, at most MAX_EARLIER; for `rollback`. */
  readonly earlier: readonly Release[];
  /** The releases that rollbacks left, latest first, until the channel names another; for `promote` and `list`. */
  readonly later: readonly Release[];
}

export const RELEASES = 'releases';
export const CHANNELS = 'channels';
export const DEFAULT_CHANNEL = 'stable';
/** Maximum length of a channel's file in bytes: that of 40 releases with the longest names. */
export const MAX_CHANNEL_FILE_BYTES = 64 << 10;
/** Maximum number of earlier releases that a channel's file describes, and of later ones. */
const MAX_EARLIER = 20;
const ENDING = '.snapshot';
/** The end of a compressed file's name. */
export const COMPRESSED_ENDING = '.br';

/** The name of the snapshot's file. */
export const snapshotName = (release: string): string => release + ENDING;
export const snapshotPath = (release: string): string => `${RELEASES}/${snapshotName(release)}${COMPRESSED_ENDING}`;
export const changesPath = (release: string): string =>
  `${RELEASES}/${publishedChangesName(snapshotName(release))}${COMPRESSED_ENDING}`;
export const channelPath = (channel: string): string => `${CHANNELS}/${channel}.json`;

export function isChannelName(name: string): boolean {
  return /^[a-z][a-z0-9-]{0,30}$/.test(name);
}

export function isChannelReleaseName(name: unknown): name is string {
  return typeof name === 'string' && parsePublishedName(snapshotName(name)) !== undefined;
}

export function encodeChannelFile(file: ChannelFile): string {
  return `${JSON.stringify(file, null, 1)}\n`;
}

/** Fields that this version does not know are ignored. */
export function parseChannelFile(text: string, name: string): ChannelFile {
  const invalid = (found: string): ChannelError =>
    new ChannelError(
      'FILE_INVALID',
      `${channelPath(name)} is not as it must be: ${found}`,
      'publish the release again',
    );
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw invalid('no JSON');
  }
  const { channel, sequence, changedAt, release, earlier, later } = fieldsOf(file);
  if (channel !== name) throw invalid('it is of another channel');
  if (!isCount(sequence, Number.MAX_SAFE_INTEGER)) throw invalid('sequence');
  if (!isDate(changedAt)) throw invalid('changedAt');
  if (!isShortList(earlier)) throw invalid('earlier');
  if (!isShortList(later)) throw invalid('later');
  for (const one of [release, ...earlier, ...later]) {
    const fault = findFault(one);
    if (fault !== undefined) throw invalid(`${fault} of a release`);
  }
  return {
    channel: name,
    sequence,
    changedAt,
    release: release as Release,
    earlier: earlier as Release[],
    later: later as Release[],
  };
}

function isShortList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length <= MAX_EARLIER;
}

/** Each release that the channel's file describes, the one that its followers serve last. */
export function releasesInChannelFile({ release, earlier, later }: ChannelFile): Release[] {
  return [...later, ...earlier, release];
}

/** The channel after a publication or a promotion of `release`. */
export function advanceChannelFile(before: ChannelFile | undefined, channel: string, release: Release): ChannelFile {
  const named = before === undefined ? [] : [...before.earlier, before.release];
  const earlier = named.filter(({ name }, index) => {
    return name !== release.name && named.findLastIndex((other) => other.name === name) === index;
  });
  return renewed(before, { channel, release, earlier: earlier.slice(-MAX_EARLIER), later: [] });
}

/** The channel after a rollback; undefined if it names no earlier release. */
export function stepBackChannelFile(before: ChannelFile): ChannelFile | undefined {
  const release = before.earlier.at(-1);
  if (release === undefined) return undefined;
  const later = [before.release, ...before.later].slice(0, MAX_EARLIER);
  return renewed(before, { channel: before.channel, release, earlier: before.earlier.slice(0, -1), later });
}

function renewed(before: ChannelFile | undefined, file: Omit<ChannelFile, 'sequence' | 'changedAt'>): ChannelFile {
  const now = Date.now();
  const sequence = Math.max(Math.floor(now / 1000), (before?.sequence ?? 0) + 1);
  return { ...file, sequence, changedAt: new Date(now).toISOString() };
}

/** The field that is not as it must be; undefined for a release. */
function findFault(release: unknown): string | undefined {
  const { name, formatVersion, sourceDate, publishedAt, counts, snapshot, changes } = fieldsOf(release);
  const { countries, places, postcodes } = fieldsOf(counts);
  if (!isChannelReleaseName(name)) return 'name';
  if (!isCount(formatVersion, 1_000)) return 'formatVersion';
  if (sourceDate !== null && !isText(sourceDate, 40)) return 'sourceDate';
  if (!isDate(publishedAt)) return 'publishedAt';
  if (![countries, places, postcodes].every((count) => isCount(count, 2 ** 32))) return 'counts';
  if (!isCompressedFile(snapshot, MAX_SNAPSHOT_BYTES)) return 'snapshot';
  const hasChanges =
    changes === null ||
    (isCompressedFile(changes, MAX_HEADER_BYTES + MAX_CHANGES_BYTES) && isChannelReleaseName(fieldsOf(changes).since));
  return hasChanges ? undefined : 'changes';
}

function isCompressedFile(file: unknown, maxBytes: number): boolean {
  // Brotli never makes a file longer by more than a few bytes for each block.
  return isDigest(file, maxBytes) && isDigest(fieldsOf(file).compressed, Math.floor(maxBytes * 1.001) + 1_024);
}

function isDigest(value: unknown, maxBytes: number): boolean {
  const { bytes, sha256 } = fieldsOf(value);
  return isCount(bytes, maxBytes) && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256);
}

/** None for what is no object. */
function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

export function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength;
}

function isDate(value: unknown): value is string {
  return isText(value, 40) && !Number.isNaN(Date.parse(value));
}
