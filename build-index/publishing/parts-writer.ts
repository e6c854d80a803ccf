/** Writes the files of parts, each complete and synced before it gets its name. Memory: a part for each processor. */
import { createReadStream, fsyncSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { PARTS, partPath } from '../../src/channels/channel-paths.js';
import { compressPart, expandPart, readRanges, sha256Of } from '../../src/channels/part-bytes.js';
import type { ReleasePart } from '../../src/channels/release-file.js';
import type { PlannedPart } from '../../src/channels/snapshot-parts.js';
import { syncPath } from '../../src/platform/sync-path.js';
import { createPartial } from '../../src/publishing/partial-file.js';
import { writeWhole } from '../../src/publishing/write-whole.js';
import type { Progress } from '../reporting/progress.js';

/** Writes the parts of files into a folder that may have them already; a damaged one is written again. */
export class PartsWriter {
  partsWritten = 0;
  bytesWritten = 0;

  constructor(private readonly folder: string) {}

  /** Writes the parts of the open file `fd` that the folder lacks, as many at once as there are processors. */
  async writeAll(fd: number, planned: readonly PlannedPart[], progress: Progress): Promise<ReleasePart[]> {
    progress.start('writing parts', planned.length);
    const parts = new Array<ReleasePart>(planned.length);
    const queue = planned.entries();
    const work = async (): Promise<void> => {
      for (const [number, part] of queue) {
        parts[number] = await this.#write(fd, part);
        progress.step(part.name);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, work));
    syncPath(join(this.folder, PARTS));
    return parts;
  }

  async #write(fd: number, { name, ranges }: PlannedPart): Promise<ReleasePart> {
    const bytes = readRanges(fd, ranges);
    const sha256 = sha256Of(bytes);
    const path = join(this.folder, partPath(sha256));
    const there = statSync(path, { throwIfNoEntry: false });
    if (there !== undefined && (await isWhole(path, sha256)))
      return { name, sha256, compressedBytes: there.size, ranges };
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

/**
 * Whether the file at `path` expands to what it is named after: one that somebody copied there may have been cut short,
 * and a release that names it could be pulled by nobody.
 */
async function isWhole(path: string, sha256: string): Promise<boolean> {
  return (await expandPart(createReadStream(path), UNLIMITED)) === sha256;
}

/** Takes the bytes of a part of any length, and keeps none. */
const UNLIMITED = { write: () => true, isFull: true };
