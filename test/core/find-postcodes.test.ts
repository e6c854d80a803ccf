/** A postal code in every country: the endpoint, and the table of the countries of each code. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findPostcode, findPostcodes, MAX_FOUND_COUNTRIES } from '../../src/core/answers/postcodes.js';
import { readResponseData } from '../../src/core/answers/response-data.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import { countryOfForm } from '../../src/core/lookup/postcode-forms.js';
import {
  listFoundPostcodes,
  listPostcodeLookupCountries,
  lookUpPostcode,
  resolvePostcodeIn,
} from '../../src/core/lookup/postcode-lookup.js';
import { hashText } from '../../src/core/snapshot/hash-table.js';
import { findPostcode as findInIndex, indexedPostcode } from '../../src/core/snapshot/postcode-index.js';
import { compactPostcode, normalizePostcode, plainPostcode } from '../../src/core/snapshot/postcode-spelling.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import {
  decodeWorldPostcodes,
  findWorldPostcodeCountries,
  type WorldPostcodes,
} from '../../src/core/snapshot/world-postcodes.js';
import { buildFixtureSnapshot, type FixtureSnapshot, openFixture } from '../fixtures/fixture-snapshot.js';
import { type FixtureRow, HAND_MADE_ROWS, type RowsByCountry } from '../fixtures/hand-made-release.js';
import { seededRelease } from '../fixtures/seeded-release.js';
import { parseAnswer } from './answer.js';

/** A postal code in all countries or in some: which countries have it, in which order, and what none of them has. */
describe('the endpoint', () => {
  const row = (code: string, name: string): FixtureRow => [code, name, 'Unit', '', '', 48, 2];
  const ROWS: RowsByCountry = {
    AR: [row('1650', 'San Martín')],
    AT: [row('1010', 'Wien')],
    BR: [row('79300-000', 'Corumbá')],
    CZ: [row('101 15', 'Praha')],
    DE: [row('01067', 'Dresden'), row('10115', 'Berlin'), row('10115', 'Mitte')],
    FR: [row('75001', 'Paris 01'), row('75380 CEDEX 08', 'Paris 08'), row('10115', 'Troyes')],
    GB: [row('SW1A', 'Westminster'), row('M1', 'Manchester')],
    JE: [row('JE2', 'St Helier')],
    KR: [row('97400', 'Seoul')],
    LV: [row('LV-1010', 'Riga')],
    NL: [row('1012', 'Amsterdam')],
    PT: [row('1000-001', 'Lisboa'), row('1000-002', 'Lisboa')],
    RE: [row('97400', 'Saint-Denis')],
    RU: [row('100 0001', 'Moskva'), row('1000001', 'Odd'), row('111 20', 'Tver')],
    SE: [row('111 20', 'Stockholm')],
    SG: [row('111 20', 'Orchard')],
    US: [row('10115', 'New York'), row('02138', 'Cambridge'), row('11120', 'Elmhurst')],
  };

  interface FoundCode {
    readonly countryCode: string;
    readonly postcode: string;
  }

  let snapshot: Snapshot;
  beforeAll(async () => {
    snapshot = await openFixture(ROWS);
  });

  const ask = (typed: string, country?: readonly string[], of: Snapshot = snapshot) =>
    findPostcodes(of, { postcode: normalizePostcode(typed), country });

  /** The countries and codes that are found, in order: "US 10115, FR 10115"; or the code of the error. */
  function find(typed: string, country?: readonly string[]): string {
    try {
      const found: FoundCode[] = parseAnswer(ask(typed, country));
      return found.map(({ countryCode, postcode }) => `${countryCode} ${postcode}`).join(', ');
    } catch (error) {
      if (error instanceof DomainError) return error.code;
      throw error;
    }
  }

  describe('in all countries', () => {
    test.each([
      // Spelled so, by inhabitants; then without spaces and hyphens.
      ['10115', 'US 10115, DE 10115, FR 10115, CZ 101 15'],
      ['101 15', 'CZ 101 15, US 10115, DE 10115, FR 10115'],
      [' 101\u00a015 ', 'CZ 101 15, US 10115, DE 10115, FR 10115'],
      // Only Portugal writes so.
      ['1000-001', 'PT 1000-001'],
      ['1000001', 'RU 1000001, PT 1000-001'],
      ['111 20', 'RU 111 20, SE 111 20, SG 111 20, US 11120'],
      ['sw1a', 'GB SW1A'],
      ['１０１１５', 'US 10115, DE 10115, FR 10115, CZ 101 15'],
      ['10115\u200b', 'US 10115, DE 10115, FR 10115, CZ 101 15'],
      // By the strict rules, last.
      ['D-10115', 'DE 10115'],
      ['de 10115', 'DE 10115'],
      ['S-111 20', 'SE 111 20, SG 111 20'],
      ['sw1a1aa', 'GB SW1A'],
      ['GB-SW1A 1AA', 'GB SW1A'],
      ['JE2 3AB', 'JE JE2'],
      ['1012 AB', 'NL 1012'],
      ['02138-1234', 'US 02138'],
      ['B1650ABC', 'AR 1650'],
      // Of Belgium by its form, with the sign.
      ['B1650', 'AR 1650'],
      ['75380', 'FR 75380 CEDEX 08'],
      ['F-75380', 'FR 75380 CEDEX 08'],
      ['LV1010', 'LV LV-1010'],
      ['1010', 'AT 1010'],
    ])('%j is of %s', (typed, expected) => expect(find(typed)).toBe(expected));

    test.each([
      ['a zero lost', '1067'],
      ['half a code', '79300'],
      ['half a code of PT', '1000'],
      ['the sign of a country without the code', 'CZ-75001'],
      ['half of the second part', 'SW1A 1A'],
      ['a full code of another country', 'M2 1AA'],
      ['a form that only Japan has', '100-0001'],
      ['ZIP+3', '02138-123'],
      ['an absent code', '99999'],
      ['punctuation', '-'],
      ['no code at all', 'BERLIN'],
    ])('%s is not found: %j', (_, typed) => expect(find(typed)).toBe('POSTCODE_NOT_FOUND'));

    test('the code of a territory is of the territory', () => expect(find('97400')).toBe('KR 97400, RE 97400'));
  });

  describe('in some countries', () => {
    test.each<[typed: string, country: string[], expected: string]>([
      ['10115', ['FR', 'DE'], 'DE 10115, FR 10115'],
      ['10115', ['CZ', 'AT', 'FR'], 'FR 10115, CZ 101 15'],
      ['1067', ['DE', 'US'], 'DE 01067'],
      ['1010', ['LV', 'AT'], 'AT 1010, LV LV-1010'],
      ['1000', ['PT'], 'PT 1000-001'],
      // Of a territory, as endpoint 7 answers it: the likelier country has the code itself.
      ['97400', ['FR', 'RE'], 'RE 97400, FR 97400'],
      ['10115', ['AT'], 'POSTCODE_NOT_FOUND'],
      ['D-10115', ['FR', 'US'], 'POSTCODE_NOT_FOUND'],
      ['10115', ['DE', 'QQ'], 'COUNTRY_NOT_FOUND'],
      ['10115', ['DE', 'JP'], 'NO_POSTCODE_DATA'],
    ])('%s in %j is %s', (typed, country, expected) => expect(find(typed, country)).toBe(expected));

    test('each object is the one of the endpoint for one country', () => {
      for (const [typed, countries] of [['10115', ['US', 'DE', 'FR', 'CZ']] as const, ['97400', ['FR']] as const]) {
        const ofOne = countries.map((country) => findPostcode(snapshot, { country, postcode: typed }));
        expect(readResponseData(ask(typed, countries))).toBe(`[${ofOne.map(readResponseData).join(',')}]`);
      }
      expect(parseAnswer(ask('10115', ['DE']))[0].places).toHaveLength(2);
    });
  });

  describe('beside a search of every country', () => {
    let large: FixtureSnapshot;
    let world: Snapshot;
    beforeAll(async () => {
      large = await buildFixtureSnapshot({ ...seededRelease(20260330), ...HAND_MADE_ROWS, ...ROWS });
      world = openSnapshot(large.path);
    });
    afterAll(() => large?.cleanup());

    /** The codes of all countries, also as people write them. */
    function* typedCodes(): Generator<string> {
      for (const { entry, structures } of world.countries) {
        if (structures === undefined) continue;
        const { postcodes } = structures;
        for (let code = 0; code < postcodes.codeCount; code += 1 + Math.floor(postcodes.codeCount / 60)) {
          const text = indexedPostcode(postcodes, code);
          const compact = compactPostcode(text);
          yield* [text, compact, `${entry.code}-${text}`, `${text[0]}-${text}`, `${text} 1AA`, `${compact}1234`];
          yield* [`${compact.slice(0, 3)} ${compact.slice(3)}`, `A${text}ABC`, text.slice(0, 5)].map(normalizePostcode);
        }
      }
      yield* ['', '-', 'NONE', '0', '75380', 'D6W AB12', '😀'];
    }

    test('the same countries, codes and places', () => {
      let foundCount = 0;
      for (const typed of new Set(typedCodes())) {
        const plain = plainPostcode(typed);
        const owner = countryOfForm(world, typed);
        const expected = world.countries.flatMap((country) => {
          if (country.structures === undefined || (owner ?? country) !== country) return [];
          const found =
            owner === undefined ? resolvePostcodeIn(country, plain, true) : lookUpPostcode(world, owner, typed);
          const { postcode, places } = found?.match ?? {};
          return postcode === undefined ? [] : [[country.entry.code, postcode, places]];
        });
        const listed = listFoundPostcodes(world, typed)
          .sort((a, b) => a.country.number - b.country.number)
          .map(({ country, found: { match } }) => {
            return [country.entry.code, match.postcode, match.places];
          });
        expect([typed, listed]).toEqual([typed, expected]);
        foundCount += listed.length;
      }
      expect(foundCount).toBeGreaterThan(300);
    });

    test('few countries are asked for a code', () => {
      const asked = listPostcodeLookupCountries(world, world.countries, '10115').map(({ entry }) => entry.code);
      expect(asked.join(' ')).toBe('CZ DE FR US');
      expect(listPostcodeLookupCountries(world, [], '10115')).toEqual([]);
    });
  });

  test('at most 20 countries: those with the most inhabitants', async () => {
    const codes = 'AD AE AF AG AI AL AM AO AS AT AU AW AZ BA BB BD BE BF BG BH CN'.split(' ');
    const many = await buildFixtureSnapshot(Object.fromEntries(codes.map((code) => [code, [row('777', 'Place')]])));
    try {
      const found: FoundCode[] = parseAnswer(ask('777', undefined, openSnapshot(many.path)));
      expect(found).toHaveLength(MAX_FOUND_COUNTRIES);
      expect(found.slice(0, 3).map(({ countryCode }) => countryCode)).toEqual(['CN', 'BD', 'AF']);
      // The least populous of the 21.
      expect(found.map(({ countryCode }) => countryCode)).not.toContain('AI');
    } finally {
      many.cleanup();
    }
  });
});

/** The table of the countries of each postal code: beside a scan of every country's postcode index, and its bytes. */
describe('the table', () => {
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
        const texts = Array.from({ length: postcodes.codeCount }, (_, code) => indexedPostcode(postcodes, code));
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
      const found = [...findWorldPostcodeCountries(snapshot.worldPostcodes, compact)];
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
      const found = [...findWorldPostcodeCountries(snapshot.worldPostcodes, code)];
      expect(found).toEqual([numberOf('BY'), numberOf('KE')]);
      const having = found.filter((number) => {
        const { postcodes } = snapshot.countries[number]?.structures ?? {};
        return postcodes !== undefined && findInIndex(postcodes, code) !== undefined;
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
    expect(findWorldPostcodeCountries(same, '10115')).toHaveLength(256);
    const reversed = { ...snapshot.worldPostcodes, hashes: snapshot.worldPostcodes.hashes.toReversed() };
    for (const compact of ['10115', 'AD100', '0']) {
      expect(findWorldPostcodeCountries(reversed, compact).length).toBeLessThanOrEqual(256);
    }
  });
});
