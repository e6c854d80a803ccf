/**
 * Where a table comes from, where its result goes, and what is counted on the way. A file appears under its name when it
 * is complete; until then it is `<name>.part`, beside it `<name>.part.id` that stands for data and options. A run that
 * goes on after an end at any moment compares the whole rows of that file with the table, and adds the others.
 */

import { once } from 'node:events';
import {
  closeSync,
  createReadStream,
  existsSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { replaceFile, syncFile, writeWhole } from '../../src/base/durable-files.js';
import { ExpectedError, InvalidValueError } from '../../src/base/errors.js';
import { libc } from '../../src/base/libc.js';
import { createOwnFile, openOwnFile } from '../../src/base/own-file.js';
import type { ByteString } from '../../src/core/snapshot/byte-string.js';
import type { Match } from './finders.js';
import { copyText } from './table-rows.js';

/* Counts the rows of a table by how they were found, and which misses are frequent. Its size does not grow with the table. */

/** Maximum number of different misses that are counted; when it is reached, the rarer half of them is dropped. */
const MAX_MISSES = 10_000;
/** Maximum length of a miss in characters. */
const MAX_MISS_LENGTH = 60;
const SHOWN_MISSES = 10;

export interface Miss {
  readonly value: string;
  /** At least so often, if the table has very many different misses. */
  readonly count: number;
}

/** What is counted of rows: the matches, the rows without a value in the key columns, and the bad rows. */
export type Counted = Match | 'empty' | 'bad';

export class Tally {
  readonly #counts: Record<Counted, number> = {
    exact: 0,
    normalised: 0,
    partial: 0,
    nearest: 0,
    none: 0,
    empty: 0,
    bad: 0,
  };
  #misses = new Map<string, number>();
  readonly #absent = new Map<string, number>();
  #openQuoteLine: number | undefined;

  /** Rows of an interrupted run, which are not counted otherwise. */
  earlierRows = 0;

  get counts(): Readonly<Record<Counted, number>> {
    return this.#counts;
  }

  /** Rows of all kinds. */
  get rowCount(): number {
    return Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
  }

  /** The line where the first quote opens that is not closed as it should be; undefined without one. */
  get openQuoteLine(): number | undefined {
    return this.#openQuoteLine;
  }

  noteOpenQuote(line: number): void {
    this.#openQuoteLine ??= line;
  }

  count(counted: Counted): void {
    this.#counts[counted]++;
  }

  /** Counts a row, which is also counted as `none`, for a country without data. */
  countAbsent(code: string): void {
    this.#absent.set(code, (this.#absent.get(code) ?? 0) + 1);
  }

  /** The codes of countries without data and the numbers of their rows, the most rows first. */
  get absent(): readonly (readonly [string, number])[] {
    return [...this.#absent].sort((a, b) => b[1] - a[1]);
  }

  countMiss(value: string): void {
    const miss = copyText(value.slice(0, MAX_MISS_LENGTH));
    this.#misses.set(miss, (this.#misses.get(miss) ?? 0) + 1);
    if (this.#misses.size > MAX_MISSES) this.#misses = new Map(this.#sortedMisses().slice(0, MAX_MISSES / 2));
  }

  get frequentMisses(): readonly Miss[] {
    return this.#sortedMisses()
      .slice(0, SHOWN_MISSES)
      .map(([value, count]) => ({ value, count }));
  }

  #sortedMisses(): [string, number][] {
    return [...this.#misses].sort((a, b) => b[1] - a[1]);
  }
}

export interface TableOutput {
  /** Whether it goes on with what an interrupted run wrote. */
  readonly isResumed: boolean;
  /**
   * Whether the interrupted run wrote this row, with something between its head and its tail: then it is not written
   * again. Throws ExpectedError where that run wrote another row in its place.
   */
  has(head: ByteString, tail: ByteString): boolean;
  /** Waits while the bytes can't be taken. */
  write(bytes: Buffer): Promise<void>;
  /** The result is complete. */
  finish(): Promise<void>;
  /** Ends an incomplete result, which can be continued. */
  abandon(): Promise<void>;
}

const ANEW = { isResumed: false, has: () => false };

export function streamOutput(stream: Writable): TableOutput {
  return {
    ...ANEW,
    async write(bytes) {
      if (!stream.write(bytes)) await once(stream, 'drain');
    },
    finish: async () => undefined,
    abandon: async () => undefined,
  };
}

/** Paths of a result: through links, so that a link stays one. */
export function outputPaths(out: string): { target: string; part: string; id: string; isFile: boolean } {
  const target = existsSync(out) ? realpathSync(out) : out;
  const isFile = statSync(target, { throwIfNoEntry: false })?.isFile() ?? true;
  return { target, part: `${target}.part`, id: `${target}.part.id`, isFile };
}

/**
 * Begins the file or, with `resume`, goes on with that of an interrupted run, if there is one. `fingerprint` stands for
 * all that the result depends on besides the rows. Throws ExpectedError where the interrupted run had another one.
 */
export async function fileOutput(out: string, fingerprint: string, resume: boolean): Promise<TableOutput> {
  const { target, part, id, isFile } = outputPaths(out);
  if (!isFile) return await deviceOutput(target);
  const isResumed = resume && [part, id].every((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  if (isResumed && readOwn(id) !== fingerprint) {
    throw new ExpectedError(`${part} was made from other data or with other options: start again without --resume`);
  }
  const fd = openAlone(part, isResumed);
  let earlier = isResumed ? new WrittenRows(fd, part) : undefined;
  let written = 0;
  if (!isResumed) {
    ftruncateSync(fd, 0);
    replaceFile(id, fingerprint);
  }
  return {
    isResumed,
    has(head, tail) {
      if (earlier === undefined) return false;
      const isThere = earlier.takes(head, tail);
      written = earlier.bytes;
      if (isThere) return true;
      // What stands there is a row that the interruption cut.
      ftruncateSync(fd, written);
      earlier = undefined;
      return false;
    },
    async write(bytes) {
      writeWhole(fd, bytes, written);
      written += bytes.length;
    },
    async finish() {
      ftruncateSync(fd, written);
      await syncFile(fd);
      // Last the name: without an id an end between the two lines starts the run again.
      rmSync(id, { force: true });
      renameSync(part, target);
      // The lock goes with it, so no other run can have opened the result before it got its name.
      closeSync(fd);
    },
    abandon: async () => closeSync(fd),
  };
}

/** The text of a file of this user; undefined for anything else. */
function readOwn(path: string): string | undefined {
  const fd = openOwnFile(path);
  if (fd === undefined) return undefined;
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

/** Goes over the whole rows at the start of an unfinished result. No added text has a line break. */
class WrittenRows {
  /** Bytes of the rows that were taken. */
  bytes = 0;
  #text: ByteString = '';
  /** Where the next row is in the text. */
  #at = 0;
  readonly #piece = Buffer.allocUnsafe(PIECE_BYTES);

  constructor(
    private readonly fd: number,
    private readonly path: string,
  ) {}

  /** Whether the next row is whole. Throws ExpectedError where it is another one than that between head and tail. */
  takes(head: ByteString, tail: ByteString): boolean {
    let lineBreak = this.#text.indexOf('\n', this.#at + head.length);
    while (lineBreak === -1) {
      if (!this.#readMore()) return false;
      lineBreak = this.#text.indexOf('\n', this.#at + head.length);
    }
    const end = lineBreak + 1;
    if (!this.#text.startsWith(head, this.#at) || !this.#text.startsWith(tail, end - tail.length)) {
      throw new ExpectedError(`${this.path} has other rows than the table: start again without --resume`);
    }
    this.bytes += end - this.#at;
    this.#at = end;
    return true;
  }

  #readMore(): boolean {
    const count = readSync(this.fd, this.#piece, 0, PIECE_BYTES, this.bytes + this.#text.length - this.#at);
    this.#text = this.#text.slice(this.#at) + this.#piece.toString('latin1', 0, count);
    this.#at = 0;
    return count > 0;
  }
}

/**
 * Opens the file and locks it until it is closed: two runs would write over each other. A link or a file of another user
 * is replaced, unless the file `isContinued`. Throws ExpectedError where another run has it, or where there is no file
 * to continue. Windows and some file systems have no locks.
 */
function openAlone(part: string, isContinued: boolean): number {
  const fd =
    openOwnFile(part, isContinued ? undefined : 0o666) ?? (isContinued ? undefined : createOwnFile(part, 0o666));
  if (fd === undefined) {
    throw new ExpectedError(`${part} is gone, a link or a file of another user: start again without --resume`);
  }
  try {
    const isHeld = libc()?.tryLock(fd, 'exclusive') === 'held';
    // A run that ended just now has given its result the name it was to have: this file is that result.
    const isDone = lstatSync(part, { throwIfNoEntry: false })?.ino !== fstatSync(fd).ino;
    if (!isHeld && !isDone) return fd;
    throw new ExpectedError(`another run writes ${part}: wait until it has ended, or give --out another name`);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** A device or a pipe, which can't be continued. */
async function deviceOutput(path: string): Promise<TableOutput> {
  const file = await open(path, 'w');
  return {
    ...ANEW,
    async write(bytes) {
      for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten;
    },
    finish: () => file.close(),
    abandon: () => file.close(),
  };
}

/* The bytes of a table in UTF-8, piece by piece, from a file or from standard input. */

/** The name of standard input as the table, and of standard output as the result. */
export const STANDARD_STREAM = '-';

/** Number of bytes of a piece: some thousand rows. */
export const PIECE_BYTES = 1 << 18;

export interface TableSource {
  readonly pieces: AsyncIterable<Buffer>;
  /** Bytes of the file; undefined for a stream. */
  readonly totalBytes: number | undefined;
  /** Bytes that were read so far. */
  readonly bytesRead: () => number;
}

/** `encoding` is a name as browsers know it; undefined for UTF-8, or UTF-16 with a byte order mark. */
export function openTable(path: string, encoding: string | undefined, stdin: Readable): TableSource {
  const info = path === STANDARD_STREAM ? undefined : statSync(path);
  const file = info?.isFile() === true ? info : undefined;
  let read = 0;
  const count = (bytes: number): void => {
    read += bytes;
  };
  return {
    pieces: decodePieces(
      () => (info ? createReadStream(path, { highWaterMark: PIECE_BYTES }) : stdin),
      encoding,
      count,
    ),
    totalBytes: file?.size,
    bytesRead: () => read,
  };
}

/** Throws InvalidValueError for an encoding that is not known. */
export function checkEncoding(encoding: string): string {
  try {
    return new TextDecoder(encoding).encoding;
  } catch {
    throw new InvalidValueError(
      `no encoding is called ${JSON.stringify(encoding)}; utf-8, windows-1252 and utf-16le are some`,
    );
  }
}

async function* decodePieces(
  open: () => AsyncIterable<Buffer>,
  encoding: string | undefined,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let isFirst = true;
  for await (const piece of open()) {
    count(piece.length);
    if (isFirst) {
      const name = encoding ?? encodingByMark(piece);
      // The byte order mark stays, for programs that read the result.
      if (name !== undefined && name !== 'utf-8') decoder = new TextDecoder(name, { ignoreBOM: true });
      isFirst = false;
    }
    yield decoder === undefined ? piece : Buffer.from(decoder.decode(piece, { stream: true }));
  }
  const rest = decoder?.decode() ?? '';
  if (rest !== '') yield Buffer.from(rest);
}

function encodingByMark(start: Buffer): string | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : undefined;
}
