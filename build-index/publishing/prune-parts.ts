/**
 * `prune` of a folder of parts: removes old releases, and the parts that no release left names. A release that a channel
 * names, or that its rollback would go to, stays.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseChannelFile } from '../../src/channels/channel-file.js';
import { listChannels, listReleases, readUnverified } from '../../src/channels/channel-folder.js';
import { changesPath, channelPath, PARTS, partPath, releasePath } from '../../src/channels/channel-paths.js';
import { SIGNATURE_ENDING } from '../../src/channels/minisign.js';
import { removeStalePartials } from '../../src/publishing/partial-file.js';
import { withPartsLocked } from './publisher-lock.js';

export interface ListedRelease {
  /** See ReleaseFile. */
  readonly name: string;
  /** Length of the snapshot, and of the files of its parts, in bytes. */
  readonly bytes: number;
  readonly transferBytes: number;
  /** ISO 8601, UTC. */
  readonly publishedAt: string;
  /** The channels that name it, ascending. */
  readonly channels: readonly string[];
}

export interface PrunePartsReport {
  readonly removed: readonly string[];
  readonly kept: readonly ListedRelease[];
  readonly partsRemoved: number;
  readonly bytesFreed: number;
}

/** The releases of a folder, newest first. Throws ChannelError FILE_INVALID, or what node:fs throws. */
export function listPublishedReleases(folder: string): ListedRelease[] {
  const channels = readChannels(folder);
  return listReleases(folder)
    .map((name) => {
      const { bytes, publishedAt, parts } = readUnverified(folder, name);
      return {
        name,
        bytes,
        transferBytes: parts.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0),
        publishedAt,
        channels: channels.filter(({ release }) => release === name).map(({ channel }) => channel),
      };
    })
    .sort((a, b) => compare(b.publishedAt, a.publishedAt) || compare(a.name, b.name));
}

/** Keeps the newest `keep` releases, at least 1. Throws PublishingError, ChannelError, or what node:fs throws. */
export async function pruneParts(folder: string, keep: number): Promise<PrunePartsReport> {
  return await withPartsLocked(folder, 'exclusive', async () => {
    const releases = listPublishedReleases(folder);
    const inUse = new Set(readChannels(folder).flatMap(({ release, earlier }) => [release, ...earlier.slice(-1)]));
    const kept = releases.filter(({ name }, index) => index < keep || inUse.has(name));
    const removed = releases.filter((release) => !kept.includes(release)).map(({ name }) => name);
    const needed = new Set(kept.flatMap(({ name }) => partsOf(folder, name)));
    // A release goes before its parts, so none ever names parts that are gone.
    for (const name of removed) {
      for (const path of [releasePath(name), releasePath(name) + SIGNATURE_ENDING, changesPath(name)]) {
        rmSync(join(folder, path), { force: true });
      }
    }
    removeStalePartials(join(folder, PARTS), () => true);
    const unneeded = readdirSync(join(folder, PARTS)).filter((name) => !needed.has(`${PARTS}/${name}`));
    const lengths = unneeded.map((name) => statSync(join(folder, PARTS, name)).size);
    for (const name of unneeded) rmSync(join(folder, PARTS, name));
    return {
      removed,
      kept,
      partsRemoved: unneeded.length,
      bytesFreed: lengths.reduce((sum, length) => sum + length, 0),
    };
  });
}

function partsOf(folder: string, name: string): string[] {
  const { parts, changes } = readUnverified(folder, name);
  const files = [...parts, ...parts.flatMap(({ delta }) => delta ?? []), ...(changes?.parts ?? [])];
  return files.map(({ sha256 }) => partPath(sha256));
}

function readChannels(folder: string) {
  return listChannels(folder).map((name) =>
    parseChannelFile(readFileSync(join(folder, channelPath(name)), 'utf8'), name),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
