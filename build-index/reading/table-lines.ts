/**
 * Reads a table line by line, from a text file or from the zip archive with that text file. Lines are numbered from 1 and
 * come without line ends; blank lines and a byte order mark are left out. A line longer than any row is truncated, so
 * that a file with one endless line costs no memory.
 */

import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { INPUT_LIMITS, measureInput, openInput, tooLargeInput, unreadableInput } from './input-file.js';
import { ReleaseError } from './release-error.js';
import { listZipEntries, readZipEntry, textNameOfZip } from './zip-archive.js';

/** Maximum length of a row of a postal file, in UTF-16 units: many times the longest row of any release. */
export const MAX_LINE_LENGTH = 10_000;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

export class LineSplitter {
  /** The parts of the current line in earlier chunks. */
  private rest: Buffer[] = [];
  private restBytes = 0;
  private lineNumber = 0;
  private readonly maxKeptBytes: number;

  /**
   * `take` gets a view of a chunk or, for a line across chunks, a copy. `maxLineLength` is the maximum length of a row,
   * in UTF-16 units.
   */
  constructor(
    private readonly take: (line: Buffer, lineNumber: number) => void,
    maxLineLength = MAX_LINE_LENGTH,
  ) {
    // A UTF-16 unit has at most three bytes in UTF-8, so a truncated line is still longer than `maxLineLength`.
    this.maxKeptBytes = 3 * maxLineLength + 3;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.endLine(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start === chunk.length || this.restBytes > this.maxKeptBytes) return;
    this.rest.push(Buffer.from(chunk.subarray(start, start + this.maxKeptBytes + 1)));
    this.restBytes += chunk.length - start;
  }

  /** To be called once, after the last chunk. */
  end(): void {
    this.endLine(Buffer.alloc(0));
  }

  private endLine(last: Buffer): void {
    const line = this.rest.length === 0 ? last : Buffer.concat([...this.rest, last]);
    this.rest = [];
    this.restBytes = 0;
    this.lineNumber++;
    const isMarked = this.lineNumber === 1 && line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    const start = isMarked ? BYTE_ORDER_MARK.length : 0;
    const end = line[line.length - 1] === CARRIAGE_RETURN ? line.length - 1 : line.length;
    if (end > start) this.take(line.subarray(start, end), this.lineNumber);
  }
}

/** A file with rows: a text file, or a text file in a zip archive. */
export interface RowFile {
  readonly path: string;
  /** The name of the text file, for reports: "DE.txt". */
  readonly textName: string;
  /** The length of the unpacked text. */
  readonly textBytes: number;
}

interface FoundTable {
  readonly file: RowFile;
  /** "YYYY-MM-DD"; null for a text file, or a zip archive without a date. */
  readonly date: string | null;
  /** The other files in the zip archive. */
  readonly besides: readonly RowFile[];
}

export async function lookUpTable(path: string): Promise<FoundTable> {
  const textName = textNameOfZip(basename(path));
  if (!path.endsWith('.zip')) {
    const textBytes = measureInput(path, INPUT_LIMITS.textBytes);
    return { file: { path, textName, textBytes }, date: null, besides: [] };
  }
  const [{ date, bytes: textBytes }, ...others] = await listZipEntries(path, textName);
  const besides = others.map(({ name, bytes }) => ({ path, textName: name, textBytes: bytes }));
  return { file: { path, textName, textBytes }, date, besides };
}

/**
 * Calls `take` with each line that is not blank and its number, in order. A line much longer than `maxLineLength`
 * UTF-16 units is truncated.
 */
export async function readLines(
  file: RowFile,
  take: (line: Buffer, lineNumber: number) => void,
  maxLineLength = MAX_LINE_LENGTH,
): Promise<void> {
  const splitter = new LineSplitter(take, maxLineLength);
  await readChunks(file, (chunk) => splitter.push(chunk));
  splitter.end();
}

async function readChunks(file: RowFile, take: (chunk: Buffer) => void): Promise<void> {
  if (file.path.endsWith('.zip')) return await readZipEntry(file.path, file.textName, take);
  const { fd } = openInput(file.path, INPUT_LIMITS.textBytes);
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(file.path, { fd, highWaterMark: 1 << 18 })) {
      bytes += (chunk as Buffer).length;
      // Another process may append to the file.
      if (bytes > INPUT_LIMITS.textBytes) throw tooLargeInput(file.path, bytes, INPUT_LIMITS.textBytes);
      take(chunk as Buffer);
    }
  } catch (error) {
    throw error instanceof ReleaseError ? error : unreadableInput(file.path, error);
  }
}
