/**
 * A damaged file is always a SnapshotError, never another error and never a snapshot: truncations and flipped bytes
 * everywhere in a small snapshot are tried, and each way in which a file can be something else.
 */

import { constants } from 'node:buffer';
import { closeSync, ftruncateSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SnapshotWriter } from '../../build-index/building/snapshot-writer.js';
import { verifySnapshot } from '../../build-index/verifying/verify-snapshot.js';
import { checksumOf } from '../../src/core/snapshot/checksum.js';
import { decodeHeader, encodeHeader, HEADER_BYTES, MAX_SNAPSHOT_BYTES } from '../../src/core/snapshot/header.js';
import { FORMAT_VERSION } from '../../src/core/snapshot/sections.js';
import { decodeSnapshot, openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { manifestOf, replaceManifest, withManifestBytes } from '../fixtures/damage.js';
import { poolHere } from '../fixtures/pool-here.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import { buildSmallSnapshot, type SmallSnapshot } from '../fixtures/small-snapshot.js';

const pool = poolHere;
let small: SmallSnapshot;
let target: string;
const { stackTraceLimit } = Error;
beforeAll(async () => {
  // A hundred thousand errors are made below, and nobody reads where.
  Error.stackTraceLimit = 0;
  small = await buildSmallSnapshot();
  target = join(small.folder.path, 'damaged.snapshot');
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
  small?.folder.remove();
});

/** The outcome of `act`: the code of a SnapshotError, 'sound', or any other error itself. */
async function outcomeOf(act: () => unknown): Promise<unknown> {
  try {
    await act();
    return 'sound';
  } catch (error) {
    if (!(error instanceof SnapshotError)) return error;
    const isComplete = error.expected !== '' && error.found !== '' && error.remedy !== '';
    return isComplete ? error.code : `${error.code} without expected, found or remedy`;
  }
}

const verify = (path: string): Promise<unknown> => outcomeOf(() => verifySnapshot(path, pool, silentProgress));
const decode = (bytes: Uint8Array): Promise<unknown> => outcomeOf(() => decodeSnapshot(bytes, false));
const open = (path: string): Promise<unknown> => outcomeOf(() => openSnapshot(path));

/** Whether the byte at an offset of the small snapshot is tried: one in 23, of padding one in 97. */
function triedBytes(): (at: number) => boolean {
  const { manifestOffset } = decodeHeader(small.bytes.subarray(0, HEADER_BYTES), small.bytes.length);
  const used = new Uint8Array(small.bytes.length).fill(1, 0, 48).fill(1, manifestOffset);
  for (const { offset, length } of manifestOf(small.bytes).sections) used.fill(1, offset, offset + length);
  return (at) => at % (used[at] === 1 ? 23 : 97) === 0;
}

/** Each distinct outcome with the first place it occurred at. */
class Outcomes {
  private readonly firstAt = new Map<unknown, string>();

  add(outcome: unknown, at: string): void {
    const key = outcome instanceof Error ? (outcome.stack ?? outcome.message) : outcome;
    if (!this.firstAt.has(key)) this.firstAt.set(key, at);
  }

  get seen(): Record<string, string> {
    return Object.fromEntries(this.firstAt) as Record<string, string>;
  }
}

test('the small snapshot itself is sound', async () => {
  expect(await verify(small.path)).toBe('sound');
  expect(openSnapshot(small.path).countries.map(({ entry }) => entry.code)).toEqual(['AD', 'LI', 'MC']);
});

test('every truncation is refused', async () => {
  const isTried = triedBytes();
  const decoded = new Outcomes();
  const verified = new Outcomes();
  writeFileSync(target, small.bytes);
  const fd = openSync(target, 'r+');
  for (let length = small.bytes.length - 1; length >= 0; length--) {
    if (!isTried(length) && length > HEADER_BYTES) continue;
    decoded.add(await decode(small.bytes.subarray(0, length)), `${length} bytes`);
    ftruncateSync(fd, length);
    verified.add(await verify(target), `${length} bytes`);
    // Each opening maps the file, and the system allows some thousands of mappings at a time.
    if (length % 97 === 0 || length < 100) decoded.add(await open(target), `${length} bytes, opened`);
  }
  closeSync(fd);
  const refusals = ['FILE_TOO_SHORT', 'LENGTH_MISMATCH'];
  expect(Object.keys(decoded.seen).sort()).toEqual(refusals);
  expect(Object.keys(verified.seen).sort()).toEqual(refusals);
});

test('every flipped byte is refused by verify, and by opening with nothing but a SnapshotError', async () => {
  const isTried = triedBytes();
  const decoded = new Outcomes();
  const verified = new Outcomes();
  const copy = Uint8Array.from(small.bytes);
  writeFileSync(target, copy);
  const fd = openSync(target, 'r+');
  for (let at = 0; at < copy.length; at++) {
    if (!isTried(at) && at > HEADER_BYTES) continue;
    const sound = copy[at] as number;
    copy[at] = sound ^ (1 << (at % 8));
    writeSync(fd, copy, at, 1, at);
    verified.add(await verify(target), `byte ${at}`);
    decoded.add(await decode(copy), `byte ${at}`);
    copy[at] = sound;
    writeSync(fd, copy, at, 1, at);
  }
  closeSync(fd);
  expect(await verify(target)).toBe('sound');
  expect(Object.keys(verified.seen).sort()).toEqual([
    'FORMAT_VERSION',
    'HEADER_DAMAGED',
    'MANIFEST_DAMAGED',
    'NOT_A_SNAPSHOT',
    'PADDING_NOT_ZERO',
    'SECTION_DAMAGED',
  ]);
  // Opening reads no contents, so most of the sections' bytes make no difference to it.
  expect(Object.keys(decoded.seen).sort()).toEqual([
    'FORMAT_VERSION',
    'HEADER_DAMAGED',
    'MANIFEST_DAMAGED',
    'NOT_A_SNAPSHOT',
    'PADDING_NOT_ZERO',
    'STRUCTURE_INVALID',
    'sound',
  ]);
});

test('a changed byte of the manifest under right checksums is at worst a SnapshotError', async () => {
  const { manifestOffset } = decodeHeader(small.bytes.subarray(0, HEADER_BYTES), small.bytes.length);
  const manifest = small.bytes.subarray(manifestOffset);
  const outcomes = new Outcomes();
  for (let at = 0; at < manifest.length; at++) {
    for (const change of [0x01, 0x80]) {
      const changed = Uint8Array.from(manifest);
      changed[at] = (changed[at] as number) ^ change;
      const file = withManifestBytes(small.bytes, changed);
      outcomes.add(await decode(file), `manifest byte ${at} ^ ${change}`);
      if (change !== 0x80 || at % 5 !== 0) continue;
      writeFileSync(target, file);
      outcomes.add(await verify(target), `manifest byte ${at} ^ ${change}, verified`);
    }
  }
  const { sound, ...refused } = outcomes.seen;
  expect(typeof sound).toBe('string');
  const codes = [
    'FOLDING_VERSION',
    'MANIFEST_DAMAGED',
    'SECTION_DAMAGED',
    'SECTION_TABLE_INVALID',
    'STRUCTURE_INVALID',
  ];
  expect(Object.entries(refused).filter(([code]) => !codes.includes(code))).toEqual([]);
});

describe('a file that is no snapshot of ours', () => {
  /** The header page with `change` made and its checksum right again. */
  function withHeader(change: (view: DataView) => void): Uint8Array {
    const bytes = Uint8Array.from(small.bytes);
    const view = new DataView(bytes.buffer);
    change(view);
    view.setUint32(44, checksumOf(bytes.subarray(0, 44)), true);
    return bytes;
  }
  const withSection = (index: number, change: (section: { offset: number; length: number }) => object): Uint8Array =>
    replaceManifest(small.bytes, (manifest) => ({
      ...manifest,
      sections: manifest.sections.map((section, at) => (at === index ? { ...section, ...change(section) } : section)),
    }));
  const withSlice = (change: (slice: { offset: number; length: number }) => object): Uint8Array =>
    replaceManifest(small.bytes, (manifest) => ({
      ...manifest,
      countries: manifest.countries.map((entry) =>
        entry.code === 'LI'
          ? { ...entry, slices: entry.slices.map((slice, at) => (at === 1 ? { ...slice, ...change(slice) } : slice)) }
          : entry,
      ),
    }));

  test.each<[string, () => Uint8Array, string]>([
    ['another magic', () => Buffer.concat([Buffer.from('PK\x03\x04'), small.bytes.subarray(4)]), 'NOT_A_SNAPSHOT'],
    ['a page of zeros', () => new Uint8Array(HEADER_BYTES), 'NOT_A_SNAPSHOT'],
    ['a short text', () => Buffer.from('{"release":"2026"}'), 'FILE_TOO_SHORT'],
    ['an empty file', () => new Uint8Array(0), 'FILE_TOO_SHORT'],
    ['a newer version', () => withHeader((view) => view.setUint32(8, FORMAT_VERSION + 1, true)), 'FORMAT_VERSION'],
    ['an older version', () => withHeader((view) => view.setUint32(8, FORMAT_VERSION - 1, true)), 'FORMAT_VERSION'],
    ['bytes behind the end', () => Buffer.concat([small.bytes, new Uint8Array(1)]), 'LENGTH_MISMATCH'],
    ['a manifest beyond the end', () => withHeader((view) => view.setBigUint64(24, 1n << 40n, true)), 'HEADER_DAMAGED'],
    ['a manifest in the header', () => withHeader((view) => view.setBigUint64(24, 0n, true)), 'HEADER_DAMAGED'],
    ['an empty manifest', () => withManifestBytes(small.bytes, new Uint8Array(0)), 'MANIFEST_DAMAGED'],
    ['another folding', () => replaceManifest(small.bytes, (m) => ({ ...m, foldingVersion: 99 })), 'FOLDING_VERSION'],
    ['a section outside the file', () => withSection(9, () => ({ length: 1 << 30 })), 'SECTION_TABLE_INVALID'],
    ['a section far outside', () => withSection(9, () => ({ offset: 2 ** 52 })), 'SECTION_TABLE_INVALID'],
    [
      'overlapping sections',
      () => withSection(1, ({ offset }) => ({ offset: offset - 4096 })),
      'SECTION_TABLE_INVALID',
    ],
    ['a section over the next', () => withSection(1, () => ({ length: 4097 })), 'SECTION_TABLE_INVALID'],
    ['a section of another name', () => withSection(1, () => ({ name: 'place-answers' })), 'SECTION_TABLE_INVALID'],
    [
      'a missing section',
      () => replaceManifest(small.bytes, (m) => ({ ...m, sections: m.sections.slice(1) })),
      'SECTION_TABLE_INVALID',
    ],
    ['a slice outside its section', () => withSlice(() => ({ length: 1 << 20 })), 'SECTION_TABLE_INVALID'],
    ['overlapping slices', () => withSlice(() => ({ offset: 0 })), 'SECTION_TABLE_INVALID'],
    ['a slice cut short', () => withSlice(({ length }) => ({ length: length - 8 })), 'SECTION_TABLE_INVALID'],
    [
      'countries in disorder',
      () => replaceManifest(small.bytes, (m) => ({ ...m, countries: m.countries.toReversed() })),
      'MANIFEST_DAMAGED',
    ],
  ])('%s', async (_, make, code) => {
    writeFileSync(target, make());
    expect(await open(target)).toBe(code);
    expect(await verify(target)).toBe(code);
  });

  /** The small snapshot's sections, nothing behind them that a disk would hold, and its manifest at the very end. */
  function writeSparse(fileLength: number): void {
    const { manifestOffset, manifestLength, manifestChecksum } = decodeHeader(
      small.bytes.subarray(0, HEADER_BYTES),
      small.bytes.length,
    );
    const movedTo = Math.floor((fileLength - manifestLength) / HEADER_BYTES) * HEADER_BYTES;
    const header = { fileLength: movedTo + manifestLength, manifestOffset: movedTo, manifestLength, manifestChecksum };
    writeFileSync(target, small.bytes.subarray(0, manifestOffset));
    const fd = openSync(target, 'r+');
    writeSync(fd, encodeHeader(header), 0, HEADER_BYTES, 0);
    writeSync(fd, small.bytes, manifestOffset, manifestLength, movedTo);
    closeSync(fd);
  }

  test('a file longer than a buffer can be is refused before it is mapped, and the longest one opens', async () => {
    expect(constants.MAX_LENGTH).toBeGreaterThanOrEqual(MAX_SNAPSHOT_BYTES);
    try {
      writeSparse(MAX_SNAPSHOT_BYTES);
      expect(openSnapshot(target).countryByCode.get('AD')?.structures?.tree.placeCount).toBeGreaterThan(5);
      for (const gibibytes of [4.0001, 5, 64]) {
        writeSparse(gibibytes * 2 ** 30);
        expect(await open(target)).toBe('FILE_TOO_LONG');
        expect(await verify(target)).toBe('FILE_TOO_LONG');
      }
      writeFileSync(target, small.bytes);
      truncateSync(target, 5 * 2 ** 30);
      expect(await open(target)).toBe('LENGTH_MISMATCH');
      writeFileSync(target, new Uint8Array(0));
      truncateSync(target, 5 * 2 ** 30);
      expect(await open(target)).toBe('NOT_A_SNAPSHOT');
    } finally {
      rmSync(target);
    }
  });

  test('a manifest that is most of the file is refused before it is read', async () => {
    const { manifestChecksum } = decodeHeader(small.bytes.subarray(0, HEADER_BYTES), small.bytes.length);
    const fileLength = MAX_SNAPSHOT_BYTES;
    const manifestLength = fileLength - HEADER_BYTES;
    writeFileSync(target, encodeHeader({ fileLength, manifestOffset: HEADER_BYTES, manifestLength, manifestChecksum }));
    truncateSync(target, fileLength);
    expect(await open(target)).toBe('HEADER_DAMAGED');
    expect(await verify(target)).toBe('HEADER_DAMAGED');
    rmSync(target);
  });

  test('the builder writes no file that could not be opened', () => {
    const fd = openSync(target, 'w+');
    try {
      const section = new SnapshotWriter(fd).beginSection('place-answers');
      section.append([new Uint8Array(100)]);
      // Stands for bytes of this length, of which none may be looked at.
      const tooMany = { length: MAX_SNAPSHOT_BYTES } as Uint8Array;
      expect(() => section.append([tooMany])).toThrow(expect.objectContaining({ code: 'FILE_TOO_LONG' }));
    } finally {
      closeSync(fd);
    }
  });

  test('a folder, a missing file, a name that no file can have', async () => {
    for (const path of [small.folder.path, join(small.folder.path, 'absent'), join(small.path, 'below'), 'nul\0byte']) {
      expect(await open(path)).toBe('FILE_UNREADABLE');
      expect(await verify(path)).toBe('FILE_UNREADABLE');
    }
  });

  test('a header that a build cut short has not written yet', async () => {
    const unfinished = Uint8Array.from(small.bytes).fill(0, 0, HEADER_BYTES);
    expect(await decode(unfinished)).toBe('NOT_A_SNAPSHOT');
  });
});
