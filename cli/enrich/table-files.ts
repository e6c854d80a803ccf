/**
 * Where a table comes from, where its result goes, and what is counted on the way. A file appears under its name when it is complete; until then it is `<name>.part`, beside it
 * `<name>.part.json` with the state of the last checkpoint. A checkpoint is written when everything before it is on disk,
 * so after an end at any moment the file has at least the bytes of the state: what stands behind them is cut off.
 */

import { once } from 'node:events';
import {
  closeSync,
  createReadStream,
  existsSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { ExpectedError, InvalidValueError } from '../../src/base/errors.js';
import { createOwnFile, libc, openOwnFile, syncFile } from '../../src/base/own-file.js';
import { writeWhole } from '../../src/releases/partial-file.js';
import type { Match } from './finders.js';
import { copyText } from './table-rows.js';

const syncData = promisify(fdatasync);

/* Counts the rows of a table by how they were found, and which misses are frequent. Its size does not grow with the table. */

/** Maximum number of different misses that are counted; when it is reached, the rarer half of them is dropped. */
const MAX_MISSES = 10_000;
/** Maximum length of a miss in characters. */
const MAX_MISS_LENGTH = 60;
const SHOWN_MISSES = 10;

export interface TallyState {
  readonly counts: Readonly<Record<string, number>>;
  readonly misses: readonly (readonly [string, number])[];
  /** By code of a country without data, its rows. */
  readonly absent: readonly (readonly [string, number])[];
}

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

  constructor(state?: TallyState) {
    if (state === undefined) return;
    Object.assign(this.#counts, state.counts);
    this.#misses = new Map(state.misses);
    for (const [code, count] of state.absent) this.#absent.set(code, count);
  }

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

  get state(): TallyState {
    return { counts: this.#counts, misses: [...this.#misses], absent: [...this.#absent] };
  }

  #sortedMisses(): [string, number][] {
    return [...this.#misses].sort((a, b) => b[1] - a[1]);
  }
}

export interface Checkpoint {
  /** Stands for the table, the data and the options: all that the result depends on. */
  readonly fingerprint: string;
  /** Bytes of the table that are done. */
  readonly consumed: number;
  /** Bytes of the result. */
  readonly written: number;
  readonly tally: TallyState;
}

export interface TableOutput {
  /** Waits while the bytes can't be taken. */
  write(bytes: Buffer): Promise<void>;
  /** Undefined where the result can't be continued. */
  readonly checkpoint: ((state: Omit<Checkpoint, 'written'>) => Promise<void>) | undefined;
  /** The result is complete. */
  finish(): Promise<void>;
  /** Ends an incomplete result, which can be continued. */
  abandon(): Promise<void>;
}

export function streamOutput(stream: Writable): TableOutput {
  return {
    async write(bytes) {
      if (!stream.write(bytes)) await once(stream, 'drain');
    },
    checkpoint: undefined,
    finish: async () => undefined,
    abandon: async () => undefined,
  };
}

/** Paths of a result: through links, so that a link stays one. */
export function outputPaths(out: string): { target: string; part: string; state: string; isFile: boolean } {
  const target = existsSync(out) ? realpathSync(out) : out;
  const isFile = statSync(target, { throwIfNoEntry: false })?.isFile() ?? true;
  return { target, part: `${target}.part`, state: `${target}.part.json`, isFile };
}

/** The state of an interrupted run; undefined if there is none. Throws ExpectedError if it is of another run. */
export function readCheckpoint(out: string, fingerprint: string): Checkpoint | undefined {
  const { part, state } = outputPaths(out);
  const partBytes = statSync(part, { throwIfNoEntry: false })?.size;
  if (partBytes === undefined || lstatSync(state, { throwIfNoEntry: false }) === undefined) return undefined;
  const fd = openOwnFile(state);
  if (fd === undefined) {
    throw new ExpectedError(`${state} is a link or a file of another user: start again without --resume`);
  }
  const checkpoint = parseCheckpoint(readAndClose(fd));
  if (checkpoint === undefined) throw new ExpectedError(`${state} is damaged: start again without --resume`);
  if (checkpoint.fingerprint !== fingerprint) {
    throw new ExpectedError(
      `${part} was made from another table or before it was changed, from other data or with other options: start again without --resume`,
    );
  }
  if (partBytes < checkpoint.written) throw new ExpectedError(`${part} is cut off: start again without --resume`);
  return checkpoint;
}

function readAndClose(fd: number): string {
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

function parseCheckpoint(text: string): Checkpoint | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Checkpoint) : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** Begins the file, or continues it from a checkpoint. */
export async function fileOutput(out: string, from: Checkpoint | undefined): Promise<TableOutput> {
  const { target, part, state, isFile } = outputPaths(out);
  if (!isFile) return await deviceOutput(target);
  const fd = openAlone(part, from !== undefined);
  if (from === undefined) rmSync(state, { force: true });
  let written = from?.written ?? 0;
  ftruncateSync(fd, written);
  return {
    async write(bytes) {
      writeWhole(fd, bytes, written);
      written += bytes.length;
    },
    async checkpoint(reached) {
      await syncData(fd);
      const next = `${state}.tmp`;
      // Synced before its name leads to it: a machine that stops leaves this state or the one before.
      const nextFd = createOwnFile(next, 0o666);
      try {
        writeFileSync(nextFd, JSON.stringify({ ...reached, written } satisfies Checkpoint));
        fsyncSync(nextFd);
      } finally {
        closeSync(nextFd);
      }
      renameSync(next, state);
    },
    async finish() {
      await syncFile(fd);
      // Last the name: without a state an end between the two lines starts the run again.
      rmSync(state, { force: true });
      renameSync(part, target);
      // The lock goes with it, so no other run can have opened the result before it got its name.
      closeSync(fd);
    },
    abandon: async () => closeSync(fd),
  };
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
    async write(bytes) {
      for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten;
    },
    checkpoint: undefined,
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
  /** Differs for another table, as far as that is known before it is read: for another file, or for one that was changed. */
  readonly identity: string;
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
    identity: [encoding, file?.size, file?.mtimeMs].join(' '),
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
