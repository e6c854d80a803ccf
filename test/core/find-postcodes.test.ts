/** A postal code in all countries or in some: which countries have it, in which order, and what none of them has. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { compactPostcode, normalizePostcode, plainPostcode } from '../../src/core/snapshot/postcode.js';
import { codeText } from '../../src/core/snapshot/postcode-index.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { DomainError } from '../../src/core/use-cases/domain-error.js';
import {
  listPossibleCountries,
  lookUpEverywhere,
  resolvePostcodeIn,
} from '../../src/core/use-cases/postcode-candidates.js';
import { findPostcode, findPostcodes, MAX_FOUND_COUNTRIES } from '../../src/core/use-cases/postcodes.js';
import { readResponseData } from '../../src/core/use-cases/response-data.js';
import { buildFixtureSnapshot, type FixtureSnapshot, openFixture } from '../fixtures/fixture-snapshot.js';
import { type FixtureRow, HAND_MADE_ROWS, type RowsByCountry } from '../fixtures/hand-made-release.js';
import { seededRelease } from '../fixtures/seeded-release.js';
import { parseAnswer } from './answer.js';

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
    ['1000-001', 'PT 1000-001, RU 100 0001'],
    ['1000001', 'RU 1000001, PT 1000-001'],
    ['100-0001', 'RU 100 0001, PT 1000-001'],
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
        const text = codeText(postcodes, code);
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
      const expected = world.countries.flatMap((country) => {
        if (country.structures === undefined) return [];
        const { postcode, places } = resolvePostcodeIn(country, plain, true)?.match ?? {};
        return postcode === undefined ? [] : [[country.entry.code, postcode, places]];
      });
      const found = lookUpEverywhere(world, typed).map(({ country, found: { match } }) => {
        return [country.entry.code, match.postcode, match.places];
      });
      expect([typed, found]).toEqual([typed, expected]);
      foundCount += found.length;
    }
    expect(foundCount).toBeGreaterThan(300);
  });

  test('few countries are asked for a code', () => {
    const asked = listPossibleCountries(world, world.countries, '10115').map(({ entry }) => entry.code);
    expect(asked.join(' ')).toBe('CZ DE FR US');
    expect(listPossibleCountries(world, [], '10115')).toEqual([]);
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
