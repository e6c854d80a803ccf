/**
 * Finds the lists of changes that lead to a snapshot: the one beside its file, and from there each time the one beside
 * the snapshot of the release before. A list names that snapshot, so the folder is not searched, and the snapshots
 * themselves need not be there. Each use costs one look at every file's name; a file is opened when it is new. Opening
 * reads the header. Reading a page reads the lines of one country and kind up to the page; every 128th line is
 * remembered, so a later page is found at once. Nothing of a file stays open, and no content is trusted.
 */

import { fstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessageOf } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import {
  ChangesError,
  type ChangesHeader,
  type CountryChanges,
  changesFileLinesOf,
  ENTRY_KINDS,
  type EntryKind,
  MAX_CHANGES_BYTES,
  MAX_HEADER_BYTES,
  MAX_LINE_BYTES,
  type PlaceChange,
  parseChange,
  parseChangesHeader,
} from '../../core/snapshot/changes-file.js';
import type { ChangesList, ReleaseChanges } from '../../core/snapshot/release-changes.js';
import { SnapshotError } from '../../core/snapshot/snapshot-error.js';
import { readInto, withFile } from '../../core/snapshot/snapshot-file.js';
import { identityOf } from '../folder/find-snapshot.js';
import { type PublishedSnapshot, publishedChangesName, publishedName } from '../folder/published-name.js';

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

  /** The changes from number `start` up to but not including `end`. */
  read({ code }: CountryChanges, kind: EntryKind, start: number, end: number): PlaceChange[] {
    const group = this.#groups.get(code + kind);
    if (group === undefined || end > group.count) throw new RangeError(`${code} has no ${kind} line ${end}`);
    return this.#use((fd) => readLines(fd, group, start, end).map((line) => parseChange(line, code, kind)));
  }

  /** Where the lines of each country and kind are. */
  #place({ countries }: ChangesHeader, headerLength: number, size: number): void {
    let position = headerLength;
    for (const country of countries) {
      for (const kind of ENTRY_KINDS) {
        const lines = changesFileLinesOf(country, kind);
        if (lines === null) continue;
        const start = position;
        position += lines.byteLength;
        this.#groups.set(country.code + kind, { start, end: position, count: lines.count, remembered: [start] });
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

/** Maximum number of lists: eight years of monthly releases. */
const MAX_LISTS = 100;

/** A file as it was found: its list, or undefined if it is not usable. */
interface KnownFile {
  readonly identity: string;
  readonly list: ChangesList | undefined;
}

export class ChangesLists implements ReleaseChanges {
  readonly #known = new Map<string, KnownFile>();

  /** `path` is that of the snapshot's file, or one under /proc that leads to it. */
  constructor(
    private readonly path: string,
    private readonly snapshot: PublishedSnapshot,
    private readonly logger: Logger,
  ) {}

  lists(): readonly ChangesList[] {
    const found: ChangesList[] = [];
    const seen = new Set([this.snapshot.id]);
    let path = this.#firstPath();
    let id = this.snapshot.id;
    while (path !== undefined && found.length < MAX_LISTS) {
      const list = this.#find(path, id);
      // Where an older release was put in service again, lists lead in a circle.
      if (list === undefined || seen.has(list.header.sinceSnapshot)) break;
      found.push(list);
      const { since: release, sinceSnapshot } = list.header;
      id = sinceSnapshot;
      seen.add(id);
      const name = publishedName({ release, id });
      path = name && publishedChangesName(join(dirname(path), name));
    }
    return found;
  }

  /** Undefined if the snapshot's file has no name any more. */
  #firstPath(): string | undefined {
    try {
      return publishedChangesName(realpathSync.native(this.path));
    } catch (error) {
      if (isSystemError(error)) return undefined;
      throw error;
    }
  }

  /** The list at `path`, if it is there and leads to this snapshot. */
  #find(path: string, id: string): ChangesList | undefined {
    const identity = identityNow(path);
    if (identity === undefined) return undefined;
    const known = this.#known.get(path);
    if (known?.identity === identity) return known.list;
    const list = this.#orRefuse<ChangesList>(path, identity, () => {
      const file = new ChangesFile(path, identity);
      const { header, writtenAt } = file;
      if (header.snapshot !== id) throw new ChangesError(`it is that of snapshot ${header.snapshot}, not of ${id}`);
      return { header, writtenAt, read: (...lines) => this.#orRefuse(path, identity, () => file.read(...lines)) };
    });
    this.#known.set(path, { identity, list });
    return list;
  }

  /** What `read` returns. Where the file is not usable, the reason is logged, and the file is passed over from now on. */
  #orRefuse<T>(path: string, identity: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ChangesError || error instanceof SnapshotError || isSystemError(error))) throw error;
      this.#known.set(path, { identity, list: undefined });
      this.logger.warn({ path, reason: errorMessageOf(error) }, 'this list of changes is not usable');
      return undefined;
    }
  }
}

/** Undefined if there is no such file. Of a file that can't be looked at, the reason: opening it tells more. */
function identityNow(path: string): string | undefined {
  try {
    const info = statSync(path, { bigint: true, throwIfNoEntry: false });
    return info && identityOf(path, info);
  } catch (error) {
    if (isSystemError(error)) return error.message;
    throw error;
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'errno' in error;
}
