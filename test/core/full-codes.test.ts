/** Full codes against the rows that they were made of, and what damaged bytes lead to. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { distance } from 'geokdbush';
import { verifySnapshot } from '../../build-index/verifying/verify-snapshot.js';
import { autocomplete } from '../../src/core/answers/autocomplete.js';
import { checkPostcode } from '../../src/core/answers/check-postcode.js';
import { nearby } from '../../src/core/answers/nearby.js';
import { listPostcodes } from '../../src/core/answers/place-postcodes.js';
import { findPostcode, findPostcodes } from '../../src/core/answers/postcodes.js';
import { listPlaceFullCodes } from '../../src/core/lookup/place-postcodes.js';
import { listPostcodeLookupCountries } from '../../src/core/lookup/postcode-lookup.js';
import {
  decodeFullCodeSecondPart,
  decodeFullCodes,
  encodeFullCodeSecondPart,
  FULL_CODES_SCHEMA,
  type FullCodes,
  findFullCode,
  fullCodeAt,
  listCodesStarting,
  listNearestCodes,
} from '../../src/core/snapshot/full-codes.js';
import { readPlace } from '../../src/core/snapshot/place-fields.js';
import { treeRangesBelow } from '../../src/core/snapshot/place-tree.js';
import { compactPostcode, normalizePostcode } from '../../src/core/snapshot/postcode-spelling.js';
import { type CountryStructures, decodeSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { damageStructure, structureBytes } from '../fixtures/damage.js';
import { buildFixtureSnapshot, createTemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { fullCodeLines } from '../fixtures/full-codes.mjs';
import { type FixtureRow, lineOf } from '../fixtures/hand-made-release.js';
import { poolHere } from '../fixtures/pool-here.js';
import { createRandom } from '../fixtures/random.mjs';
import { silentProgress } from '../fixtures/silent-progress.js';
import { parseAnswer } from './answer.js';

/** Two places of one first part; first parts of which one is the start of another; both sides of the antimeridian. */
const ROWS: Readonly<Record<string, readonly FixtureRow[]>> = {
  FJ: [
    ['F1', 'West', 'Northern', '', '', -16.8, 179.99],
    ['F2', 'East', 'Northern', '', '', -16.8, -179.97],
  ],
  GB: [
    ['M1', 'Manchester', 'England', '', '', 53.47, -2.23],
    ['M2', 'Manchester', 'England', '', '', 53.48, -2.24],
    ['M10', 'Moston', 'England', '', '', 53.5, -2.18],
    ['M11', 'Clayton', 'England', '', '', 53.48, -2.17],
    ['M11', 'Openshaw', 'England', '', '', 53.47, -2.16],
    ['M9', 'Blackley', 'England', '', '', 53.52, -2.21],
    ['SW1A', 'Westminster', 'England', 'Greater London', '', 51.5, -0.13],
    ['SW1', 'Pimlico', 'England', 'Greater London', '', 51.49, -0.14],
  ],
  NL: [['1012', 'Amsterdam', 'Noord-Holland', '', '', 52.37, 4.9]],
  // Without full codes.
  LI: [['9490', 'Vaduz', '', '', '', 47.14, 9.52]],
};
const COUNTS = { FJ: 18, GB: 1200, NL: 150 };
const FORMS = { FJ: '#', GB: '#@@', NL: '@@' };
type Code = keyof typeof COUNTS;
const CODES = Object.keys(COUNTS) as Code[];

interface Expected {
  readonly code: string;
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}

let bytes: Uint8Array;
let snapshot: Snapshot;
let expected: Record<Code, readonly Expected[]>;
const scratch = createTemporaryFolder();

beforeAll(async () => {
  const full = CODES.map((country) => {
    const lines = (ROWS[country] ?? []).map((row) => lineOf(country, row));
    // Beyond the antimeridian the degrees begin again.
    const made = fullCodeLines(lines, FORMS[country], COUNTS[country], 7).map((line) => {
      const columns = line.split('\t');
      const longitude = Number(columns[10]);
      columns[10] = (((longitude + 540) % 360) - 180).toFixed(4);
      return columns.join('\t');
    });
    return [country, made] as const;
  });
  expected = Object.fromEntries(
    full.map(([country, lines]) => [
      country,
      lines.map((line) => {
        const [, code = '', name = '', , , , , , , latitude, longitude] = line.split('\t');
        return { code, name, latitude: Number(latitude), longitude: Number(longitude) };
      }),
    ]),
  ) as unknown as typeof expected;
  const files = Object.fromEntries(full.map(([country, lines]) => [`${country}_full`, lines]));
  const fixture = await buildFixtureSnapshot({ ...ROWS, ...files });
  bytes = readFileSync(fixture.path);
  fixture.cleanup();
  snapshot = decodeSnapshot(bytes, false);
});
afterAll(() => scratch.remove());

const structuresOf = (country: string): CountryStructures =>
  snapshot.countryByCode.get(country)?.structures as CountryStructures;
const codesOf = (country: string): FullCodes => structuresOf(country).fullCodes as FullCodes;
const find = (country: string, typed: string) =>
  findFullCode(codesOf(country), compactPostcode(normalizePostcode(typed)));

test('only countries with full codes have them', async () => {
  expect(structuresOf('LI').fullCodes).toBeUndefined();
  const fixture = await buildFixtureSnapshot(ROWS);
  const plain = readFileSync(fixture.path);
  fixture.cleanup();
  expect(decodeSnapshot(plain, false).countryByCode.get('GB')?.structures?.fullCodes).toBeUndefined();
});

test('second parts are numbers that compare as the texts do', () => {
  const texts = ['0', '00', '009', '0A', '1AA', '9', '9ZZ', 'A', 'AA', 'Z', 'ZZ', 'ZZZ'];
  const numbers = texts.map((text) => encodeFullCodeSecondPart(text) as number);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(numbers.map(decodeFullCodeSecondPart)).toEqual(texts);
  expect(encodeFullCodeSecondPart('1AA')).toBe(0x0c54);
  expect(['', '1AAA', '1a', 'É'].map(encodeFullCodeSecondPart)).toEqual([undefined, undefined, undefined, undefined]);
});

describe.each(CODES)('%s', (country) => {
  test('finds every code in every spelling, with its position and its place', () => {
    const structures = structuresOf(country);
    expect(codesOf(country).count).toBe(expected[country].length);
    for (const { code, name, latitude, longitude } of expected[country]) {
      const spellings = [code, code.toLowerCase(), code.replace(' ', ''), code.replace(' ', '-'), ` ${code}  `];
      const all = spellings.map((typed) => find(country, typed));
      const [found] = all;
      expect(found).toMatchObject({ postcode: code, latitude, longitude });
      expect(all).toEqual(all.map(() => fullCodeAt(codesOf(country), found?.number as number)));
      expect(readPlace(structures, found?.place as number)).toMatchObject({ name, postalCode: code.split(' ')[0] });
    }
  });

  test('finds nothing else', () => {
    const texts = new Set(expected[country].map(({ code }) => compactPostcode(code)));
    const random = createRandom(11);
    const characters = '0123456789ACMSWFZ';
    const wrong: string[] = [];
    for (let round = 0; round < 3000; round++) {
      const length = 1 + Math.floor(random() * 7);
      const typed = Array.from({ length }, () => characters[Math.floor(random() * characters.length)]).join('');
      if ((find(country, typed) !== undefined) !== texts.has(typed)) wrong.push(typed);
    }
    expect(wrong).toEqual([]);
    for (const typed of ['', ' ', '-', 'É', `${'9'.repeat(300)}`]) expect(find(country, typed)).toBeUndefined();
  });

  test('completes codes letter by letter', () => {
    const compact = expected[country].map(({ code }) => compactPostcode(code));
    const prefixes = new Set(compact.flatMap((code) => Array.from(code, (_, at) => code.slice(0, at + 1))));
    for (const prefix of [...prefixes, 'X', `${compact[0]}0`]) {
      const { within, beyond } = listCodesStarting(codesOf(country), prefix);
      const numbers = [...within, ...beyond].flatMap(({ start, end }) =>
        Array.from({ length: end - start }, (_, at) => start + at),
      );
      const found = numbers.map((number) => compactPostcode(fullCodeAt(codesOf(country), number).postcode));
      expect(found.sort()).toEqual(compact.filter((code) => code.startsWith(prefix)).sort());
    }
  });

  test('lists the codes of any place in natural order, page by page', () => {
    const structures = structuresOf(country);
    const collator = new Intl.Collator('en', { numeric: true });
    for (let place = 0; place < structures.tree.placeCount; place++) {
      const below = treeRangesBelow(structures.tree, place);
      const leaves = below.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at));
      const keys = new Set(
        [place, ...leaves].map((leaf) => readPlace(structures, leaf)).map((leaf) => `${leaf.postalCode} ${leaf.name}`),
      );
      const own = expected[country]
        .filter((one) => keys.has(`${one.code.split(' ')[0]} ${one.name}`))
        .map(({ code }) => code)
        .sort((a, b) => collator.compare(a.split(' ')[0] as string, b.split(' ')[0] as string) || (a < b ? -1 : 1));
      const marks = new Uint8Array(structures.tree.placeCount);
      for (const leaf of [place, ...leaves]) marks[leaf] = 1;
      const found: string[] = [];
      for (let start = 0; start < own.length + 90; start += 90) {
        const page = listPlaceFullCodes(structures, { marks, start, end: start + 90 });
        expect(page.codeCount).toBe(own.length);
        found.push(...page.codes.map((number) => fullCodeAt(codesOf(country), number).postcode));
      }
      expect(found).toEqual(own);
    }
  });

  test('finds the nearest codes, as a search of all does', () => {
    const random = createRandom(5);
    const codes = codesOf(country);
    for (let round = 0; round < 300; round++) {
      const near = expected[country][Math.floor(random() * expected[country].length)] as Expected;
      const lat = near.latitude + (random() - 0.5) * 0.05;
      const lng = ((near.longitude + (random() - 0.5) * 0.05 + 540) % 360) - 180;
      const [radiusKm, limit] = [random() * 8, 1 + Math.floor(random() * 20)];
      const all = Array.from({ length: codes.count }, (_, number) => {
        const { latitude, longitude } = fullCodeAt(codes, number);
        return { place: number, distanceKm: distance(lng, lat, longitude, latitude) };
      });
      const oracle = all
        .filter(({ distanceKm }) => distanceKm <= radiusKm)
        .sort((a, b) => a.distanceKm - b.distanceKm || a.place - b.place)
        .slice(0, limit);
      const found = listNearestCodes(codes, { lat, lng, radiusKm }, limit);
      expect(found.map(({ place, distanceKm }) => ({ place, distanceKm }))).toEqual(oracle);
    }
  });
});

test.each(CODES)('full codes of %s are found without a country, whether a rule knows their form or not', (code) => {
  for (const { code: postcode } of expected[code].slice(0, 20)) {
    for (const typed of [postcode, postcode.replace(' ', ''), `${code}-${postcode}`]) {
      const found = parseAnswer(findPostcodes(snapshot, { country: undefined, postcode: typed }));
      expect(found).toMatchObject([{ countryCode: code, postcode }]);
    }
  }
});

test('without a country, a country without full codes is not asked for them', () => {
  const asked = listPostcodeLookupCountries(snapshot, snapshot.countries, 'Q13').map(({ entry }) => entry.code);
  expect(asked).toEqual(CODES);
});

describe('answers', () => {
  const country = 'GB';

  test('an unknown full code is answered by its first part', () => {
    expect(parseAnswer(findPostcode(snapshot, { country, postcode: 'M1 9ZZ' })).postcode).toBe('M1');
    expect(parseAnswer(checkPostcode(snapshot, { country, postcode: 'M1 9ZZ' }))).toMatchObject({
      postcode: 'M1',
      match: 'partial',
    });
  });

  test('the codes nearby are full codes, and first parts where there are none', () => {
    const centre = { lat: 53.48, lng: -2.2, country: undefined, postcode: undefined, place: undefined };
    const request = {
      ...centre,
      radiusKm: 30,
      limit: 100,
      countries: undefined,
      types: undefined,
      by: 'postcode' as const,
    };
    const near = parseAnswer(nearby(snapshot, request)) as { postcode: string; distanceKm: number }[];
    const codes = codesOf(country);
    const own = listNearestCodes(codes, { lat: 53.48, lng: -2.2, radiusKm: 30 }, 100);
    expect(near.map(({ postcode }) => postcode)).toEqual(own.map(({ place }) => fullCodeAt(codes, place).postcode));
    const vaduz = parseAnswer(nearby(snapshot, { ...request, lat: 47.14, lng: 9.52 })) as { postcode: string }[];
    expect(vaduz.map(({ postcode }) => postcode)).toEqual(['9490']);
  });

  test('a place lists its full codes only if asked', () => {
    const { id } = readPlace(structuresOf(country), 0);
    const request = { country, id, recipients: undefined, page: 1, pageSize: 10 };
    const plain = parseAnswer(listPostcodes(snapshot, request));
    expect(plain).toMatchObject({
      totalCount: 7,
      items: expect.arrayContaining([expect.objectContaining({ postcode: 'M1' })]),
    });
    const full = parseAnswer(listPostcodes(snapshot, { ...request, full: true }));
    expect(full.totalCount).toBe(expected.GB.length);
    const {
      code: postcode,
      latitude,
      longitude,
    } = expected.GB.filter(({ code }) => code.startsWith('M1 '))[0] as Expected;
    expect(full.items[0]).toEqual({ postcode, latitude, longitude, placeCount: 1 });
  });
});

describe('damaged bytes', () => {
  const pool = poolHere;
  const verify = async (content: Uint8Array): Promise<string> => {
    const path = join(scratch.path, 'damaged.snapshot');
    writeFileSync(path, content);
    try {
      await verifySnapshot(path, pool, silentProgress);
      return 'sound';
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      return error.code;
    }
  };

  test('every length but the right one, and every wrong directory, is refused', () => {
    const slice = Uint8Array.from(structureBytes(bytes, 'full-codes', 'NL'));
    const decode = (content: Uint8Array) => decodeFullCodes(content, 'full-codes', structuresOf('NL').postcodes);
    expect(decode(slice).count).toBe(COUNTS.NL);
    const isRefused = (content: Uint8Array): boolean => {
      try {
        decode(content);
        return false;
      } catch (error) {
        return error instanceof SnapshotError;
      }
    };
    const taken: object[] = [];
    for (let length = 0; length < slice.length; length++) {
      if (!isRefused(slice.slice(0, length))) taken.push({ length });
    }
    const directoryBytes = 8 + 8 * Object.keys(FULL_CODES_SCHEMA).length;
    for (let at = 0; at < directoryBytes; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const copy = slice.slice();
        copy[at] = (copy[at] as number) ^ (1 << bit);
        if (!isRefused(copy)) taken.push({ at, bit });
      }
    }
    expect(taken).toEqual([]);
    // Of another country: the first parts are others.
    expect(() => decodeFullCodes(slice, 'full-codes', structuresOf('GB').postcodes)).toThrow(SnapshotError);
  });

  test.each(['starts', 'seconds', 'places', 'positions', 'order'] as const)(
    'verify finds wrong numbers in %s',
    async (array) => {
      expect(await verify(damageStructure(bytes, 'full-codes', 'GB', () => {}))).toBe('sound');
      // Another position on Earth can be as good.
      for (const value of array === 'positions' ? [0x7fffffff] : [0xffffffff, 0x7fffffff, 0xff00]) {
        for (const share of [0, 0.3, 0.9]) {
          const content = damageStructure(bytes, 'full-codes', 'GB', (arrays) => {
            const values = arrays[array];
            values[1 + Math.floor(share * (values.length - 2))] = value;
          });
          expect(await verify(content)).toBe('STRUCTURE_INVALID');
        }
      }
    },
  );

  test('lookups in any numbers end, and return what is there or nothing', () => {
    const random = createRandom(23);
    const structures = structuresOf('GB');
    const everywhere = new Uint8Array(structures.tree.placeCount).fill(1);
    for (let round = 0; round < 60; round++) {
      const slice = Uint8Array.from(structureBytes(bytes, 'full-codes', 'GB'));
      const directoryBytes = 8 + 8 * Object.keys(FULL_CODES_SCHEMA).length;
      const from = round % 2 === 0 ? directoryBytes : Math.floor(slice.length * random());
      for (let at = from; at < slice.length; at++) if (round > 30 || random() < 0.1) slice[at] = random() * 256;
      let fullCodes: FullCodes;
      try {
        fullCodes = decodeFullCodes(slice, 'full-codes', structures.postcodes);
      } catch (error) {
        expect(error).toBeInstanceOf(SnapshotError);
        continue;
      }
      for (const typed of ['M11AA', 'SW1A1AA', 'M119ZZ', 'M11']) {
        const found = findFullCode(fullCodes, typed);
        expect(found === undefined || found.number < fullCodes.count).toBe(true);
        const { within, beyond } = listCodesStarting(fullCodes, typed);
        for (const { start, end } of [...within, ...beyond]) {
          expect(start < end && end <= fullCodes.count).toBe(true);
          expect(fullCodeAt(fullCodes, start).postcode.length).toBeLessThan(20);
        }
      }
      const near = listNearestCodes(fullCodes, { lat: 53.4, lng: -2.2, radiusKm: 300 }, 50);
      expect(near.length).toBeLessThanOrEqual(50);
      for (const { place } of near) expect(place).toBeLessThan(fullCodes.count);
      const request = { marks: everywhere, start: 0, end: 50 };
      const { codes } = listPlaceFullCodes({ ...structures, fullCodes }, request);
      expect(codes.length).toBeLessThanOrEqual(50);
      for (const number of codes) expect(number).toBeLessThan(fullCodes.count);
    }
  });
});

test('a space tells where the first part of a code ends that is still typed', () => {
  const namesOf = (query: string): string[] =>
    parseAnswer(autocomplete(snapshot, { query, country: 'GB', limit: 25, kinds: ['postcode'] })).map(
      ({ name }: { name: string }) => name,
    );
  const started = expected.GB.map(({ code }) => code).filter((code) => code.startsWith('M1 1'));
  expect(started.length).toBeGreaterThan(5);
  expect(namesOf('M1 1').slice(0, started.length).sort()).toEqual(started.slice(0, 25).sort());
  expect(namesOf('M11')[0]).toBe('M11');
});
