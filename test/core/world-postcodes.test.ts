/** The table of the countries of each postal code: beside a scan of every country's postcode index, and its bytes. */

import { beforeAll, expect, test } from '@jest/globals';
import { hashText } from '../../src/core/snapshot/hash-table.js';
import { compactPostcode } from '../../src/core/snapshot/postcode.js';
import {
  codeText,
  decodeWorldPostcodes,
  findCountriesWithCode,
  findPostcode,
  type WorldPostcodes,
} from '../../src/core/snapshot/postcode-index.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { type FixtureRow, HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { seededRelease } from '../fixtures/seeded-release.js';

/** Two codes of one hash. */
const COLLIDING = ['797189', '40186'] as const;

const rowOf = (code: string): FixtureRow => [code, `Place ${code}`, 'Region', '', '', 10, 10];

let snapshot: Snapshot;
/** The compact codes of each country, by its number. */
let codes: Map<number, Set<string>>;
beforeAll(async () => {
  const KE = [rowOf(COLLIDING[1]), rowOf('100-01'), rowOf('10 001'), rowOf('10001'), rowOf('ТВ 1')];
  const rows = { ...HAND_MADE_ROWS, ...seededRelease(20260330), KE, BY: [rowOf(COLLIDING[0])] };
  snapshot = await openFixture(rows);
  codes = new Map(
    snapshot.countries.flatMap(({ number, structures }) => {
      if (structures === undefined) return [];
      const { postcodes } = structures;
      const texts = Array.from({ length: postcodes.codeCount }, (_, code) => codeText(postcodes, code));
      return [[number, new Set(texts.map(compactPostcode))]];
    }),
  );
});

const numberOf = (code: string): number => snapshot.countryByCode.get(code)?.number as number;

test('every code has the countries that a scan of all indexes finds, and an absent code has none', () => {
  const all = new Set([...codes.values()].flatMap((list) => [...list]));
  expect(all.size).toBeGreaterThan(1000);
  for (const compact of [...all, 'absent', '', '0', '9'.repeat(300)]) {
    const scanned = [...codes].filter(([, list]) => list.has(compact)).map(([number]) => number);
    const found = [...findCountriesWithCode(snapshot.worldPostcodes, compact)];
    // The other code of a hash is the one reason for more.
    const others = found.filter((number) => !scanned.includes(number));
    expect([compact, found.filter((number) => scanned.includes(number))]).toEqual([compact, scanned]);
    expect([compact, others.length === 0 || (COLLIDING as readonly string[]).includes(compact)]).toEqual([
      compact,
      true,
    ]);
  }
});

test('each compact code of a country is one entry, in whatever spellings the country has it', () => {
  const { hashes, countries } = snapshot.worldPostcodes;
  expect(hashes.length).toBe([...codes.values()].reduce((sum, list) => sum + list.size, 0));
  expect(countries.length).toBe(hashes.length);
  const ofKenya = hashes.filter((hash, at) => hash === hashText('10001') && countries[at] === numberOf('KE'));
  expect(ofKenya).toHaveLength(1);
  expect(codes.get(numberOf('KE'))?.size).toBe(3);
});

test('codes of one hash are told apart by the index of each country', () => {
  expect(hashText(COLLIDING[0])).toBe(hashText(COLLIDING[1]));
  for (const code of COLLIDING) {
    const found = [...findCountriesWithCode(snapshot.worldPostcodes, code)];
    expect(found).toEqual([numberOf('BY'), numberOf('KE')]);
    const having = found.filter((number) => {
      const { postcodes } = snapshot.countries[number]?.structures ?? {};
      return postcodes !== undefined && findPostcode(postcodes, code) !== undefined;
    });
    expect(having).toEqual([numberOf(code === COLLIDING[0] ? 'BY' : 'KE')]);
  }
});

test('the hash of the example in the description of the format', () => {
  expect(hashText('10115').toString(16)).toBe('6688178c');
});

test('a table of two lengths is refused', () => {
  const bytes = new Uint8Array(8 + 16 + 8 + 8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 2, true);
  view.setBigUint64(8, 8n, true);
  view.setBigUint64(16, 1n, true);
  expect(() => decodeWorldPostcodes(bytes, 'world-postcodes')).toThrow(SnapshotError);
});

test('a damaged table: one hash everywhere gives 256 countries at most, disorder gives any', () => {
  const length = 10_000;
  const same: WorldPostcodes = {
    hashes: new Uint32Array(length).fill(hashText('10115')),
    countries: new Uint8Array(length).fill(255),
  };
  expect(findCountriesWithCode(same, '10115')).toHaveLength(256);
  const reversed = { ...snapshot.worldPostcodes, hashes: snapshot.worldPostcodes.hashes.toReversed() };
  for (const compact of ['10115', 'AD100', '0']) {
    expect(findCountriesWithCode(reversed, compact).length).toBeLessThanOrEqual(256);
  }
});
