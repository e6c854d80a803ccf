/**
 * Finds the bases of deltas among the snapshots of this machine. A snapshot with a base stays open, and so protected from
 * `prune`, until `close`. Costs reading the bytes of every part that has a delta, in every snapshot that is asked.
 */
import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';
import { SnapshotError } from '../../format/snapshot-error.js';
import { openSharedIfPossible } from '../../store/open-file.js';
import { readPieces } from '../../store/read-pieces.js';
import { readContents } from '../../store/snapshot-reading.js';
import type { ReleasePart } from '../release-file.js';
import { planUncut, type Range } from '../snapshot-parts.js';

export interface Base {
  /** Of an open snapshot. */
  readonly fd: number;
  readonly ranges: readonly Range[];
}

export class Bases {
  readonly #byDigest = new Map<string, Base>();
  readonly #open: number[] = [];

  /** The base of a part's delta; undefined where there is no delta, or no base of it. */
  find({ delta }: ReleasePart): Base | undefined {
    return delta && this.#byDigest.get(delta.base);
  }

  /** Takes the bases of `parts` that the snapshot at `path` has. A file that can't be read has none. */
  async add(path: string, parts: readonly ReleasePart[], signal: AbortSignal): Promise<void> {
    const wanted = parts.filter((part) => part.delta !== undefined && this.find(part) === undefined);
    if (wanted.length === 0) return;
    const fd = openSharedIfPossible(path);
    if (fd === undefined) return;
    let isNeeded = false;
    try {
      const { header, manifest } = readContents(fd);
      for (const { name, ranges } of planUncut(header, manifest)) {
        const digests = new Set(wanted.filter((part) => part.name === name).map(({ delta }) => delta?.base));
        if (digests.size === 0) continue;
        const digest = await digestOf(fd, ranges, signal);
        if (!digests.has(digest)) continue;
        this.#byDigest.set(digest, { fd, ranges });
        isNeeded = true;
      }
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
    } finally {
      // A folder may have more snapshots than a process may open files, and open ones can't be removed.
      if (isNeeded) this.#open.push(fd);
      else closeSync(fd);
    }
  }

  close(): void {
    for (const fd of this.#open) closeSync(fd);
  }
}

async function digestOf(fd: number, ranges: readonly Range[], signal: AbortSignal): Promise<string> {
  const digest = createHash('sha256');
  for (const piece of readPieces(fd, ranges)) {
    digest.update(piece);
    await nextRound(undefined, { signal });
  }
  return digest.digest('hex');
}
