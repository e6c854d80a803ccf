/**
 * `publish --parts`: writes a snapshot as files that any static host can serve (src/channels/channel-paths.ts), and
 * makes a channel name it. Parts come first and the channel last, each by a rename of a synced file. So a follower never
 * reads of what is not there, and after a kill at any moment the channel names the release before or this one. What the
 * folder has already is not written again. Memory: a few parts.
 */
import { closeSync, fstatSync, fsyncSync, mkdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { readRelease } from '../../src/channels/channel-folder.js';
import { PARTS, partPath, RELEASES } from '../../src/channels/channel-paths.js';
import type { SigningKey } from '../../src/channels/minisign.js';
import { compressPart, readRanges, sha256Of, sha256OfFile } from '../../src/channels/part-bytes.js';
import { encodeReleaseFile, type ReleaseFile, type ReleasePart, releaseName } from '../../src/channels/release-file.js';
import { type PlannedPart, planParts } from '../../src/channels/snapshot-parts.js';
import { FORMAT_VERSION } from '../../src/format/header.js';
import type { Manifest } from '../../src/format/manifest.js';
import { syncPath } from '../../src/platform/sync-path.js';
import { createPartial, removeStalePartials } from '../../src/publishing/partial-file.js';
import { PublishingError } from '../../src/publishing/publishing-error.js';
import { writeWhole } from '../../src/publishing/write-whole.js';
import { openShared } from '../../src/store/open-file.js';
import { readContents } from '../../src/store/snapshot-reading.js';
import type { Progress } from '../reporting/progress.js';
import { withPartsLocked } from './publisher-lock.js';
import type { SnapshotCheck } from './snapshot-check.js';
import { type ChannelReport, nameRelease, writeRelease } from './write-channel.js';

export interface PartsOptions {
  /** A snapshot file. */
  readonly source: string;
  /** Created if it is missing. */
  readonly folder: string;
  readonly channel: string;
  readonly key: SigningKey;
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
  return await withPartsLocked(options.folder, 'shared', () => publishLocked(options, check, progress));
}

async function publishLocked(
  { source, folder, channel, key }: PartsOptions,
  check: SnapshotCheck,
  progress: Progress,
): Promise<PartsReport> {
  const fd = openShared(source);
  try {
    const { header, manifest, id } = readContents(fd);
    const name = nameOf(manifest.release, id);
    const modifiedMs = fstatSync(fd).mtimeMs;
    await check(source);
    mkdirSync(join(folder, PARTS), { recursive: true });
    mkdirSync(join(folder, RELEASES), { recursive: true });
    removeStalePartials(join(folder, PARTS), () => true);
    const writer = new PartsWriter(fd, folder);
    const parts = await writer.writeAll(planParts(header, manifest), progress);
    const sha256 = await sha256OfFile(fd);
    if (fstatSync(fd).mtimeMs !== modifiedMs) {
      throw new PublishingError('SOURCE_CHANGED', `${source} was written to meanwhile`, 'publish it when it is whole');
    }
    const before = readRelease(folder, name, key);
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
      changes: before?.changes ?? null,
      parts,
    };
    const isThere = before !== undefined && encodeReleaseFile(before) === encodeReleaseFile(file);
    if (!isThere) await writeRelease(folder, file, key);
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

class PartsWriter {
  partsWritten = 0;
  bytesWritten = 0;

  constructor(
    private readonly fd: number,
    private readonly folder: string,
  ) {}

  /** Writes the parts that the folder lacks, as many at once as there are processors. */
  async writeAll(planned: readonly PlannedPart[], progress: Progress): Promise<ReleasePart[]> {
    progress.start('writing parts', planned.length);
    const parts = new Array<ReleasePart>(planned.length);
    const queue = planned.entries();
    const work = async (): Promise<void> => {
      for (const [number, part] of queue) {
        parts[number] = await this.#write(part);
        progress.step(part.name);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, work));
    syncPath(join(this.folder, PARTS));
    return parts;
  }

  async #write({ name, ranges }: PlannedPart): Promise<ReleasePart> {
    const bytes = readRanges(this.fd, ranges);
    const sha256 = sha256Of(bytes);
    const path = join(this.folder, partPath(sha256));
    const there = statSync(path, { throwIfNoEntry: false });
    // A part gets its name when it is synced, so one that has its name is whole.
    if (there !== undefined) return { name, sha256, compressedBytes: there.size, ranges };
    const compressed = await compressPart(bytes);
    const partial = createPartial(path);
    try {
      writeWhole(partial.fd, compressed, 0);
      fsyncSync(partial.fd);
      partial.publish();
    } finally {
      partial.discard();
    }
    this.partsWritten++;
    this.bytesWritten += compressed.length;
    return { name, sha256, compressedBytes: compressed.length, ranges };
  }
}
