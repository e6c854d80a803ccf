/**
 * Chunks of bytes → lines of text, numbered from 1. Bytes that are no UTF-8 come out as U+FFFD, by which parseRow
 * knows them. A line without an end is cut at MAX_KEPT characters, so that a file of one endless line costs no memory.
 */
import { StringDecoder } from 'node:string_decoder';

const MAX_KEPT = 20_000;

export class LineSplitter {
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';
  private lineNumber = 0;

  constructor(private readonly take: (line: string, lineNumber: number) => void) {}

  push(chunk: Buffer): void {
    this.split(this.decoder.write(chunk));
  }

  /** To be called once, behind the last chunk. */
  end(): void {
    this.split(this.decoder.end());
    if (this.rest !== '') this.emit(this.rest);
    this.rest = '';
  }

  private split(text: string): void {
    const lines = text.split('\n');
    lines[0] = this.rest + lines[0];
    const last = lines.pop() as string;
    this.rest = last.length > MAX_KEPT ? last.slice(0, MAX_KEPT) : last;
    for (const line of lines) this.emit(line);
  }

  private emit(line: string): void {
    this.lineNumber++;
    const start = this.lineNumber === 1 && line.startsWith('\ufeff') ? 1 : 0;
    const end = line.endsWith('\r') ? line.length - 1 : line.length;
    if (end > start) this.take(start === 0 && end === line.length ? line : line.slice(start, end), this.lineNumber);
  }
}
