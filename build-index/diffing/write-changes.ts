/**
 * Writes the file of a release's changes (src/format/release-changes.ts). The lines go to a temporary file while the
 * countries are compared, since the header before them has their lengths; so memory is that of a comparison. The file
 * is complete under its name, or not there.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  CHANGE_KINDS,
  type ChangeKind,
  type ChangesHeader,
  type CountryChanges,
  encodeChange,
  encodeChangesHeader,
  MAX_CHANGES_BYTES,
} from '../../src/format/release-changes.js';
import { syncPath } from '../../src/platform/sync-path.js';
import { checkReplaceable, createPartial } from '../../src/publishing/partial-file.js';
import { runCooperatively } from '../../src/store/cooperative.js';
import { readInto } from '../../src/store/open-file.js';
import type { Progress } from '../reporting/progress.js';
import type { CountryComparison, CountryPair } from './diff-country.js';
import { type CountryVisitor, diffInSteps, type SnapshotDiff } from './diff-snapshots.js';
import { listChanges } from './list-changes.js';

/** Length of the text that is written or copied at once, in bytes: 1 MiB, few system calls and little memory. */
const CHUNK_BYTES = 1 << 20;

/**
 * Compares two snapshots and writes what the new one changes to `outPath`, replacing a file there. Other work of the
 * process goes on between the countries. Rejects with SnapshotError, or what node:fs throws; then `outPath` is as it
 * was.
 */
export async function writeChanges(
  oldPath: string,
  newPath: string,
  outPath: string,
  progress: Progress,
  maxBytes = MAX_CHANGES_BYTES,
): Promise<{ readonly header: ChangesHeader; readonly diff: SnapshotDiff }> {
  checkReplaceable(outPath);
  const partial = createPartial(outPath);
  try {
    mkdirSync(partial.scratchFolder);
    const lines = openSync(join(partial.scratchFolder, 'lines'), 'w+');
    try {
      const writer = new ChangesWriter(lines, maxBytes);
      const diff = await runCooperatively(diffInSteps(oldPath, newPath, progress, writer.visit));
      const header = writer.finish(partial.fd, diff);
      fsyncSync(partial.fd);
      partial.publish();
      syncPath(dirname(outPath));
      return { header, diff };
    } finally {
      closeSync(lines);
    }
  } finally {
    partial.discard();
  }
}

/** Is given the countries of a comparison, then its result. */
class ChangesWriter {
  readonly #countries: CountryChanges[] = [];
  #length = 0;

  constructor(
    /** The temporary file of the lines, open for writing and reading. */
    private readonly lines: number,
    /** Maximum length of all lines. */
    private readonly maxBytes: number,
  ) {}

  /** Adds a country. One whose lines don't fit is counted only, and later, smaller countries may fit again. */
  readonly visit: CountryVisitor = (pair, comparison) => {
    const { added, removed, moved, renamed, codesAdded, codesRemoved, placesBefore, placesAfter } = comparison.counts;
    const counts = { added, removed, moved, renamed, codesAdded, codesRemoved };
    if (Object.values(counts).every((count) => count === 0)) return;
    const bytes = this.#writeCountry(pair, comparison);
    this.#countries.push({ code: pair.code, placesBefore, placesAfter, ...counts, bytes });
  };

  #writeCountry(pair: CountryPair, comparison: CountryComparison): CountryChanges['bytes'] {
    const start = this.#length;
    const bytes = { added: 0, removed: 0, moved: 0, renamed: 0 };
    for (const kind of CHANGE_KINDS) {
      const length = this.#writeKind(kind, pair, comparison);
      if (length === undefined) {
        // The next country's lines are written over these.
        this.#length = start;
        return null;
      }
      bytes[kind] = length;
    }
    return bytes;
  }

  /** Undefined where the lines don't fit. */
  #writeKind(kind: ChangeKind, pair: CountryPair, comparison: CountryComparison): number | undefined {
    const start = this.#length;
    let text = '';
    const flush = (): void => {
      this.#length += writeAll(this.lines, text, this.#length);
      text = '';
    };
    for (const change of listChanges(kind, pair, comparison)) {
      text += encodeChange(change);
      if (text.length < CHUNK_BYTES) continue;
      flush();
      if (this.#length > this.maxBytes) return undefined;
    }
    flush();
    return this.#length > this.maxBytes ? undefined : this.#length - start;
  }

  /** Writes the header and the lines to an empty file. */
  finish(fd: number, { before, after }: SnapshotDiff): ChangesHeader {
    const header: ChangesHeader = {
      since: before.release,
      sinceSnapshot: before.id,
      release: after.release,
      snapshot: after.id,
      sourceDate: after.sourceDate,
      countries: this.#countries,
    };
    let length = writeAll(fd, encodeChangesHeader(header), 0);
    for (let offset = 0; offset < this.#length; offset += CHUNK_BYTES) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, this.#length - offset));
      readInto(this.lines, offset, chunk);
      length += writeAll(fd, chunk, length);
    }
    return header;
  }
}

/** Returns the number of bytes. */
function writeAll(fd: number, text: string | Buffer, offset: number): number {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
  }
  return bytes.length;
}
