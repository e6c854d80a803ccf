/**
 * `publish --parts`: writes a snapshot as files that any static host can serve (src/channels/channel-paths.ts), and
 * makes a channel name it. Parts come first and the channel last, each by a rename of a synced file. So a follower never
 * reads of what is not there, and after a kill at any moment the channel names the release before or this one. What the
 * folder has already is not written again. Memory: a few parts.
 */
import { closeSync, fstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readChannel, readRelease } from '../../src/channels/channel-folder.js';
import { CHANNELS, PARTS, RELEASES } from '../../src/channels/channel-paths.js';
import type { SigningKey } from '../../src/channels/minisign.js';
import { sha256OfFile } from '../../src/channels/part-bytes.js';
import { type ReleaseChanges, type ReleaseFile, releaseName, snapshotName } from '../../src/channels/release-file.js';
import { planParts } from '../../src/channels/snapshot-parts.js';
import { FORMAT_VERSION } from '../../src/format/header.js';
import type { Manifest } from '../../src/format/manifest.js';
import { removeStalePartials } from '../../src/publishing/partial-file.js';
import { PublishingError } from '../../src/publishing/publishing-error.js';
import { parsePublishedName } from '../../src/snapshots/snapshot-folder.js';
import { openShared } from '../../src/store/open-file.js';
import { readContents } from '../../src/store/snapshot-reading.js';
import type { Progress } from '../reporting/progress.js';
import { writeChangesSince } from './changes-since.js';
import { PartsWriter } from './parts-writer.js';
import { listPublishedReleases } from './prune-parts.js';
import { withPartsLocked } from './publisher-lock.js';
import type { SnapshotCheck } from './snapshot-check.js';
import { type ChannelReport, nameRelease, publishedRelease, writeRelease } from './write-channel.js';

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

export interface PartsReport extends ChannelReport {
  /** Length of the snapshot, in bytes. */
  readonly bytes: number;
  readonly partCount: number;
  /** Length of the files of all parts, in bytes: what a machine without a snapshot transfers. */
  readonly transferBytes: number;
  /** Parts that the folder lacked, and the length of their files in bytes. */
  readonly partsWritten: number;
  readonly bytesWritten: number;
}

/** Throws SnapshotError, PublishingError, ChannelError, or what node:fs throws; then the channel is as it was. */
export async function publishParts(
  options: PartsOptions,
  check: SnapshotCheck,
  progress: Progress,
): Promise<PartsReport> {
  mkdirSync(options.folder, { recursive: true });
  return await withPartsLocked(options.folder, 'shared', () => publishLocked(options, check, progress));
}

async function publishLocked(options: PartsOptions, check: SnapshotCheck, progress: Progress): Promise<PartsReport> {
  const { source, folder, channel, key } = options;
  const fd = openShared(source);
  try {
    const { header, manifest, id } = readContents(fd);
    const name = nameOf(manifest.release, id);
    const modifiedMs = fstatSync(fd).mtimeMs;
    await check(source);
    for (const name of [PARTS, RELEASES, CHANNELS]) mkdirSync(join(folder, name), { recursive: true });
    removeStalePartials(join(folder, PARTS), () => true);
    removeStalePartials(join(folder, RELEASES), () => true);
    const writer = new PartsWriter(folder);
    const parts = await writer.writeAll(fd, planParts(header, manifest), progress);
    const sha256 = await sha256OfFile(fd);
    if (fstatSync(fd).mtimeMs !== modifiedMs) {
      throw new PublishingError('SOURCE_CHANGED', `${source} was written to meanwhile`, 'publish it when it is whole');
    }
    const before = await publishedRelease(folder, name, key);
    const file: ReleaseFile = {
      name,
      release: manifest.release,
      id,
      formatVersion: FORMAT_VERSION,
      sourceDate: manifest.sourceDate,
      publishedAt: before?.publishedAt ?? new Date().toISOString(),
      counts: countsOf(manifest),
      bytes: header.fileLength,
      sha256,
      changes: before === undefined ? await changesOf(name, options, writer, progress) : before.changes,
      parts,
    };
    await writeRelease(folder, file, key);
    return {
      ...(await nameRelease(folder, channel, name, key)),
      bytes: file.bytes,
      partCount: parts.length,
      transferBytes: parts.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0),
      partsWritten: writer.partsWritten,
      bytesWritten: writer.bytesWritten,
    };
  } finally {
    closeSync(fd);
  }
}

/** What the release changes; null where it is the first of its format version, or where no list is wanted. */
async function changesOf(
  name: string,
  { source, folder, channel, key, withChanges }: PartsOptions,
  writer: PartsWriter,
  progress: Progress,
): Promise<ReleaseChanges | null> {
  if (!withChanges) return null;
  const named = readChannel(folder, channel, key);
  const newest = listPublishedReleases(folder).map((release) => release.name);
  const earlier = named === undefined ? newest : [named.release, ...named.earlier.toReversed()];
  for (const since of earlier) {
    // Clients name the release that they have, so one that was built again is compared with the release before it.
    if (releaseIn(since) === releaseIn(name)) continue;
    const before = readRelease(folder, since, key);
    if (before === undefined) continue;
    // Of another format version, the release before can't be read.
    if (before.formatVersion !== FORMAT_VERSION) return null;
    return await writeChangesSince(before, source, name, folder, writer, progress);
  }
  return null;
}

function releaseIn(name: string): string | undefined {
  return parsePublishedName(snapshotName(name))?.release;
}

function nameOf(release: string, id: string): string {
  const name = releaseName(release, id);
  if (name !== undefined) return name;
  const found = `the release name ${JSON.stringify(release)} can't be part of a file name`;
  throw new PublishingError('UNPUBLISHABLE_NAME', found, 'build the snapshot again with --release-name');
}

function countsOf({ countries }: Manifest): ReleaseFile['counts'] {
  const withData = countries.filter(({ slices }) => slices.length > 0);
  return {
    countries: withData.length,
    places: withData.reduce((sum, { levelCounts }) => sum + levelCounts.reduce((all, count) => all + count, 0), 0),
    postcodes: withData.reduce((sum, { distinctPostcodes }) => sum + distinctPostcodes, 0),
  };
}
