/**
 * The releases in a folder of channels: lists those that a channel describes, and removes the files of those that nothing
 * needs any more.
 */

import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Release } from '../../src/releases/channel/channel-file.js';
import {
  type ChannelFile,
  changesPath,
  RELEASES,
  releasesInChannelFile,
  snapshotPath,
} from '../../src/releases/channel/channel-file.js';
import { removeStalePartials } from '../../src/releases/files/partial-file.js';
import { isReleaseInChannelFolder, readChannels, withChannelFolderLocked } from './channel-folder.js';

export interface ListedRelease {
  /** See Release. */
  readonly name: string;
  /** Length of the snapshot, and of its compressed file, in bytes. */
  readonly bytes: number;
  readonly transferBytes: number;
  /** ISO 8601, UTC. */
  readonly publishedAt: string;
  /** The channels that name it, ascending. */
  readonly channels: readonly string[];
}

interface PruneReleasesReport {
  readonly removed: readonly string[];
  readonly kept: readonly ListedRelease[];
  readonly bytesFreed: number;
}

/** The releases that a channel describes and the folder has, newest first. */
export function listReleases(folder: string): ListedRelease[] {
  const channels = readChannels(folder);
  return releasesOf(channels)
    .filter((release) => isReleaseInChannelFolder(folder, release))
    .map(({ name, snapshot, publishedAt }) => ({
      ...{ name, bytes: snapshot.bytes, transferBytes: snapshot.compressed.bytes, publishedAt },
      channels: channels.filter(({ release }) => release.name === name).map(({ channel }) => channel),
    }));
}

/**
 * Keeps the newest `keep` releases, at least 1, those that a channel names, and those that its rollback would go to.
 * Removes all other files of releases.
 */
export async function pruneReleases(folder: string, keep: number): Promise<PruneReleasesReport> {
  return await withChannelFolderLocked(folder, 'exclusive', async () => {
    const inUse = new Set(
      readChannels(folder).flatMap(({ release, earlier }) => [release, ...earlier.slice(-1)].map(({ name }) => name)),
    );
    const releases = listReleases(folder);
    const kept = releases.filter(({ name }, index) => index < keep || inUse.has(name));
    const needed = new Set(kept.flatMap(({ name }) => [snapshotPath(name), changesPath(name)]));
    removeStalePartials(join(folder, RELEASES), () => true);
    let bytesFreed = 0;
    for (const file of readdirSync(join(folder, RELEASES))) {
      if (needed.has(`${RELEASES}/${file}`)) continue;
      bytesFreed += statSync(join(folder, RELEASES, file)).size;
      rmSync(join(folder, RELEASES, file));
    }
    return { removed: releases.filter((release) => !kept.includes(release)).map(({ name }) => name), kept, bytesFreed };
  });
}

/** Each release that a channel describes, newest first. */
export function releasesOf(channels: readonly ChannelFile[]): Release[] {
  const byName = new Map(channels.flatMap(releasesInChannelFile).map((release) => [release.name, release]));
  return [...byName.values()].sort((a, b) => compare(b.publishedAt, a.publishedAt) || compare(a.name, b.name));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
