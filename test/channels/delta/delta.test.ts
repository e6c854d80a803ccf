/** Deltas as bytes: what is encoded is decoded, and bytes of any other kind end in an error or in other bytes. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ChannelError } from '../../../src/channels/channel-error.js';
import { DeltaDecoder } from '../../../src/channels/delta/decode-delta.js';
import {
  COPY,
  CORRECT,
  encodeSigned,
  joinDelta,
  ListWriter,
  MAX_DELTA_BYTES,
  MOVE,
} from '../../../src/channels/delta/delta-layout.js';
import { DeltaWriter } from '../../../src/channels/delta/delta-writer.js';
import { encodeDelta } from '../../../src/channels/delta/encode-delta.js';
import { matchBytes } from '../../../src/channels/delta/match-bytes.js';
import { matchNumbers } from '../../../src/channels/delta/match-numbers.js';
import { ShiftTable } from '../../../src/channels/delta/shift-table.js';
import { createTemporaryFolder } from '../../fixtures/fixture-snapshot.js';
import { createRandom } from '../../fixtures/random.mjs';

const decoder = new DeltaDecoder();
let folder: ReturnType<typeof createTemporaryFolder>;

beforeAll(() => {
  folder = createTemporaryFolder();
});
afterAll(() => folder.remove());

/** What a delta makes of a base, which lies in two ranges of its file. */
function decode(delta: Buffer, base: Buffer, length: number): Buffer {
  const path = join(folder.path, 'base');
  const half = base.length >>> 1;
  writeFileSync(
    path,
    Buffer.concat([Buffer.from('###'), base.subarray(half), Buffer.from('##'), base.subarray(0, half)]),
  );
  const ranges = [
    { offset: 3 + base.length - half + 2, length: half },
    { offset: 3, length: base.length - half },
  ];
  const fd = openSync(path, 'r');
  try {
    return Buffer.concat(Array.from(decoder.decode(delta, fd, ranges, length), (piece) => Buffer.from(piece)));
  } finally {
    closeSync(fd);
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function numbersDelta(target: Uint32Array, base: Uint32Array, start = 0): Buffer {
  const writer = new DeltaWriter();
  writer.beginSegment(target.length, true, 4 * start);
  matchNumbers(target, base, start, writer, new ShiftTable());
  return writer.end();
}

function bytesDelta(target: Buffer, base: Buffer, start = 0): Buffer {
  const writer = new DeltaWriter();
  writer.beginSegment(target.length, false, start);
  matchBytes(target, base, start, writer);
  return writer.end();
}

/** Numbers of places in random order, of which some come, some go, and the others are shifted. */
function changedNumbers(seed: number, count: number): [Uint32Array, Uint32Array] {
  const random = createRandom(seed);
  const base = Uint32Array.from({ length: count }, () => Math.floor(random() * count));
  const limits = Array.from({ length: 5 }, () => Math.floor(random() * count)).sort((a, b) => a - b);
  const target = [...base].flatMap((number) => {
    const shifted = number + limits.filter((limit) => limit <= number).length;
    const chance = random();
    if (chance < 0.005) return [];
    return chance > 0.995 ? [shifted, Math.floor(random() * 2 ** 32)] : [shifted];
  });
  return [base, Uint32Array.from(target)];
}

describe('encode → decode', () => {
  const arrays = fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { maxLength: 60 });
  const added = fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { minLength: 1, maxLength: 60 });

  test('any numbers', () => {
    fc.assert(
      fc.property(arrays, added, fc.nat(60), (before, after, start) => {
        const [base, target] = [Uint32Array.from(before), Uint32Array.from([...before, ...after, ...before])];
        const delta = numbersDelta(target, base, Math.min(start, base.length));
        expect(decode(delta, bytesOf(base), target.byteLength).equals(bytesOf(target))).toBe(true);
      }),
      { seed: 20260330 },
    );
  });

  test('any bytes', () => {
    const piece = fc.constantFrom('a', '"name":"', 'abcdefgh', '\0\0\0\0\0\0\0\0', 'ÿ');
    const [pieces, added] = [fc.array(piece, { maxLength: 40 }), fc.array(piece, { minLength: 1, maxLength: 40 })];
    fc.assert(
      fc.property(pieces, added, fc.nat(60), (before, after, start) => {
        const [base, target] = [Buffer.from(before.join('')), Buffer.from([...after, ...before].join(''))];
        const delta = bytesDelta(target, base, Math.min(start, base.length));
        expect(decode(delta, base, target.length).equals(target)).toBe(true);
      }),
      { seed: 20260330 },
    );
  });

  test.each([1, 2, 3])('numbers that are shifted take few bytes (%d)', (seed) => {
    const [base, target] = changedNumbers(seed, 50_000);
    const delta = numbersDelta(target, base);
    expect(decode(delta, bytesOf(base), target.byteLength).equals(bytesOf(target))).toBe(true);
    expect(delta.length).toBeLessThan(target.byteLength / 20);
  });

  test.each([2 ** 10, 2 ** 20, 2 ** 31])('numbers that are all shifted by %d take few bytes', (shift) => {
    const random = createRandom(6);
    let end = 0;
    const base = Uint32Array.from({ length: 10_000 }, () => {
      end += 5 + Math.floor(random() * 40);
      return end;
    });
    const target = base.map((offset, index) => (index < 1_000 ? offset : offset + shift));
    const delta = numbersDelta(target, base);
    expect(decode(delta, bytesOf(base), target.byteLength).equals(bytesOf(target))).toBe(true);
    expect(delta.length).toBeLessThan(100);
  });

  test('numbers are found again behind a long run that is new', () => {
    const [base, changed] = changedNumbers(4, 20_000);
    const fresh = Array.from({ length: 3_000 }, (_, index) => 2 ** 31 + index * 977);
    const target = Uint32Array.from([...changed.subarray(0, 5_000), ...fresh, ...changed.subarray(5_000)]);
    const delta = numbersDelta(target, base);
    expect(decode(delta, bytesOf(base), target.byteLength).equals(bytesOf(target))).toBe(true);
    expect(delta.length).toBeLessThan(4 * fresh.length + target.byteLength / 10);
  });

  test('text that moved takes few bytes, also over many pieces', () => {
    const random = createRandom(7);
    const lines = Array.from({ length: 5_000 }, (_, index) => `{"name":"Place ${index}","latitude":${random()}},`);
    const base = Buffer.from(lines.join(''));
    const target = Buffer.from([...lines.slice(2_500), 'new', ...lines.slice(0, 2_400)].join(''));
    const delta = bytesDelta(target, base);
    expect(decode(delta, base, target.length).equals(target)).toBe(true);
    expect(delta.length).toBeLessThan(100);
  });

  test('a release never names a delta that a pull refuses for its length', () => {
    const path = join(folder.path, 'literals');
    const random = createRandom(8);
    writeFileSync(
      path,
      Buffer.from(Uint32Array.from({ length: MAX_DELTA_BYTES / 4 }, () => random() * 2 ** 32).buffer),
    );
    const fd = openSync(path, 'r');
    try {
      const part = (length: number) => ({ name: 'manifest', ranges: [{ offset: 0, length }], fd });
      const lengthOf = (length: number) => encodeDelta(part(length), { offset: 0, length }, part(0))?.length;
      // 17 bytes are no literals: the head, the segment, and its only step.
      expect(lengthOf(MAX_DELTA_BYTES - 17)).toBe(MAX_DELTA_BYTES);
      expect(lengthOf(MAX_DELTA_BYTES - 16)).toBeUndefined();
    } finally {
      closeSync(fd);
    }
  });

  test('the worked example', () => {
    const delta = bytesDelta(Buffer.from('abXdef'), Buffer.from('abcdef'));
    expect(decode(delta, Buffer.from('abcdef'), 6).toString()).toBe('abXdef');
    const example = Buffer.from('05000000000000000c00100a1858', 'hex');
    expect(decode(example, Buffer.from('abcdef'), 6).toString()).toBe('abXdef');
  });
});

describe('hostile bytes', () => {
  const [base, target] = changedNumbers(5, 300);
  const text = Buffer.from('abcdefghijklmnopqrstuvwxyz'.repeat(20));
  const cases: [string, Buffer, Buffer, number][] = [
    ['numbers', numbersDelta(target, base), bytesOf(base), target.byteLength],
    ['bytes', bytesDelta(Buffer.concat([text.subarray(7), text]), text), text, 2 * text.length - 7],
  ];

  /** Whether the delta is refused; otherwise it made as many bytes as it must. */
  function isRefused(delta: Buffer, bytes: Buffer, length: number): boolean {
    try {
      expect(decode(delta, bytes, length)).toHaveLength(length);
      return false;
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      expect(error.code).toBe('DELTA_INVALID');
      return true;
    }
  }

  test.each(cases)('every truncation of %s is refused', (_, delta, bytes, length) => {
    for (let end = 0; end < delta.length; end++) expect(isRefused(delta.subarray(0, end), bytes, length)).toBe(true);
    expect(isRefused(Buffer.concat([delta, Buffer.of(0)]), bytes, length)).toBe(true);
  });

  test.each(cases)(
    'every changed byte of %s is refused, or makes bytes of the same length',
    (_, delta, bytes, length) => {
      let refused = 0;
      for (let at = 0; at < delta.length; at++) {
        for (const mask of [0x01, 0x80, 0xff]) {
          const changed = Buffer.from(delta);
          changed[at] = (changed[at] as number) ^ mask;
          if (isRefused(changed, bytes, length)) refused++;
        }
      }
      expect(refused).toBeGreaterThan(0);
    },
  );

  test('another length, or another base, is refused', () => {
    const [, delta, bytes, length] = cases[0] as (typeof cases)[0];
    expect(isRefused(delta, bytes, length - 4)).toBe(true);
    expect(isRefused(delta, bytes, length + 4)).toBe(true);
    expect(isRefused(delta, bytes.subarray(0, 40), length)).toBe(true);
    expect(isRefused(delta, Buffer.alloc(0), length)).toBe(true);
  });

  /** A delta of these numbers as steps. */
  function deltaOf(...steps: number[]): Buffer {
    const list = new ListWriter();
    for (const step of steps) list.writeVarint(step);
    return joinDelta({ steps: list.bytes, corrections: Buffer.of(0, 0), literals: Buffer.alloc(0) });
  }

  test.each([
    ['a segment of nothing', [0, 0]],
    ['a segment that is longer than the part', [2 * 11, 0, 8 * 11 + COPY]],
    ['a segment of 2^40 elements', [2 ** 41, 0, 8 * 10 + COPY]],
    ['a step beyond its segment', [2 * 10, 0, 8 * 11 + COPY]],
    ['a step of 2^38 elements', [2 * 10, 0, 2 ** 41 + COPY]],
    ['a cursor before the base', [2 * 10, encodeSigned(-1), 8 * 10 + COPY]],
    ['a cursor behind the base', [2 * 10, encodeSigned(17), 8 * 10 + COPY]],
    ['a step to before the base', [2 * 10, 0, 8 * encodeSigned(-1) + MOVE, 8 * 10 + COPY]],
    ['a copy from behind the base', [2 * 10, encodeSigned(7), 8 * 10 + COPY]],
    ['a number that begins within another', [2 * 2 + 1, encodeSigned(1), 8 * 2 + COPY]],
    ['corrections of bytes', [2 * 10, 0, 8 * 10 + CORRECT]],
    ['too few corrections', [2 * 2 + 1, 0, 8 * 3 + CORRECT]],
    ['a step of no kind', [2 * 10, 0, 8 * 10 + 7]],
    ['steps of nothing', [2 * 10, 0, ...Array.from({ length: 1_000 }, () => COPY)]],
  ])('%s', (_, steps) => {
    expect(isRefused(deltaOf(...steps), Buffer.alloc(16), 10)).toBe(true);
  });

  test('a varint without an end', () => {
    const steps = Buffer.alloc(20, 0xff);
    const delta = joinDelta({ steps, corrections: Buffer.alloc(0), literals: Buffer.alloc(0) });
    expect(isRefused(delta, Buffer.alloc(16), 10)).toBe(true);
  });
});
