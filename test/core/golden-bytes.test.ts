/**
 * Golden bytes of a whole file: writer and reader share their code, so a fault that both have shows only here. What is
 * compared is the smallest snapshot and the worked examples of docs/contributing/snapshot-format.md, with constants. Where
 * a constant changes, files have another format version: see Versions there. Only sections with facts of countries
 * (name-index, place-contexts, place-facts, country-answers, world-name-index) also change with the tables in data/.
 */

import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readResponseData } from '../../src/core/answers/response-data.js';
import { service } from '../../src/core/answers/service.js';
import { foldText } from '../../src/core/snapshot/fold-text.js';
import { hashBytes } from '../../src/core/snapshot/hash-table.js';
import { hashNameEntries } from '../../src/core/snapshot/name-index.js';
import { readPathField } from '../../src/core/snapshot/place-fields.js';
import type { SectionName } from '../../src/core/snapshot/sections.js';
import { type CountryStructures, decodeSnapshot } from '../../src/core/snapshot/snapshot.js';
import { manifestOf, structureBytes } from '../fixtures/damage.js';
import { buildFixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { buildSmallSnapshot, type SmallSnapshot } from '../fixtures/small-snapshot.js';

let small: SmallSnapshot;
let file: Buffer;
beforeAll(async () => {
  small = await buildSmallSnapshot();
  file = Buffer.from(small.bytes);
});
afterAll(() => small.folder.remove());

test('header', () => {
  expect(file.subarray(0, 16).toString('hex')).toBe('895050530d0a1a0a0c00000000000000');
  const offset = 77_824;
  const lengths = [16, 24, 32].map((at) => Number(file.readBigUInt64LE(at)));
  expect(lengths).toEqual([file.length, offset, file.length - offset]);
  expect(file.readUInt32LE(40)).toBe(crc32(file.subarray(offset)));
  expect(file.readUInt32LE(44)).toBe(crc32(file.subarray(0, 44)));
  expect(file.subarray(48, 4096).every((byte) => byte === 0)).toBe(true);
  expect(file.subarray(offset + 4, offset + 8).toString('latin1')).toBe('PPMF');
});

/** Name, offset, length and CRC-32. */
const SECTION_TABLE = [
  ['place-answers', 4096, 4368, 0x4d0dd654],
  ['place-tree', 12288, 504, 0x4bf4f94b],
  ['path-trie', 16384, 168, 0x098a3842],
  ['id-index', 20480, 224, 0xbd153e80],
  ['postcode-index', 24576, 376, 0x3844504e],
  ['place-orders', 28672, 168, 0xbb3a6483],
  ['point-index', 32768, 384, 0x69a07b66],
  ['place-positions', 36864, 104, 0x245e1fd7],
  ['name-index', 40960, 912, 0xbd5b255d],
  ['place-contexts', 45056, 256, 0x7896e046],
  ['old-paths', 49152, 176, 0x726c0a1d],
  ['place-facts', 53248, 448, 0xca8792d1],
  ['full-codes', 57344, 0, 0],
  ['names-by-language', 57344, 0, 0],
  ['place-cities', 57344, 208, 0x5c2356ce],
  ['country-answers', 61440, 1136, 0x0ec44c1d],
  ['country-grid', 65536, 64, 0x91cd605a],
  ['world-name-index', 69632, 680, 0xd23e2022],
  ['world-postcodes', 73728, 56, 0xde3163f5],
  ['country-names-by-language', 77824, 0, 0],
] as const;

test('section table, and the bytes of each section', () => {
  const { sections } = manifestOf(file);
  expect(sections.map(({ name, offset, length, checksum }) => [name, offset, length, checksum])).toEqual(SECTION_TABLE);
  for (const [name, offset, length, checksum] of SECTION_TABLE) {
    expect([name, crc32(file.subarray(offset, offset + length))]).toEqual([name, checksum]);
    const behind = file.subarray(offset + length, Math.ceil((offset + length) / 4096) * 4096);
    expect([name, behind.every((byte) => byte === 0)]).toEqual([name, true]);
  }
});

test('countries: places of each level, and the slices of the country sections', () => {
  const rows = manifestOf(file).countries.map(({ code, distinctPostcodes, levelCounts, slices }) => {
    return [code, distinctPostcodes, levelCounts.join(' '), slices.map(({ offset, length }) => `${offset}+${length}`)];
  });
  const ofAndorra = '0+3688 0+336 0+120 0+144 0+216 0+120 0+240 0+48 0+560 0+144 0+72 0+264 0+0 0+0 0+120';
  const ofLiechtenstein =
    '3712+656 384+120 128+40 192+32 256+120 128+40 256+128 64+40 576+336 192+64 128+48 320+128 0+0 0+0 128+80';
  expect(rows).toEqual([
    ['AD', 5, '2 5 3 1', ofAndorra.split(' ')],
    ['LI', 2, '2 0 0 0', ofLiechtenstein.split(' ')],
    ['MC', 0, '0 0 0 0', []],
  ]);
});

/** Slices of Liechtenstein, the number of arrays and their byte lengths first: Bad Balzers, 94-90, and Vaduz, 9490. */
test.each<[SectionName, string]>([
  [
    'place-tree',
    `04000000 00000000 1400000000000000 2000000000000000 0800000000000000 0c00000000000000
     00000000 02000000 02000000 02000000 02000000 00000000
     22f1b544629756fcba262bdeae396ecc 2ed4ba59ae93535393967dcfa5674641
     ffffffff ffffffff 02000000 02000000 02000000 00000000`,
  ],
  ['path-trie', `02000000 00000000 0800000000000000 0800000000000000 00000000 01000000 2d646162 75646176`],
  ['id-index', '01000000 00000000 1000000000000000 01000000 02000000 00000000 00000000'],
  [
    'postcode-index',
    `05000000 00000000 0c00000000000000 0900000000000000 0c00000000000000 0800000000000000 1000000000000000
     00000000 05000000 09000000 00000000 39342d3930 39343930 00000000000000
     00000000 01000000 02000000 00000000 00000000 01000000 00000000 01000000 02000000 00000000`,
  ],
  ['place-orders', '02000000 00000000 0800000000000000 0800000000000000 00000000 01000000 00000000 01000000'],
  [
    'point-index',
    `05000000 00000000 1000000000000000 0800000000000000 2000000000000000 0c00000000000000 0800000000000000
     00000000 02000000 02000000 02000000 00000000 01000000
     0000000000002340 48e17a14ae874740 0ad7a3703d0a2340 52b81e85eb914740
     00000000 01000000 02000000 00000000 00000000 01000000`,
  ],
  [
    'old-paths',
    `02000000 00000000 1000000000000000 0800000000000000
     99431764fe00d710 b3c9b9897297e7c9 00000000 01000000`,
  ],
  [
    'place-cities',
    `07000000 00000000 0800000000000000 0000000000000000 0000000000000000 0000000000000000 0000000000000000
     0400000000000000 0000000000000000 00000000 01000000 00000000 00000000`,
  ],
])('%s', (name, hex) => {
  expect(Buffer.from(structureBytes(file, name, 'LI')).toString('hex')).toBe(hex.replace(/\s/g, ''));
});

test('the ids of the document stand in the file: Canillo, the unit and the place', () => {
  const tree = Buffer.from(structureBytes(file, 'place-tree', 'AD'));
  for (const id of ['ad20cea1-3cb0-591c-b33f-6a53f9978e66', '19852b2f-1831-5c54-9661-c84611d21bc3']) {
    expect([id, tree.includes(Buffer.from(id.replaceAll('-', ''), 'hex'))]).toEqual([id, true]);
  }
});

test('the hashes of the document', () => {
  expect(hashBytes(Buffer.from('AD100'))).toBe(0x139fbebc);
  expect(hashNameEntries(0, 300)).toBe(0xbadf5b98);
});

/** 300 places at points of their own, whose names share their first letters: nodes of the k-d tree, and a top. */
const LISTED = Array.from({ length: 300 }, (_, number) => {
  const word = String.fromCharCode(97 + (number % 26), 97 + Math.floor(number / 26));
  const [lat, lng] = [43.9 + (number % 17) / 1_000, 12.4 + (number % 23) / 1_000];
  return [String(47_890 + number), `Qe${word}`, '', '', '', lat, lng] as const;
});

describe('a second file', () => {
  let bytes: Buffer;
  beforeAll(async () => {
    const { path, cleanup } = await buildFixtureSnapshot({
      AD: [
        ['AD100', 'D', 'A', 'B', '', 42.5, 1.5],
        ['AD200', 'C', 'A', '', '', 42.6, 1.6],
      ],
      LI: ['59-700', '59700', 'SW1A 1AA'].map((code) => [code, `Of ${code}`, '', '', '', 47.1, 9.5] as const),
      SM: LISTED,
    });
    bytes = readFileSync(path);
    cleanup();
  });

  test('the tree A{B{D}, C}', () => {
    const structures = decodeSnapshot(bytes, false).countryByCode.get('AD')?.structures as CountryStructures;
    const { levelStarts, parents, childStarts } = structures.tree;
    expect([0, 1, 2, 3].map((place) => readPathField(structures, place))).toEqual(['/a', '/a/b', '/a/c', '/a/b/d']);
    expect([...levelStarts]).toEqual([0, 1, 3, 4, 4]);
    expect([...parents]).toEqual([0xffffffff, 0, 0, 1]);
    expect([...childStarts]).toEqual([1, 3, 4, 4, 4]);
  });

  test('the postal codes 59-700, 59700 and SW1A 1AA', () => {
    const snapshot = decodeSnapshot(bytes, false);
    const found = ['59 700', '59-700', '59700', 'SW1A1AA'].map((postcode) => {
      return JSON.parse(readResponseData(service.findPostcode(snapshot, { country: 'LI', postcode }))).postcode;
    });
    expect(found).toEqual(['59-700', '59-700', '59700', 'SW1A 1AA']);
  });

  test('the bytes of structures of 300 places', () => {
    const names = ['place-tree', 'id-index', 'postcode-index', 'point-index', 'name-index'] as const;
    const checksums = names.map((name) => `${name} ${crc32(structureBytes(bytes, name, 'SM')).toString(16)}`);
    expect(checksums).toEqual([
      'place-tree 5d8623df',
      'id-index e2fb9548',
      'postcode-index bf25ab41',
      'point-index 21eced73',
      'name-index 30ae0cbd',
    ]);
  });
});

test('folding version 5: characters of every script', () => {
  let checksum = 0;
  for (let codePoint = 0; codePoint < 0x2_0000; codePoint += codePoint < 0x3400 ? 1 : 7) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    checksum = crc32(`${foldText(`a${String.fromCodePoint(codePoint)}B 1`)}\n`, checksum);
  }
  expect(checksum).toBe(0x49978377);
});
