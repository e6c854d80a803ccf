/**
 * The codes of a place, and those of each city: against brute force over a made-up release, and a table of what counts and
 * what does not.
 */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { listPostcodes } from '../../src/core/answers/place-postcodes.js';
import { countCityPostcodes } from '../../src/core/lookup/city-postcodes.js';
import { cityOf } from '../../src/core/snapshot/place-cities.js';
import { positionOf } from '../../src/core/snapshot/place-positions.js';
import { indexedPostcode } from '../../src/core/snapshot/postcode-index.js';
import type { CountryStructures, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import type { FixtureRow } from '../fixtures/hand-made-release.js';
import { seededRelease } from '../fixtures/seeded-release.js';
import { codeOf, parseAnswer } from './answer.js';
import { compareByName, compareText, createOracle, type OracleCountry, type OraclePlace } from './oracle.js';

interface Item {
  readonly postcode: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly placeCount: number;
}

/** All pages, each as long as it may be. */
function listAll(snapshot: Snapshot, country: string, id: string, recipients?: boolean, pageSize = 100): Item[] {
  const items: Item[] = [];
  for (let page = 1; ; page++) {
    const answer = parseAnswer(listPostcodes(snapshot, { country, id, recipients, page, pageSize }));
    items.push(...answer.items);
    const { totalCount, hasNextPage, items: _, ...rest } = answer;
    expect({ ...rest, listed: items.length }).toEqual({
      pageNumber: page,
      pageSize,
      hasPreviousPage: page > 1 && totalCount > 0,
      totalPages: Math.ceil(totalCount / pageSize),
      listed: hasNextPage ? page * pageSize : totalCount,
    });
    if (!hasNextPage) return items;
  }
}

/** By runs of digits and single other characters. */
function compareNaturally(a: string, b: string): number {
  const partsOf = (code: string): readonly string[] => code.match(/\d+|\D/g) ?? [];
  const [partsA, partsB] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < Math.min(partsA.length, partsB.length); at++) {
    const [partA, partB] = [partsA[at] as string, partsB[at] as string];
    const areNumbers = /\d/.test(partA) && /\d/.test(partB);
    const difference = areNumbers ? Number(BigInt(partA) - BigInt(partB)) : compareText(partA[0] ?? '', partB[0] ?? '');
    if (difference !== 0) return difference;
  }
  return partsA.length - partsB.length || compareText(a, b);
}

function leavesBelow(country: OracleCountry, place: OraclePlace): OraclePlace[] {
  const children = country.childrenById.get(place.id) ?? [];
  return children.flatMap((child) => (child.postalCode === null ? leavesBelow(country, child) : [child]));
}

function oracleCodes(country: OracleCountry, place: OraclePlace, recipients: boolean): Item[] {
  const siblings = country.childrenById.get(place.parentId) ?? [];
  const namesakes = siblings.filter(({ name, postalCode }) => name === place.name && postalCode !== null);
  const { positions, cities } = country.country.structures as CountryStructures;
  const belonging = country.places.filter(
    ({ number, postalCode }) => postalCode !== null && cities.cities[number] === place.number,
  );
  const leaves = [...new Set([...leavesBelow(country, place), ...namesakes, ...belonging])]
    .filter(({ type }) => recipients || type === 'locality')
    .sort(compareByName);
  const codes = [...new Set(leaves.map(({ postalCode }) => postalCode as string))].sort(compareNaturally);
  const isSure = ({ number }: OraclePlace): boolean =>
    ['release', 'gazetteer', 'hand'].includes(positionOf(positions, number).source ?? '');
  return codes.map((postcode) => {
    const places = leaves.filter((leaf) => leaf.postalCode === postcode);
    const { latitude, longitude } = (places.find(isSure) ?? places[0]) as OraclePlace;
    return { postcode, latitude, longitude, placeCount: places.length };
  });
}

test('of a unit with places of its name beside it, as Roma has', async () => {
  const snapshot = await openFixture({
    IT: [
      ['00118', 'Ciampino', 'Lazio', 'Roma', 'Roma', 41.8, 12.6],
      ['00184', 'Roma', 'Lazio', 'Roma', '', 41.89, 12.49],
      ['00185', 'Roma', 'Lazio', 'Roma', '', 41.9, 12.5],
      ['00040', 'Ardea', 'Lazio', 'Roma', '', 41.6, 12.5],
    ],
  });
  const [country] = createOracle(snapshot);
  const codesOf = (path: string): string[] => {
    const { id } = (country as OracleCountry).places.find((place) => place.path === path) as OraclePlace;
    return listAll(snapshot, 'IT', id).map(({ postcode }) => postcode);
  };
  expect(codesOf('/lazio/roma/roma')).toEqual(['00118', '00184', '00185']);
  expect(codesOf('/lazio/roma')).toEqual(['00040', '00118', '00184', '00185']);
});

test('of every place of a made-up release, with recipients and without', async () => {
  const { DE = [], FR = [] } = seededRelease(28);
  // Names of a few letters, so that many places of a unit have the same.
  const shorten = ([code, name, ...rest]: FixtureRow): FixtureRow => [code, name.slice(0, 4), ...rest];
  const rows = { DE: DE.slice(0, 600) as FixtureRow[], FR: FR.slice(0, 300) as FixtureRow[] };
  const snapshot = await openFixture({ DE: rows.DE, FR: [...rows.FR, ...rows.DE.slice(0, 200)].map(shorten) });
  let [recipientCodes, reordered, shared, cities] = [0, 0, 0, 0];
  for (const country of createOracle(snapshot)) {
    for (const place of country.places) {
      for (const recipients of [undefined, true]) {
        const expected = oracleCodes(country, place, recipients === true);
        const items = listAll(snapshot, country.code, place.id, recipients);
        expect({ place: place.path, items }).toEqual({ place: place.path, items: expected });
        const codes = items.map(({ postcode }) => postcode);
        if ([...codes].sort(compareText).join() !== codes.join()) reordered++;
        if (items.some(({ placeCount }) => placeCount > 1)) shared++;
        if (place.postalCode !== null && items.length > 1) cities++;
        recipientCodes += recipients ? items.length : -items.length;
      }
    }
  }
  // The release has all that matters here.
  for (const count of [recipientCodes, reordered, shared, cities]) expect(count).toBeGreaterThan(10);
});

test('of every city of a made-up release in one pass: how many, the first and the last', async () => {
  const { DE = [], FR = [] } = seededRelease(29);
  // So close together that recipients have localities near.
  const shorten = ([code, name, , , , latitude, longitude]: FixtureRow): FixtureRow => {
    return [code, name.slice(0, 4), '', '', '', latitude / 50, longitude / 50];
  };
  const snapshot = await openFixture({ FR: [...FR, ...DE.slice(0, 400)].map((row) => shorten(row as FixtureRow)) });
  const [{ places, country }] = createOracle(snapshot) as [OracleCountry];
  const structures = country.structures as CountryStructures;
  const { counts, firsts, lasts } = countCityPostcodes(structures);
  let [shared, recipients] = [0, 0];
  for (const { number, path } of places) {
    const members = places.filter((place) => place.postalCode !== null && cityOf(structures, place.number) === number);
    const localities = members.filter(({ type }) => type === 'locality');
    const codes = [...new Set(localities.map(({ postalCode }) => postalCode as string))].sort(compareNaturally);
    const ends = [firsts, lasts].map((codeOfCity) =>
      indexedPostcode(structures.postcodes, codeOfCity[number] as number),
    );
    const found = { path, count: counts[number], ends: counts[number] === 0 ? [undefined, undefined] : ends };
    expect(found).toEqual({ path, count: codes.length, ends: [codes[0], codes.at(-1)] });
    if (codes.length > 1 && localities.length > codes.length) shared++;
    if (members.length > localities.length) recipients++;
  }
  for (const count of [shared, recipients]) expect(count).toBeGreaterThan(10);
});

describe('a small country', () => {
  const row = (code: string, name: string, unit: string, inner = ''): FixtureRow => [
    code,
    name,
    unit,
    inner,
    '',
    51,
    0,
  ];
  const codes = [
    'SW10',
    'SW1A',
    'SW2',
    'SW1',
    'E7',
    'E07',
    'E007',
    'E10',
    'E1',
    'E1 9',
    'E1-10',
    'É2',
    'E20000000000000000',
  ];
  let snapshot: Snapshot;
  let idOf: (name: string, level?: number) => string;
  beforeAll(async () => {
    snapshot = await openFixture({
      FR: [
        row('75008', 'Paris', 'Paris'),
        row('75008', 'Champs', 'Paris'),
        row('75009', 'Paris', 'Paris'),
        row('75009', 'Paris ville', 'Paris'),
        row('75380 CEDEX 08', 'Senat', 'Paris'),
        row('13001', 'Paris', 'Bouches'),
      ],
      GB: [...codes.map((code) => row(code, 'London', 'England')), row('AB1', 'London', 'England', 'London')],
    });
    const places = createOracle(snapshot).flatMap((country) => country.places);
    idOf = (name, level) => {
      const found = places.find((place) => place.name === name && (level ?? place.level) === place.level);
      return found?.id as string;
    };
  });

  const codesOf = (country: string, id: string, recipients?: boolean): string[] =>
    listAll(snapshot, country, id, recipients, 2).map(({ postcode }) => postcode);

  test('natural order: numbers as numbers, a space and a hyphen before digits, letters behind them', () => {
    const natural = ['E1', 'E1 9', 'E1-10', 'E007', 'E07', 'E7', 'E10', 'E20000000000000000'];
    const others = ['SW1', 'SW1A', 'SW2', 'SW10', 'É2'];
    expect(codesOf('GB', idOf('England'))).toEqual(['AB1', ...natural, ...others]);
  });

  test('of a leaf: those of its name in its unit, not those of a unit of its name, of its start, or elsewhere', () => {
    const city = codesOf('GB', idOf('London', 2));
    expect(city).toHaveLength(codes.length);
    expect(city).not.toContain('AB1');
    const paris = createOracle(snapshot).flatMap(({ places }) => places.filter(({ name }) => name === 'Paris'));
    const byCode = (code: string): string => paris.find(({ postalCode }) => postalCode === code)?.id as string;
    expect(codesOf('FR', byCode('75008'))).toEqual(['75008', '75009']);
    expect(codesOf('FR', byCode('13001'))).toEqual(['13001']);
  });

  test('recipients only if asked for, even of a recipient', () => {
    const unit = idOf('Paris', 1);
    expect(codesOf('FR', unit)).toEqual(['75008', '75009']);
    expect(codesOf('FR', unit, false)).toEqual(['75008', '75009']);
    expect(codesOf('FR', unit, true)).toEqual(['75008', '75009', '75380 CEDEX 08']);
    expect(codesOf('FR', idOf('Senat'))).toEqual([]);
    expect(codesOf('FR', idOf('Senat'), true)).toEqual(['75380 CEDEX 08']);
  });

  test('a page past the last is empty', () => {
    for (const page of [3, Number.MAX_SAFE_INTEGER]) {
      const request = { country: 'FR', id: idOf('Paris', 1), recipients: undefined, page, pageSize: 1 };
      expect(parseAnswer(listPostcodes(snapshot, request))).toEqual({
        items: [],
        pageNumber: page,
        pageSize: 1,
        totalCount: 2,
        totalPages: 2,
        hasPreviousPage: true,
        hasNextPage: false,
      });
    }
  });

  test.each([
    ['ZZ', '00000000-0000-5000-8000-000000000000', 'COUNTRY_NOT_FOUND'],
    ['AE', '00000000-0000-5000-8000-000000000000', 'NO_POSTCODE_DATA'],
    ['FR', '00000000-0000-5000-8000-000000000000', 'PLACE_NOT_FOUND'],
  ])('%s: %s is %s', (country, id, code) => {
    const ask = () => listPostcodes(snapshot, { country, id, recipients: true, page: 1, pageSize: 50 });
    expect(codeOf(ask)).toBe(code);
  });

  test('a place of another country is not found', () => {
    const id = idOf('England');
    const request = { country: 'FR', id, recipients: true, page: 1, pageSize: 50 };
    expect(() => listPostcodes(snapshot, request)).toThrow('There is no place with the id');
  });
});
