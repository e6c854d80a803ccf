/** UTF-8 in strings of one character for each byte: the form in which text of a snapshot is sent. */

import { arraySliceOf } from './array-bundle.js';

/**
 * UTF-8 in a string with one character for each byte, which Web IDL calls a ByteString and Node "latin1". All text of a
 * snapshot that is sent unchanged has this form: its length is its length on the wire, texts are joined by `+`, and
 * Node sends one string, head and body together, in less time than it takes to create a few views. Decode it before
 * parsing.
 */
export type ByteString = string;

/**
 * The bytes from `start` up to but not including `end`, at most `most` bytes, and none outside of `bytes`. Empty if the
 * end is before the start.
 */
export function readByteString(bytes: Buffer, start: number, end: number, most: number): ByteString {
  return bytes.toString('latin1', start, Math.min(end, start + most));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

/** The UTF-8 of a text. ASCII, which most texts are, is its own ByteString: no Buffer is needed. */
export function encodeUtf8(text: string): ByteString {
  if (ASCII.test(text)) return text;
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Matches text that JSON writes as it is. */
const NEEDS_NO_ESCAPE = /^[\w -]*$/;

/** The text as a JSON string. Most postal codes need no escape, and so no JSON.stringify. */
export function jsonByteString(text: string): ByteString {
  return NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : encodeUtf8(JSON.stringify(text));
}

/** The bytes in an array. For short texts this takes a fraction of the time of Buffer.from. */
export function bytesOf(text: ByteString): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

export function decodeUtf8(bytes: ByteString): string {
  if (ASCII.test(bytes)) return bytes;
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/*
 * Where a text in UTF-8 is put together: in one string, which Node sends together with the head of a response, or in
 * one Buffer, which takes much of a snapshot without making strings of it.
 */

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
    this.text += readByteString(bytes, start, end, most);
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
    this.addSlice(arraySliceOf(bytes, start, end, most));
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
