/** A byte buffer for appending text. It doubles when full, so that each byte is copied about once. */
export class GrowingBytes {
  private buffer: Buffer;
  length = 0;

  constructor(expectedLength: number) {
    this.buffer = Buffer.allocUnsafe(Math.max(expectedLength, 1024));
  }

  /** Appends `text` as UTF-8. Returns the number of its bytes. */
  append(text: string): number {
    if (this.length + text.length * 3 > this.buffer.length) {
      const larger = Buffer.allocUnsafe(this.buffer.length * 2 + text.length * 3);
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    const byteLength = this.buffer.write(text, this.length, 'utf8');
    this.length += byteLength;
    return byteLength;
  }

  /** The bytes appended so far: a view, valid until the next append. */
  bytes(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }
}
