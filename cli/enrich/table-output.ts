/**
 * Where the result of a table goes. A file appears under its name when it is complete; until then it is `<name>.part`,
 * beside it `<name>.part.id` that stands for data and options. A run that goes on after an end at any moment compares the
 * whole rows of that file with the table, and adds the others.
 */

import { once } from 'node:events';
import {
  closeSync,
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
import type { Writable } from 'node:stream';
import { replaceFile, syncFile, writeWhole } from '../../src/base/durable-files.js';
import { ExpectedError } from '../../src/base/errors.js';
import { libc } from '../../src/base/libc.js';
import { createOwnFile, openOwnFile } from '../../src/base/own-file.js';
import type { ByteString } from '../../src/core/snapshot/byte-string.js';
import { PIECE_BYTES } from './table-input.js';

export interface TableOutput {
  /** Whether it goes on with what an interrupted run wrote. */
  readonly isResumed: boolean;
  /**
   * Whether the interrupted run wrote this row, with something between its head and its tail: then it is not written
   * again. Another row in its place ends the run.
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
 * all that the result depends on besides the rows: another one ends the run.
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

  /** Whether the next row is whole. It must be that between head and tail. */
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
 * is replaced, unless the file `isContinued`. Windows and some file systems have no locks.
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
