/**
 * Where a text in UTF-8 is put together: in one string, which Node sends together with the head of a response, or in
 * one Buffer, which takes much of a snapshot without making strings of it.
 */
import { type ByteString, readBytes } from './byte-string.js';
import { sliceOf } from './mapped-numbers.js';

export interface ByteSink {
  add(text: ByteString): void;
  /** Adds the bytes of which readBytes makes a text. */
  addBytes(bytes: Buffer, start: number, end: number, most: number): void;
}

export class TextSink implements ByteSink {
  text: ByteString = '';

  add(text: ByteString): void {
    this.text += text;
  }

  addBytes(bytes: Buffer, start: number, end: number, most: number): void {
    this.text += readBytes(bytes, start, end, most);
  }
}

/** Maximum number of characters that a loop puts into a Buffer faster than Node does. */
const MAX_LOOP_CHARACTERS = 16;

/** A Buffer that grows as needed. */
export class BufferSink implements ByteSink {
  #bytes: Buffer;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
  }

  get length(): number {
    return this.#length;
  }

  get capacity(): number {
    return this.#bytes.length;
  }

  /** What was added: a view, which is wrong from the next call of a method on. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  add(text: ByteString): void {
    this.#reserve(text.length);
    if (text.length > MAX_LOOP_CHARACTERS) {
      this.#length += this.#bytes.write(text, this.#length, 'latin1');
      return;
    }
    for (let at = 0; at < text.length; at++) this.#bytes[this.#length++] = text.charCodeAt(at);
  }

  addBytes(bytes: Buffer, start: number, end: number, most: number): void {
    this.addSlice(sliceOf(bytes, start, end, most));
  }

  addSlice(slice: Uint8Array): void {
    this.#reserve(slice.length);
    this.#bytes.set(slice, this.#length);
    this.#length += slice.length;
  }

  /** Takes back what is behind the first `length` bytes. */
  truncate(length: number): void {
    this.#length = length;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const bytes = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    bytes.set(this.bytes);
    this.#bytes = bytes;
  }
}
