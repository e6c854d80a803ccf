/** The division of snapshots into parts, and parts compressed, expanded and written: every byte once, or zero. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BLOCK_BYTES, BlockDecoder, encodeBlocks } from '../../src/channels/block-filter.js';
import {
  compressPart,
  expandPart,
  RangeWriter,
  readRanges,
  sha256Of,
  sha256OfFile,
  sha256OfRanges,
} from '../../src/channels/part-bytes.js';
import {
  lengthOf,
  MAX_PART_BYTES,
  type PlannedPart,
  planParts,
  type Range,
} from '../../src/channels/snapshot-parts.js';
import type { Header } from '../../src/format/header.js';
import type { Manifest } from '../../src/format/manifest.js';
import { COUNTRY_SECTIONS, SECTIONS } from '../../src/format/sections.js';
import { readContents, withFile } from '../../src/store/snapshot-reading.js';
import { buildSmallSnapshot, type SmallSnapshot } from '../fixtures/small-snapshot.js';

let small: SmallSnapshot;
beforeAll(async () => {
  small = await buildSmallSnapshot();
});
afterAll(() => small?.folder.remove());

/** Throws unless no byte is in two ranges and every byte outside of them is zero. */
function checkCover(parts: readonly PlannedPart[], bytes: Uint8Array): void {
  const isCovered = new Uint8Array(bytes.length);
  for (const { offset, length } of parts.flatMap(({ ranges }) => ranges)) {
    expect(offset + length).toBeLessThanOrEqual(bytes.length);
    const twice = isCovered.subarray(offset, offset + length).indexOf(1);
    if (twice !== -1) throw new Error(`the byte ${offset + twice} is in two parts`);
    isCovered.fill(1, offset, offset + length);
  }
  const lost = bytes.findIndex((byte, index) => byte !== 0 && isCovered[index] === 0);
  if (lost !== -1) throw new Error(`the byte ${lost} is in no part`);
}

test('every byte of a snapshot is in exactly one part, or is zero', () => {
  const { header, manifest } = withFile(small.path, readContents);
  const parts = planParts(header, manifest);
  checkCover(parts, small.bytes);
  expect(parts[0]?.name).toBe('manifest');
  const names = new Set(parts.map(({ name }) => name));
  const ofWorld = manifest.sections.slice(COUNTRY_SECTIONS.length).filter(({ length }) => length > 0);
  expect(names).toEqual(new Set(['manifest', 'AD', 'LI', ...ofWorld.map(({ name }) => name)]));
  // A byte that no part has is found, and so is one that two parts have.
  expect(() => checkCover(parts.slice(1), small.bytes)).toThrow('is in no part');
  expect(() => checkCover([...parts, parts[1] as PlannedPart], small.bytes)).toThrow('is in two parts');
});

/** Slices one behind the other, with padding between: the bounds of a file that nobody has to write. */
function fileOf(lengths: readonly (readonly number[])[], worldLengths: readonly number[]) {
  let end = 4096;
  const take = (length: number): Range => {
    const range = { offset: end, length };
    end += length + 64;
    return range;
  };
  const sections = COUNTRY_SECTIONS.map((name, index) => {
    const start = end;
    const slices = lengths.map((ofCountry) => take(ofCountry[index] ?? 0));
    return { name, offset: start, length: end - start, slices };
  });
  const ofWorld = worldLengths.map((length, index) => ({
    name: SECTIONS[COUNTRY_SECTIONS.length + index],
    ...take(length),
  }));
  const countries = lengths.map((_, country) => ({
    code: `X${country}`,
    slices: sections.map(({ offset, slices }) => {
      const { offset: at, length } = slices[country] as Range;
      return { offset: at - offset, length };
    }),
  }));
  const manifest = take(1000);
  return {
    header: { manifestOffset: manifest.offset, manifestLength: manifest.length } as Header,
    manifest: { countries, sections: [...sections, ...ofWorld] } as unknown as Manifest,
    bytes: lengths.flat().reduce((sum, length) => sum + length, 0) + worldLengths.reduce((sum, one) => sum + one, 0),
  };
}

test('parts are cut at their maximum length, wherever slices end', () => {
  const length = fc.oneof(
    fc.constantFrom(0, 1, MAX_PART_BYTES - 1, MAX_PART_BYTES, MAX_PART_BYTES + 1, 3 * MAX_PART_BYTES),
    fc.integer({ min: 0, max: 2 * MAX_PART_BYTES }),
  );
  const slices = fc.array(length, { minLength: COUNTRY_SECTIONS.length, maxLength: COUNTRY_SECTIONS.length });
  const world = fc.array(length, { maxLength: SECTIONS.length - COUNTRY_SECTIONS.length });
  const files = fc.tuple(fc.array(slices, { maxLength: 3 }), world);
  fc.assert(
    fc.property(files, ([lengths, worldLengths]) => {
      const { header, manifest, bytes } = fileOf(lengths, worldLengths);
      const parts = planParts(header, manifest);
      expect(parts.reduce((sum, { ranges }) => sum + lengthOf(ranges), 0)).toBe(bytes + 4096 + 1000);
      const ranges = parts.flatMap((part) => part.ranges);
      expect(ranges.every((range) => range.length > 0)).toBe(true);
      ranges.sort((a, b) => a.offset - b.offset);
      expect(ranges.every(({ offset }, index) => offset >= endOf(ranges[index - 1]))).toBe(true);
      // Only the last part of a name is shorter than a part may be.
      for (const [index, { name, ranges: own }] of parts.entries()) {
        const isCut = parts[index + 1]?.name === name;
        if (isCut) expect(lengthOf(own)).toBe(MAX_PART_BYTES);
        expect(lengthOf(own)).toBeLessThanOrEqual(MAX_PART_BYTES);
      }
    }),
    { seed: 31, numRuns: 200 },
  );
});

const endOf = (range: Range | undefined): number => (range === undefined ? 0 : range.offset + range.length);

/** Nothing, and 15 MB of zeros, as Brotli writes them. */
const EMPTY = brotliCompressSync('');
const LONG = brotliCompressSync(Buffer.alloc(MAX_PART_BYTES));

describe('the bytes of parts', () => {
  const pathOf = (name: string): string => join(small.folder.path, name);

  test('what is compressed comes out again in its ranges, whatever it is', async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 5_000 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(pieces, async (list) => {
        const ranges: Range[] = [];
        let length = 0;
        for (const piece of list.filter((one) => one.length > 0)) {
          ranges.push({ offset: length + 10, length: piece.length });
          length += piece.length + 10;
        }
        const bytes = Buffer.concat(list);
        writeFileSync(pathOf('out'), Buffer.alloc(length));
        const fd = openSync(pathOf('out'), 'r+');
        try {
          const sha256 = await expandPart([await compressPart(bytes)], new RangeWriter(fd, ranges));
          expect(sha256).toBe(sha256Of(bytes));
          expect(readRanges(fd, ranges).equals(bytes)).toBe(true);
          expect(sha256OfRanges(fd, ranges)).toBe(sha256);
          expect(await sha256OfFile(fd)).toBe(sha256Of(readFileSync(pathOf('out'))));
        } finally {
          closeSync(fd);
        }
      }),
      { seed: 31, numRuns: 50 },
    );
  });

  test('blocks and the last, shorter one come out again, in chunks of any length', () => {
    const noise = (length: number): Buffer => createHash('shake256', { outputLength: length }).update('').digest();
    const bytes = noise(BLOCK_BYTES);
    const numbers = (length: number, valueAt: (at: number) => number): Buffer =>
      Buffer.from(Uint32Array.from({ length: length / 4 + 1 }, (_, at) => valueAt(at)).buffer, 0, length);
    const kinds = [
      noise,
      (length: number) => numbers(length, (at) => bytes[at] as number),
      (length: number) => numbers(length, (at) => at * 70_001),
    ];
    const ways = new Set<number | undefined>();
    for (const length of [
      0,
      1,
      2,
      3,
      4,
      5,
      7,
      8,
      ...[1, 2].flatMap((n) => [-5, -4, -1, 0, 1, 4].map((d) => n * BLOCK_BYTES + d)),
    ]) {
      for (const block of kinds.map((make) => make(length))) {
        const encoded = encodeBlocks(block);
        ways.add(encoded[0]);
        for (const chunk of [1 << 20, BLOCK_BYTES, 1_000]) expect(decode(encoded, chunk).equals(block)).toBe(true);
      }
    }
    expect(ways).toEqual(new Set([undefined, 0, 1, 2]));
  });

  function decode(encoded: Buffer, chunk: number): Buffer {
    const decoder = new BlockDecoder();
    const blocks: Buffer[] = [];
    const take = (block: Buffer | undefined): void => void blocks.push(Buffer.from(block ?? 'unknown'));
    for (let at = 0; at < encoded.length; at += chunk) {
      for (const block of decoder.push(encoded.subarray(at, at + chunk))) take(block);
    }
    take(decoder.end());
    return Buffer.concat(blocks);
  }

  test('the reason of a signal that ends the pieces is passed on', async () => {
    const reason = new DOMException('stopped', 'AbortError');
    async function* pieces() {
      yield Buffer.of(1);
      throw reason;
    }
    writeFileSync(pathOf('out'), '');
    const fd = openSync(pathOf('out'), 'r+');
    try {
      await expect(expandPart(pieces(), new RangeWriter(fd, [{ offset: 0, length: 9 }]))).rejects.toBe(reason);
    } finally {
      closeSync(fd);
    }
  });

  test.each<[string, (compressed: Buffer) => Buffer, number]>([
    ['cut', (compressed) => compressed.subarray(0, -1), 3_000],
    ['emptied', () => Buffer.alloc(0), 3_000],
    ['no Brotli', () => Buffer.alloc(100, 0xff), 3_000],
    ['an empty text with more behind it', () => Buffer.concat([EMPTY, Buffer.alloc(200_000, 'x')]), 3_000],
    ['no Brotli, and long', () => Buffer.alloc(1_000_000, 0xff), 3_000],
    ['far longer than its ranges', () => LONG, 3_000],
    ['longer than its ranges', (compressed) => compressed, 2_999],
    ['shorter than its ranges', (compressed) => compressed, 3_001],
  ])('a part that is %s is refused, and nothing is written outside its ranges', async (_, change, length) => {
    const compressed = change(await compressPart(Buffer.alloc(3_000, 'part')));
    writeFileSync(pathOf('out'), Buffer.alloc(5_000));
    const fd = openSync(pathOf('out'), 'r+');
    try {
      expect(await expandPart([compressed], new RangeWriter(fd, [{ offset: 1_000, length }]))).toBeUndefined();
    } finally {
      closeSync(fd);
    }
    const written = readFileSync(pathOf('out'));
    expect(written.length).toBe(5_000);
    expect(
      Buffer.concat([written.subarray(0, 1_000), written.subarray(1_000 + length)]).every((byte) => byte === 0),
    ).toBe(true);
  });

  test('the longest part is under 16 MB, also where nothing can be compressed', async () => {
    const bytes = Buffer.alloc(MAX_PART_BYTES);
    // xorshift32: no pattern that Brotli finds.
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    let state = 31;
    for (let index = 0; index < words.length; index++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      words[index] = state;
    }
    const { length } = await compressPart(bytes);
    expect(length).toBeGreaterThan(MAX_PART_BYTES * 0.99);
    expect(length).toBeLessThan(16_000_000);
  });
});
