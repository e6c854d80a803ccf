/**
 * Fills a file with the parts of a release: those that a file on this machine has are copied, the rest is fetched with
 * CONNECTIONS requests at once, as deltas where the machine has their bases. Every part is checked by its digest.
 * Memory: a few pieces for each connection, or a delta.
 */
import { closeSync } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';
import { SnapshotError } from '../format/snapshot-error.js';
import { openSharedIfPossible } from '../store/open-file.js';
import { readPieces } from '../store/read-pieces.js';
import { readContents } from '../store/snapshot-reading.js';
import { ChannelError } from './channel-error.js';
import { partPath } from './channel-paths.js';
import type { ChannelSource } from './channel-source.js';
import type { PartPatcher } from './delta/part-patcher.js';
import { forEachConcurrently } from './for-each-concurrently.js';
import { expandPart, RangeWriter, sha256OfRanges } from './part-bytes.js';
import type { ReleasePart } from './release-file.js';
import { lengthOf, planParts, type Range } from './snapshot-parts.js';

/** Number of requests at once. */
const CONNECTIONS = 4;
/** How often a part with wrong bytes is fetched: a proxy may have damaged it once. */
const ATTEMPTS = 2;

/** The parts that `fd` has in their places already, as an interrupted pull left them. */
export async function partsInPlace(
  fd: number,
  parts: readonly ReleasePart[],
  signal: AbortSignal,
): Promise<Set<ReleasePart>> {
  const inPlace = new Set<ReleasePart>();
  for (const part of parts) {
    await nextRound(undefined, { signal });
    if (sha256OfRanges(fd, part.ranges) === part.sha256) inPlace.add(part);
  }
  return inPlace;
}

/**
 * Copies the parts that the snapshot at `path` has, wherever they are in it. Returns the parts that are still missing.
 * A file that can't be read has none. Throws what node:fs throws when it writes.
 */
export async function copyParts(
  path: string,
  fd: number,
  missing: readonly ReleasePart[],
  signal: AbortSignal,
): Promise<ReleasePart[]> {
  const sourceFd = openSharedIfPossible(path);
  if (sourceFd === undefined) return [...missing];
  try {
    const { header, manifest } = readContents(sourceFd);
    const wanted = new Map(missing.map((part) => [keyOf(part), [] as ReleasePart[]]));
    for (const part of missing) wanted.get(keyOf(part))?.push(part);
    const copied = new Set<ReleasePart>();
    for (const own of planParts(header, manifest)) {
      await nextRound(undefined, { signal });
      const alike = wanted.get(keyOf(own))?.filter((part) => !copied.has(part)) ?? [];
      if (alike.length === 0) continue;
      const sha256 = sha256OfRanges(sourceFd, own.ranges);
      for (const part of alike.filter((other) => other.sha256 === sha256)) {
        copyRanges(sourceFd, own.ranges, fd, part.ranges);
        copied.add(part);
      }
    }
    return missing.filter((part) => !copied.has(part));
  } catch (error) {
    if (error instanceof SnapshotError) return [...missing];
    throw error;
  } finally {
    closeSync(sourceFd);
  }
}

/** Parts of the same name and length may have the same bytes. */
function keyOf({ name, ranges }: Pick<ReleasePart, 'name' | 'ranges'>): string {
  return `${name} ${lengthOf(ranges)}`;
}

function copyRanges(from: number, ranges: readonly Range[], to: number, target: readonly Range[]): void {
  const writer = new RangeWriter(to, target);
  for (const piece of readPieces(from, ranges)) writer.write(piece);
}

/**
 * Fetches parts into their places in `fd`, or with a patcher their deltas. `onBytes` gets the number of bytes that each
 * part was to take. Returns the number of parts that were made of deltas, and of the bytes of all files. Throws
 * ChannelError.
 */
export async function fetchParts(
  source: ChannelSource,
  fd: number,
  parts: readonly ReleasePart[],
  onBytes: (bytes: number) => void,
  patcher?: PartPatcher,
): Promise<{ readonly partsPatched: number; readonly bytesFetched: number }> {
  let [partsPatched, bytesFetched] = [0, 0];
  await forEachConcurrently(parts, CONNECTIONS, async (part) => {
    const isPatched = (await patcher?.patch(part, fd)) === true;
    if (isPatched) partsPatched++;
    else await fetchPart(source, part, fd);
    bytesFetched += isPatched ? (part.delta?.compressedBytes as number) : part.compressedBytes;
    onBytes(patcher?.bytesToFetch(part) ?? part.compressedBytes);
  });
  return { partsPatched, bytesFetched };
}

/** Fetches a part into its ranges of the file `fd`. Throws ChannelError. */
async function fetchPart(
  source: ChannelSource,
  { sha256, ranges, name, compressedBytes }: ReleasePart,
  fd: number,
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const pieces = source.readInPieces(partPath(sha256), compressedBytes);
    if ((await expandPart(pieces, new RangeWriter(fd, ranges))) === sha256) return;
  }
  throw new ChannelError(
    'PART_DAMAGED',
    `${partPath(sha256)} (${name}) of ${source.name} has other bytes than its name says`,
    'copy it to the host again',
  );
}
