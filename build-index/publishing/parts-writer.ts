/** Writes the files of parts, each complete and synced before it gets its name. Memory: a part for each processor. */
import { createReadStream, fsyncSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { PARTS, partPath } from '../../src/channels/channel-paths.js';
import { forEachConcurrently } from '../../src/channels/for-each-concurrently.js';
import { compressPart, expandPart, readRanges, sha256Of } from '../../src/channels/part-bytes.js';
import type { PartDelta, ReleasePart } from '../../src/channels/release-file.js';
import type { PlannedPart } from '../../src/channels/snapshot-parts.js';
import { syncPath } from '../../src/platform/sync-path.js';
import { createPartial } from '../../src/publishing/partial-file.js';
import { writeWhole } from '../../src/publishing/write-whole.js';
import type { Progress } from '../reporting/progress.js';

type WrittenFile = Pick<ReleasePart, 'sha256' | 'compressedBytes'>;

/** Writes the parts of files into a folder that may have them already; a damaged one is written again. */
export class PartsWriter {
  partsWritten = 0;
  bytesWritten = 0;

  constructor(private readonly folder: string) {}

  /** Writes the parts of the open file `fd` that the folder lacks, as many at once as there are processors. */
  async writeAll(fd: number, planned: readonly PlannedPart[], progress: Progress): Promise<ReleasePart[]> {
    progress.start('writing parts', planned.length);
    const parts = new Array<ReleasePart>(planned.length);
    await forEachConcurrently(planned, availableParallelism(), async (part, index) => {
      parts[index] = await this.#write(fd, part);
      progress.step(part.name);
    });
    this.sync();
    return parts;
  }

  /** Writes a delta; undefined where its file would be longer than `mostBytes`. `sync` makes its name durable. */
  async writeDelta(delta: Buffer, mostBytes: number): Promise<Omit<PartDelta, 'base'> | undefined> {
    const file = await this.#writeFile(delta, mostBytes);
    return file && { sha256: file.sha256, bytes: delta.length, compressedBytes: file.compressedBytes };
  }

  /** Makes the names of what was written durable. */
  sync(): void {
    syncPath(join(this.folder, PARTS));
  }

  async #write(fd: number, { name, ranges }: PlannedPart): Promise<ReleasePart> {
    const file = await this.#writeFile(readRanges(fd, ranges), Number.POSITIVE_INFINITY);
    return { name, ...(file as WrittenFile), ranges };
  }

  /** Undefined where the file would be longer than `mostBytes`. */
  async #writeFile(bytes: Buffer, mostBytes: number): Promise<WrittenFile | undefined> {
    const sha256 = sha256Of(bytes);
    const path = join(this.folder, partPath(sha256));
    const there = statSync(path, { throwIfNoEntry: false });
    if (there !== undefined && there.size <= mostBytes && (await isWhole(path, sha256))) {
      return { sha256, compressedBytes: there.size };
    }
    const compressed = await compressPart(bytes);
    if (compressed.length > mostBytes) return undefined;
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
    return { sha256, compressedBytes: compressed.length };
  }
}

/**
 * Whether the file at `path` expands to what it is named after: one that somebody copied there may have been cut short,
 * and a release that names it could be pulled by nobody.
 */
async function isWhole(path: string, sha256: string): Promise<boolean> {
  return (await expandPart(createReadStream(path), UNLIMITED)) === sha256;
}

/** Takes the bytes of a part of any length, and keeps none. */
const UNLIMITED = { write: () => true, isFull: true };
