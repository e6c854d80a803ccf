/**
 * Reads a file of a release's changes (src/format/release-changes.ts). Opening reads the header. Reading a page reads
 * the lines of one country and kind up to the page; every 128th line is remembered, so a later page is found at once.
 * Nothing of the file stays open, and no content is trusted.
 */
import { fstatSync } from 'node:fs';
import {
  CHANGE_KINDS,
  type ChangeKind,
  ChangesError,
  type ChangesHeader,
  type CountryChanges,
  MAX_CHANGES_BYTES,
  MAX_HEADER_BYTES,
  MAX_LINE_BYTES,
  type PlaceChange,
  parseChange,
  parseChangesHeader,
} from '../format/release-changes.js';
import { readInto } from '../store/open-file.js';
import { withFile } from '../store/snapshot-reading.js';
import { identityOf } from './find-snapshot.js';

/** Number of lines from one remembered line to the next: at most a page and some lines are read in vain. */
const REMEMBERED_LINES = 128;
const LINE_FEED = 0x0a;

/** The lines of one country and kind. */
interface Group {
  readonly start: number;
  readonly end: number;
  readonly count: number;
  /** The positions of the lines 0, 128, 256 and so on, as far as they have been read. */
  readonly remembered: number[];
}

export class ChangesFile {
  readonly header: ChangesHeader;
  /** ISO 8601, UTC. */
  readonly writtenAt: string;
  readonly #groups = new Map<string, Group>();

  /** Throws ChangesError, SnapshotError or what node:fs throws. */
  constructor(
    private readonly path: string,
    private readonly identity: string,
  ) {
    const { header, mtime } = this.#use((fd) => {
      const { size, mtime } = fstatSync(fd);
      const start = Buffer.alloc(Math.min(size, MAX_HEADER_BYTES));
      readInto(fd, 0, start);
      const length = start.indexOf(LINE_FEED) + 1;
      if (length === 0) throw new ChangesError('it has no first line');
      const header = parseChangesHeader(start.toString('utf8', 0, length));
      this.#place(header, length, size);
      return { header, mtime };
    });
    this.header = header;
    this.writtenAt = mtime.toISOString();
  }

  /** The changes from number `start` up to but not including `end`. Throws as the constructor. */
  read({ code }: CountryChanges, kind: ChangeKind, start: number, end: number): PlaceChange[] {
    const group = this.#groups.get(code + kind);
    if (group === undefined || end > group.count) throw new RangeError(`${code} has no ${kind} place ${end}`);
    return this.#use((fd) => readLines(fd, group, start, end).map((line) => parseChange(line, code, kind)));
  }

  /** Where the lines of each country and kind are. */
  #place({ countries }: ChangesHeader, headerLength: number, size: number): void {
    let position = headerLength;
    for (const country of countries) {
      if (country.bytes === null) continue;
      for (const kind of CHANGE_KINDS) {
        const start = position;
        position += country.bytes[kind];
        this.#groups.set(country.code + kind, { start, end: position, count: country[kind], remembered: [start] });
      }
    }
    if (position !== size || size - headerLength > MAX_CHANGES_BYTES) {
      throw new ChangesError(`its length is ${size} and not ${position} bytes`);
    }
  }

  /** Opens the file, which must be the one that was found. */
  #use<T>(read: (fd: number) => T): T {
    return withFile(this.path, (fd) => {
      if (identityOf(this.path, fstatSync(fd, { bigint: true })) !== this.identity) {
        throw new ChangesError('another file has taken its name');
      }
      return read(fd);
    });
  }
}

/** Lines of a group, without line feeds. */
function readLines(
  fd: number,
  { start: groupStart, end: groupEnd, count, remembered }: Group,
  start: number,
  end: number,
) {
  const lines: string[] = [];
  if (start >= end) return lines;
  let number = Math.min(Math.floor(start / REMEMBERED_LINES), remembered.length - 1) * REMEMBERED_LINES;
  let position = remembered[number / REMEMBERED_LINES] ?? groupStart;
  const buffer = Buffer.allocUnsafe(MAX_LINE_BYTES);
  while (number < end) {
    const chunk = buffer.subarray(0, Math.min(buffer.length, groupEnd - position));
    readInto(fd, position, chunk);
    let lineStart = 0;
    for (let lineEnd = chunk.indexOf(LINE_FEED); lineEnd !== -1 && number < end; ) {
      if (number >= start) lines.push(chunk.toString('utf8', lineStart, lineEnd));
      number++;
      lineStart = lineEnd + 1;
      if (number % REMEMBERED_LINES === 0) remembered[number / REMEMBERED_LINES] ??= position + lineStart;
      lineEnd = chunk.indexOf(LINE_FEED, lineStart);
    }
    if (lineStart === 0) throw new ChangesError(`the line at ${position} is too long, or has no end`);
    position += lineStart;
  }
  if (number === count && position !== groupEnd) throw new ChangesError(`there are more lines than ${count}`);
  return lines;
}
