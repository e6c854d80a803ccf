/**
 * `publish --parts`: writes a snapshot as files that any static host can serve (src/channels/channel-paths.ts), and
 * makes a channel name it. Parts come first and the channel last, each by a rename of a synced file. So a follower never
 * reads of what is not there, and after a kill at any moment the channel names the release before or this one. What the
 * folder has already is not written again. Memory: a few parts.
 */
import { closeSync, fstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CHANNELS, PARTS, RELEASES } from '../../src/channels/channel-paths.js';
import { sha256OfFile } from '../../src/channels/part-bytes.js';
import { type ReleaseFile, releaseName } from '../../src/channels/release-file.js';
import { planParts } from '../../src/channels/snapshot-parts.js';
import { FORMAT_VERSION } from '../../src/format/header.js';
import type { Manifest } from '../../src/format/manifest.js';
import { removeStalePartials } from '../../src/publishing/partial-file.js';
import { PublishingError } from '../../src/publishing/publishing-error.js';
import { openShared } from '../../src/store/open-file.js';
import { readContents } from '../../src/store/snapshot-reading.js';
import type { Progress } from '../reporting/progress.js';
import { type ComparedRelease, compareRelease, type PartsOptions } from './compare-release.js';
import { PartsWriter } from './parts-writer.js';
import { withPartsLocked } from './publisher-lock.js';
import type { SnapshotCheck } from './snapshot-check.js';
import { type ChannelReport, nameRelease, publishedRelease, writeRelease } from './write-channel.js';
import { keepDeltas } from './write-deltas.js';

export interface PartsReport extends ChannelReport {
  /** Length of the snapshot, in bytes. */
  readonly bytes: number;
  readonly partCount: number;
  /** Length of the files of all parts, in bytes: what a machine without a snapshot transfers. */
  readonly transferBytes: number;
  /** Parts that the folder lacked, and the length of their files in bytes. */
  readonly partsWritten: number;
  readonly bytesWritten: number;
  /** Deltas that the folder lacked, and the length of their files in bytes. */
  readonly deltasWritten: number;
  readonly deltaBytesWritten: number;
  /**
   * Why the release could not be compared with the release before, and has no deltas. Null where it was compared, and
   * where no release of this format version came before.
   */
  readonly deltaProblem: string | null;
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
    const deltas = new PartsWriter(folder);
    const compared: ComparedRelease =
      before === undefined
        ? await compareRelease({ name, fd, parts }, options, { parts: writer, deltas }, progress)
        : { parts: keepDeltas(parts, before), changes: before.changes, deltaProblem: null };
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
      changes: compared.changes,
      parts: compared.parts,
    };
    await writeRelease(folder, file, key);
    return {
      ...(await nameRelease(folder, channel, name, key)),
      bytes: file.bytes,
      partCount: parts.length,
      transferBytes: parts.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0),
      partsWritten: writer.partsWritten,
      bytesWritten: writer.bytesWritten,
      deltasWritten: deltas.partsWritten,
      deltaBytesWritten: deltas.bytesWritten,
      deltaProblem: compared.deltaProblem,
    };
  } finally {
    closeSync(fd);
  }
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
