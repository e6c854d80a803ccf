/**
 * Writes the file of a release's changes (src/core/snapshot/release-changes.ts). The lines go to a temporary file while the
 * countries are compared, since the header before them has their lengths; so memory is that of a comparison. The file
 * is complete under its name, or not there. Where only one of the snapshots has full codes of a country, these are
 * counted and not listed.
 */

import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { runCooperatively } from '../../src/base/cooperative.js';
import {
  CHANGE_KINDS,
  type ChangesHeader,
  CODE_CHANGE_KINDS,
  type CodeChangeKind,
  type CountryChanges,
  type EntryKind,
  encodeChange,
  encodeChangesHeader,
  type FullCodeChanges,
  MAX_CHANGES_BYTES,
  type PlaceChange,
} from '../../src/core/snapshot/changes-file.js';
import { readInto } from '../../src/core/snapshot/snapshot-file.js';
import type { Progress } from '../reporting/progress.js';
import { createOutput } from '../writing/output-file.js';
import type { CountryPair } from './compared-country.js';
import type { CountryComparison } from './country-comparison.js';
import { type CountryVisitor, diffInSteps, type SnapshotDiff } from './diff-snapshots.js';
import { hasFullCodeChanges } from './full-code-changes.js';
import { listChanges, listCodeChanges } from './list-changes.js';

/** Length of the text that is written or copied at once, in bytes: 1 MiB, few system calls and little memory. */
const CHUNK_BYTES = 1 << 20;

/**
 * Compares two snapshots and writes what the new one changes to `outPath`, replacing a file there. Other work of the
 * process goes on between the countries. After an error `outPath` is as it was.
 */
export async function writeChanges(
  oldPath: string,
  newPath: string,
  outPath: string,
  progress: Progress,
  maxBytes = MAX_CHANGES_BYTES,
): Promise<{ readonly header: ChangesHeader; readonly diff: SnapshotDiff }> {
  const partial = createOutput(outPath, { inputs: [oldPath, newPath], isSnapshot: false });
  try {
    mkdirSync(partial.scratchFolder);
    const lines = openSync(join(partial.scratchFolder, 'lines'), 'w+');
    try {
      const writer = new ChangesWriter(lines, maxBytes);
      const diff = await runCooperatively(diffInSteps(oldPath, newPath, progress, writer.visit));
      const header = writer.finish(partial.fd, diff);
      fsyncSync(partial.fd);
      partial.publish();
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
    const hasCodes = hasFullCodeChanges(comparison.counts);
    if (!hasCodes && Object.values(counts).every((count) => count === 0)) return;
    const bytes = this.#writeKinds(CHANGE_KINDS, (kind) => listChanges(kind, pair, comparison));
    const fullCodes = hasCodes && { fullCodes: this.#writeFullCodes(pair, comparison) };
    this.#countries.push({ code: pair.code, placesBefore, placesAfter, ...counts, bytes, ...fullCodes });
  };

  #writeFullCodes(pair: CountryPair, comparison: CountryComparison): FullCodeChanges {
    const { fullCodesBefore: before, fullCodesAfter: after } = comparison.counts;
    const { fullCodesAdded, fullCodesRemoved, fullCodesMoved } = comparison.counts;
    const counts = {
      ...{ before, after, fullCodeAdded: fullCodesAdded, fullCodeRemoved: fullCodesRemoved },
      fullCodeMoved: fullCodesMoved,
    };
    if (before === 0 || after === 0) return { ...counts, bytes: null };
    const list = (kind: CodeChangeKind) => (counts[kind] === 0 ? [] : listCodeChanges(kind, pair, comparison));
    return { ...counts, bytes: this.#writeKinds(CODE_CHANGE_KINDS, list) };
  }

  /** The length of the lines of each kind; null where they don't fit. */
  #writeKinds<Kind extends EntryKind>(
    kinds: readonly Kind[],
    list: (kind: Kind) => Iterable<PlaceChange>,
  ): Readonly<Record<Kind, number>> | null {
    const start = this.#length;
    const lengths: Partial<Record<Kind, number>> = {};
    for (const kind of kinds) {
      const length = this.#writeLines(list(kind));
      if (length === undefined) {
        // The next lines are written over these.
        this.#length = start;
        return null;
      }
      lengths[kind] = length;
    }
    return lengths as Record<Kind, number>;
  }

  /** Undefined where the lines don't fit. */
  #writeLines(changes: Iterable<PlaceChange>): number | undefined {
    const start = this.#length;
    let text = '';
    const flush = (): void => {
      this.#length += writeAll(this.lines, text, this.#length);
      text = '';
    };
    for (const change of changes) {
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
