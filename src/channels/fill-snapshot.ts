/**
 * Fills the file of a release's snapshot: parts that an interrupted pull left in the file stay, parts that another
 * snapshot of the folder has are copied, and the rest is fetched, as deltas where a snapshot has their bases.
 */
import { fstatSync, ftruncateSync } from 'node:fs';
import { join } from 'node:path';
import { listSnapshots } from '../snapshots/list-snapshots.js';
import type { ChannelSource } from './channel-source.js';
import { Bases } from './delta/find-bases.js';
import { PartPatcher } from './delta/part-patcher.js';
import { requireSpace } from './disk-space.js';
import { copyParts, fetchParts, partsInPlace } from './fetch-parts.js';
import type { ReleaseFile, ReleasePart } from './release-file.js';

export interface FillOptions {
  readonly source: ChannelSource;
  readonly signal: AbortSignal;
  /** The folder of snapshots. Created if it is missing. */
  readonly folder: string;
  /** The length of the parts' files to fetch, in bytes, then that of each part. */
  readonly onTransfer?: (event: { readonly total: number } | { readonly fetched: number }) => void;
}

export interface Transfer {
  /** Parts that were fetched, whole or as deltas. */
  readonly partsFetched: number;
  /** Parts of which a delta was fetched. */
  readonly partsPatched: number;
  readonly partsReused: number;
  /** Length of the fetched files of parts and deltas, in bytes. */
  readonly bytesFetched: number;
  /** Why a delta could not be used, so that its part was fetched whole; null where none failed. */
  readonly deltaFailure: string | null;
}

/**
 * Fills the partial file `fd` of a release's snapshot with every part. Throws ChannelError, what node:fs throws, or the
 * reason of `signal`.
 */
export async function fillSnapshot(fd: number, release: ReleaseFile, options: FillOptions): Promise<Transfer> {
  const { folder, signal } = options;
  let missing = release.parts;
  // A file of another length was just made, or is of an interrupted pull that had not begun to write.
  if (fstatSync(fd).size === release.bytes) {
    const inPlace = await partsInPlace(fd, release.parts, signal);
    missing = missing.filter((part) => !inPlace.has(part));
  } else {
    ftruncateSync(fd, 0);
    ftruncateSync(fd, release.bytes);
  }
  requireSpace(folder, [...missing, ...(release.changes?.parts ?? [])]);
  const paths = listSnapshots(folder).map(({ name }) => join(folder, name));
  for (const path of paths) {
    if (missing.length > 0) missing = await copyParts(path, fd, missing, signal);
  }
  const fetched = await fetchMissing(fd, missing, paths, options);
  return { ...fetched, partsFetched: missing.length, partsReused: release.parts.length - missing.length };
}

/** Fetches parts, or their deltas where a snapshot of these has what they are of. */
async function fetchMissing(
  fd: number,
  missing: readonly ReleasePart[],
  paths: readonly string[],
  { source, signal, onTransfer }: FillOptions,
): Promise<Pick<Transfer, 'partsPatched' | 'bytesFetched' | 'deltaFailure'>> {
  const bases = new Bases();
  try {
    for (const path of paths) await bases.add(path, missing, signal);
    const patcher = new PartPatcher(source, bases, signal);
    onTransfer?.({ total: missing.reduce((sum, part) => sum + patcher.bytesToFetch(part), 0) });
    const fetched = await fetchParts(source, fd, missing, (bytes) => onTransfer?.({ fetched: bytes }), patcher);
    return { ...fetched, deltaFailure: patcher.failure };
  } finally {
    bases.close();
  }
}
