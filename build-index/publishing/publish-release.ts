/**
 * `publish --signing-key`: writes a snapshot as one compressed file that any static host can serve
 * (src/releases/channel/channel-file.ts), and makes a channel name it. The channel comes last, and each file gets its
 * name when it is complete and synced. So a follower never reads of what is not there, and after a kill at any moment
 * the channel names the release before or this one. What the folder has already is not written again. Memory: Brotli's
 * window.
 */

import { closeSync, fchmodSync, fstatSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDurable, writeWhole } from '../../src/base/durable-files.js';
import { makeFolder } from '../../src/base/make-folder.js';
import { listManifestCountriesWithData, type Manifest, manifestPlaceCount } from '../../src/core/snapshot/manifest.js';
import { FORMAT_VERSION } from '../../src/core/snapshot/sections.js';
import { openSnapshotFile, readSnapshotContents } from '../../src/core/snapshot/snapshot-file.js';
import { ChannelError } from '../../src/releases/channel/channel-error.js';
import {
  CHANNELS,
  type ChannelFile,
  changesPath,
  RELEASES,
  type Release,
  snapshotPath,
} from '../../src/releases/channel/channel-file.js';
import type { SigningKey } from '../../src/releases/channel/minisign.js';
import {
  type CompressedFile,
  compressFile,
  expandFile,
  fileInPieces,
  isSameFile,
  Meter,
} from '../../src/releases/files/compressed-file.js';
import { createPartial, type PartialFile, removeStalePartials } from '../../src/releases/files/partial-file.js';
import { parsePublishedName } from '../../src/releases/folder/published-name.js';
import { PublishingError } from '../../src/releases/folder/publishing-error.js';
import { writeChanges } from '../diffing/write-changes.js';
import type { Progress } from '../reporting/progress.js';
import {
  type ChannelReport,
  isReleaseInChannelFolder,
  nameChannelRelease,
  readSignedChannels,
  withChannelFolderLocked,
} from './channel-folder.js';
import { releasesOf } from './prune-releases.js';
import { publishedNameOf } from './publish-snapshot.js';
import type { SnapshotCheck } from './snapshot-check.js';

export interface ReleaseOptions {
  /** A snapshot file. */
  readonly source: string;
  /** Created if it is missing. */
  readonly folder: string;
  readonly channel: string;
  readonly key: SigningKey;
  /** Whether to list what changed since another release: the last that the channel named, or else the newest. */
  readonly withChanges: boolean;
}

export interface ReleaseReport extends ChannelReport {
  /** Length of the snapshot, and of its compressed file, in bytes. */
  readonly bytes: number;
  readonly transferBytes: number;
  /** Length of the compressed list of changes, in bytes; null for none. */
  readonly changesTransferBytes: number | null;
  /** Number of bytes of compressed files that the folder lacked. */
  readonly bytesWritten: number;
}

/** After an error the channel is as it was. */
export async function publishRelease(
  options: ReleaseOptions,
  check: SnapshotCheck,
  progress: Progress,
): Promise<ReleaseReport> {
  for (const name of [RELEASES, CHANNELS]) makeFolder(join(options.folder, name));
  return await withChannelFolderLocked(options.folder, 'shared', () => publishLocked(options, check, progress));
}

async function publishLocked(
  options: ReleaseOptions,
  check: SnapshotCheck,
  progress: Progress,
): Promise<ReleaseReport> {
  const { source, folder, channel, key } = options;
  const fd = openSnapshotFile(source);
  try {
    const { manifest, id } = readSnapshotContents(fd);
    const name = publishedNameOf({ release: manifest.release, id }).replace(/\.snapshot$/, '');
    const modifiedMs = fstatSync(fd).mtimeMs;
    await check(source);
    removeStalePartials(join(folder, RELEASES), () => true);
    // Before the minutes that compressing takes, so that a wrong key is refused at once.
    const channels = await readSignedChannels(folder, key);
    const written = { bytes: 0 };
    progress.start('compressing', 1);
    const snapshot = await writeCompressed(join(folder, snapshotPath(name)), fd, written, () => {
      if (fstatSync(fd).mtimeMs === modifiedMs) return;
      throw new PublishingError('SOURCE_CHANGED', `${source} was written to meanwhile`, 'publish it when it is whole');
    });
    progress.step(name);
    const before = releasesOf(channels).find((release) => release.name === name);
    const isThere = before?.changes === null || (await isWhole(join(folder, changesPath(name)), before?.changes));
    const changes = isThere ? (before?.changes ?? null) : await changesOf(name, options, channels, written, progress);
    const release: Release = {
      ...{ name, formatVersion: FORMAT_VERSION, sourceDate: manifest.sourceDate },
      publishedAt: before?.publishedAt ?? new Date().toISOString(),
      ...{ counts: countsOf(manifest), snapshot, changes },
    };
    return {
      ...(await nameChannelRelease(folder, channel, release, key)),
      bytes: snapshot.bytes,
      transferBytes: snapshot.compressed.bytes,
      changesTransferBytes: changes?.compressed.bytes ?? null,
      bytesWritten: written.bytes,
    };
  } finally {
    closeSync(fd);
  }
}

/**
 * Compresses the open file `fd` to `path`, unless a file there expands to it: somebody may have cut that short. `confirm`
 * throws if the result must not get its name.
 */
async function writeCompressed(
  path: string,
  fd: number,
  written: { bytes: number },
  confirm: () => void,
): Promise<CompressedFile> {
  const there = await measure(path, fstatSync(fd).size);
  if (there !== undefined) {
    const meter = new Meter();
    for (const piece of fileInPieces(fd)) meter.add(piece);
    if (meter.digest().sha256 === there.sha256) return there;
  }
  const partial = createPartial(path);
  try {
    return await compressInto(partial, fd, written, confirm);
  } finally {
    partial.discard();
  }
}

async function compressInto(
  partial: PartialFile,
  fd: number,
  written: { bytes: number },
  confirm = (): void => {},
): Promise<CompressedFile> {
  const file = await compressFile(fd, partial.fd);
  confirm();
  fchmodSync(partial.fd, 0o644);
  fsyncSync(partial.fd);
  partial.publish();
  makeDurable(dirname(partial.path));
  written.bytes += file.compressed.bytes;
  return file;
}

/** What the compressed file at `path` has; undefined where it is gone, damaged, or expands to more than `maxBytes`. */
async function measure(
  path: string,
  maxBytes: number,
  write?: (piece: Uint8Array, position: number) => void,
): Promise<CompressedFile | undefined> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const fd = openSync(path, 'r');
  try {
    return await expandFile(fileInPieces(fd), maxBytes, write);
  } finally {
    closeSync(fd);
  }
}

async function isWhole(path: string, file: CompressedFile | undefined): Promise<boolean> {
  return file !== undefined && isSameFile(await measure(path, file.bytes), file);
}

/** What the release changes; null where it is the first of its format version, or where no list is wanted. */
async function changesOf(
  name: string,
  { source, folder, channel, withChanges }: ReleaseOptions,
  channels: readonly ChannelFile[],
  written: { bytes: number },
  progress: Progress,
): Promise<Release['changes']> {
  if (!withChanges) return null;
  const named = channels.find((file) => file.channel === channel);
  const earlier = named === undefined ? releasesOf(channels) : [named.release, ...named.earlier.toReversed()];
  // Clients name the release that they have, so one that was built again is compared with the release before it.
  const since = earlier.find(
    (release) => labelOf(release.name) !== labelOf(name) && isReleaseInChannelFolder(folder, release),
  );
  // Of another format version, the release before can't be read.
  if (since === undefined || since.formatVersion !== FORMAT_VERSION) return null;
  const partial = createPartial(join(folder, changesPath(name)));
  try {
    mkdirSync(partial.scratchFolder);
    const [before, list] = [join(partial.scratchFolder, 'before'), join(partial.scratchFolder, 'list')];
    await expandTo(before, since, folder, progress);
    await writeChanges(before, source, list, progress);
    const fd = openSync(list, 'r');
    try {
      return { since: since.name, ...(await compressInto(partial, fd, written)) };
    } finally {
      closeSync(fd);
    }
  } finally {
    partial.discard();
  }
}

async function expandTo(path: string, { name, snapshot }: Release, folder: string, progress: Progress): Promise<void> {
  progress.start('expanding', 1);
  const fd = openSync(path, 'wx');
  try {
    const compressed = join(folder, snapshotPath(name));
    const found = await measure(compressed, snapshot.bytes, (piece, at) => writeWhole(fd, piece, at));
    if (isSameFile(found, snapshot)) return progress.step(name);
    const remedy = `publish ${name} again, or give --no-changes`;
    throw new ChannelError('FILE_DAMAGED', `${compressed} has other bytes than were signed`, remedy);
  } finally {
    closeSync(fd);
  }
}

function labelOf(name: string): string | undefined {
  return parsePublishedName(`${name}.snapshot`)?.release;
}

function countsOf(manifest: Manifest): Release['counts'] {
  const withData = listManifestCountriesWithData(manifest);
  return {
    countries: withData.length,
    places: withData.reduce((sum, country) => sum + manifestPlaceCount(country), 0),
    postcodes: withData.reduce((sum, { distinctPostcodes }) => sum + distinctPostcodes, 0),
  };
}
