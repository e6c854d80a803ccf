/**
 * What a release has of those before it: deltas of its parts, and the list of what it changes. Neither is needed to
 * serve the release, and a machine without the earlier one fetches whole parts.
 */
import { isDiskFull } from '../../src/channels/disk-space.js';
import type { SigningKey } from '../../src/channels/minisign.js';
import { type ReleaseChanges, type ReleasePart, snapshotName } from '../../src/channels/release-file.js';
import { ExpectedError, messageOf } from '../../src/expected-error.js';
import { FORMAT_VERSION } from '../../src/format/header.js';
import { SnapshotError } from '../../src/format/snapshot-error.js';
import { parsePublishedName } from '../../src/snapshots/snapshot-folder.js';
import type { Progress } from '../reporting/progress.js';
import { writeChangesSince } from './changes-since.js';
import { EarlierSnapshots } from './earlier-snapshots.js';
import type { PartsWriter } from './parts-writer.js';
import { listPublishedReleases } from './prune-parts.js';
import { publishedChannel, publishedRelease } from './write-channel.js';
import { writeDeltas } from './write-deltas.js';

export interface PartsOptions {
  /** A snapshot file. */
  readonly source: string;
  /** Created if it is missing. */
  readonly folder: string;
  readonly channel: string;
  readonly key: SigningKey;
  /** Whether to list what changed since another release: the last that the channel named, or else the newest. */
  readonly withChanges: boolean;
}

export interface ComparedRelease {
  readonly parts: readonly ReleasePart[];
  readonly changes: ReleaseChanges | null;
  /** See PartsReport. */
  readonly deltaProblem: string | null;
}

/** A release whose parts are written. */
interface NewRelease {
  readonly name: string;
  /** Its snapshot, open. */
  readonly fd: number;
  readonly parts: readonly ReleasePart[];
}

/** What writes the list of changes, and what writes the deltas. */
interface Writers {
  readonly parts: PartsWriter;
  readonly deltas: PartsWriter;
}

/** Throws ChannelError, SnapshotError, or what node:fs throws. */
export async function compareRelease(
  release: NewRelease,
  options: PartsOptions,
  writers: Writers,
  progress: Progress,
): Promise<ComparedRelease> {
  const snapshots = new EarlierSnapshots(options.folder, progress);
  try {
    const deltas = await deltasOf(release, options, snapshots, writers.deltas, progress);
    return { ...deltas, changes: await changesOf(release.name, options, snapshots, writers.parts, progress) };
  } finally {
    snapshots.discard();
  }
}

/** Against the release that the channel named last, which its followers have; or else the newest. */
async function deltasOf(
  { name, fd, parts }: NewRelease,
  options: PartsOptions,
  snapshots: EarlierSnapshots,
  writer: PartsWriter,
  progress: Progress,
): Promise<Omit<ComparedRelease, 'changes'>> {
  const before = (await earlierReleases(options)).find((earlier) => earlier !== name);
  if (before === undefined) return { parts, deltaProblem: null };
  try {
    const earlier = await publishedRelease(options.folder, before, options.key);
    if (earlier === undefined || earlier.formatVersion !== FORMAT_VERSION) return { parts, deltaProblem: null };
    const { fd: earlierFd } = await snapshots.assemble(earlier);
    return {
      parts: await writeDeltas({ fd, parts }, { fd: earlierFd, parts: earlier.parts }, writer, progress),
      deltaProblem: null,
    };
  } catch (error) {
    // A damaged file of the release before, or too little disk for its snapshot, prevents only the deltas.
    if (!(error instanceof ExpectedError || error instanceof SnapshotError || isDiskFull(error))) throw error;
    return { parts, deltaProblem: `can't compare with ${before}: ${messageOf(error)}` };
  }
}

/** What the release changes; null where it is the first of its format version, or where no list is wanted. */
async function changesOf(
  name: string,
  options: PartsOptions,
  snapshots: EarlierSnapshots,
  writer: PartsWriter,
  progress: Progress,
): Promise<ReleaseChanges | null> {
  const { source, folder, key, withChanges } = options;
  if (!withChanges) return null;
  for (const since of await earlierReleases(options)) {
    // Clients name the release that they have, so one that was built again is compared with the release before it.
    if (releaseIn(since) === releaseIn(name)) continue;
    const earlier = await publishedRelease(folder, since, key);
    if (earlier === undefined) continue;
    // Of another format version, the release before can't be read.
    if (earlier.formatVersion !== FORMAT_VERSION) return null;
    const { path: before } = await snapshots.assemble(earlier);
    return await writeChangesSince({ since, before }, source, name, folder, writer, progress);
  }
  return null;
}

/** The names of the releases that the channel named, latest first; where it named none, of all, newest first. */
async function earlierReleases({ folder, channel, key }: PartsOptions): Promise<string[]> {
  const named = await publishedChannel(folder, channel, key);
  if (named === undefined) return listPublishedReleases(folder).map((release) => release.name);
  return [named.release, ...named.earlier.toReversed()];
}

function releaseIn(name: string): string | undefined {
  return parsePublishedName(snapshotName(name))?.release;
}
