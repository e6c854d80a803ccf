/**
 * Splits chunks of bytes into lines, numbered from 1, without line ends, blank lines and the byte order mark of the
 * first line. A line longer than any row is truncated, so that a file with one endless line costs no memory.
 */

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
