/**
 * What the builders of structures share: the slices of the countries in a section of a snapshot file, which may still be
 * incomplete; starts of parts; and a growing text.
 */

import type { CountryEntry, Section } from '../../src/core/snapshot/manifest.js';
import type { CountrySectionName } from '../../src/core/snapshot/sections.js';
import { readSlice } from '../../src/core/snapshot/snapshot-file.js';

export interface CountrySlice {
  /** The country's number in the manifest. */
  readonly country: number;
  readonly bytes: Uint8Array;
  /** The name of the slice, for errors. */
  readonly where: string;
}

export interface CountryContents {
  readonly countries: readonly CountryEntry[];
  readonly sections: readonly Section[];
}

/** The slice of each country with data, in the order of countries, read when it is asked for. */
export function* readCountrySlices(
  fd: number,
  { countries, sections }: CountryContents,
  name: CountrySectionName,
): Generator<CountrySlice> {
  for (const [country, entry] of countries.entries()) {
    if (entry.slices.length === 0) continue;
    yield { country, bytes: readSlice(fd, sections, entry, name), where: `${name} of ${entry.code}` };
  }
}

/** The start of each part in the concatenation of parts with these lengths, and the end of the last part. */
export function startsOf(lengths: ArrayLike<number>): Uint32Array {
  const starts = new Uint32Array(lengths.length + 1);
  for (let at = 0; at < lengths.length; at++) starts[at + 1] = (starts[at] as number) + (lengths[at] as number);
  return starts;
}

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
