/**
 * Writes the file of a release's changes (src/core/snapshot/changes-file.ts). The lines go to a temporary file while the
 * countries are compared, since the header before them has their lengths; so memory is that of a comparison. The file
 * is complete under its name, or not there. Where only one of the snapshots has full codes of a country, these are
 * counted and not listed.
 */

import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { runCooperatively } from '../../src/base/cooperative.js';
import {
  CHANGE_KINDS,
  type ChangeKind,
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
import { fullCodeAt } from '../../src/core/snapshot/full-codes.js';
import { pathOf } from '../../src/core/snapshot/rendered-places.js';
import { readInto } from '../../src/core/snapshot/snapshot-file.js';
import type { Progress } from '../reporting/progress.js';
import { createOutput } from '../writing/output-file.js';
import { hasFullCodeChanges, type PlaceSummary } from './changes.js';
import { type ComparedCountry, type CountryPair, NONE, type Pair } from './compared-countries.js';
import {
  type CountryComparison,
  type CountryVisitor,
  diffInSteps,
  placesWithout,
  type SnapshotDiff,
  summaryOf,
} from './diff-snapshots.js';
import { compareFullCodes } from './full-code-changes.js';

/*
 * Every added, removed, moved and renamed place of a compared country, in the order of a file of changes
 * (src/core/snapshot/changes-file.ts). A place that is moved and renamed is in both lists. Memory: the paths of the places
 * of one kind.
 */

/** Throws SnapshotError STRUCTURE_INVALID if a place's answer can't be read. */
export function* listChanges(
  kind: ChangeKind,
  { code, before: { renderedPlaces: before }, after: { renderedPlaces: after } }: CountryPair,
  comparison: CountryComparison,
): Generator<PlaceChange> {
  const sorted = pairsOf(kind, comparison)
    // Reading the path alone is faster than sorting, parsing the answer is not.
    .map((pair) => ({ pair, path: pair[1] === NONE ? pathOf(before, pair[0]) : pathOf(after, pair[1]) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const { pair } of sorted) {
    const was = pair[0] === NONE ? undefined : summaryOf(before, pair[0]);
    const is = pair[1] === NONE ? undefined : summaryOf(after, pair[1]);
    const { id, path, name, localName, type, postalCode } = (is ?? was) as PlaceSummary;
    const place = { countryCode: code, change: kind, id, path, name, localName, type, postalCode };
    yield was === undefined || is === undefined ? place : { ...place, ...oldFields(kind, was, is) };
  }
}

/** NONE stands for the missing place. */
function pairsOf(kind: ChangeKind, { matches, moved, renamed }: CountryComparison): readonly Pair[] {
  if (kind === 'added') return placesWithout(matches.oldOf, Infinity).map((place): Pair => [NONE, place]);
  if (kind === 'removed') return placesWithout(matches.newOf, Infinity).map((place): Pair => [place, NONE]);
  return kind === 'moved' ? moved : renamed;
}

function oldFields(kind: ChangeKind, was: PlaceSummary, is: PlaceSummary): Partial<PlaceChange> {
  if (kind === 'moved') return { oldPath: was.path };
  return {
    ...(was.id !== is.id && { oldId: was.id }),
    ...(was.path !== is.path && { oldPath: was.path }),
    oldName: was.name,
    ...(was.localName !== is.localName && { oldLocalName: was.localName }),
  };
}

/**
 * Every added, removed and moved full code, in the order of codes. Memory: one place at a time, since the codes of a first
 * part belong to few places.
 */
function* listCodeChanges(
  kind: CodeChangeKind,
  pair: CountryPair,
  { matches }: CountryComparison,
): Generator<PlaceChange> {
  const [was, is] = [placeReaderOf(pair.before), placeReaderOf(pair.after)];
  for (const change of compareFullCodes(pair, matches)) {
    if (change.kind !== kind) continue;
    const [oldCode, newCode] = [was(change.pair[0]), is(change.pair[1])];
    const { postcode: postalCode, place } = (newCode ?? oldCode) as CodeWithPlace;
    const { id, path, name, localName, type } = place;
    const line = { countryCode: pair.code, change: kind, id, path, name, localName, type, postalCode };
    if (kind !== 'fullCodeMoved') yield line;
    else {
      const { id: oldId, path: oldPath } = (oldCode as CodeWithPlace).place;
      const movedKm = Math.round(change.km * 10) / 10;
      yield { ...line, ...(oldId !== id && { oldId }), ...(oldPath !== path && { oldPath }), movedKm };
    }
  }
}

interface CodeWithPlace {
  readonly postcode: string;
  readonly place: PlaceSummary;
}

/** Reads full codes by number; undefined for NONE. */
function placeReaderOf({ fullCodes, renderedPlaces }: ComparedCountry): (number: number) => CodeWithPlace | undefined {
  let [last, summary]: [number, PlaceSummary | undefined] = [NONE, undefined];
  return (number) => {
    if (fullCodes === undefined || number === NONE) return undefined;
    const { postcode, place } = fullCodeAt(fullCodes, number);
    if (summary === undefined || place !== last) [last, summary] = [place, summaryOf(renderedPlaces, place)];
    return { postcode, place: summary };
  };
}

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
