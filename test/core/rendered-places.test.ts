/** The answers of a snapshot are the rows of its release: nothing is missing, nothing is made up. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { splitBilingualName } from '../../build-index/naming/bilingual-names.js';
import { placeUnitCodesOf } from '../../src/core/snapshot/place-facts.js';
import { normalizePostcode } from '../../src/core/snapshot/postcode-spelling.js';
import { type CountryStructures, openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { type FixtureRow, HAND_MADE_ROWS, HAND_MADE_TALLY, REJECTED_LINES } from '../fixtures/hand-made-release.js';
import { seededRelease } from '../fixtures/seeded-release.js';
import { unitCodes } from '../fixtures/suggestable-places.js';
import { createOracle, type OracleCountry, type OraclePlace, oracleAncestors } from './oracle.js';

const clean = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A leaf as its row tells it: local names from the root down, code, coordinates. Names: test/build-index/naming. */
function leafOfRow([code, name, admin1, admin2, admin3, latitude, longitude]: FixtureRow): string {
  const units = [admin1, admin2, admin3].map(clean).filter((unit) => unit !== '');
  const texts = [...units, clean(name) || (units.at(-1) as string)];
  const names = texts.map((text) => splitBilingualName(text).localName);
  return JSON.stringify([names, normalizePostcode(code), latitude, longitude]);
}

function leafOfAnswer(country: OracleCountry, place: OraclePlace): string {
  const names = [...oracleAncestors(country, place), place].map(({ localName }) => localName);
  return JSON.stringify([names, place.postalCode, place.latitude, place.longitude]);
}

describe.each([
  ['the hand-made release', HAND_MADE_ROWS],
  ['a seeded release', seededRelease(20260330)],
])('%s', (_, rowsByCountry) => {
  let fixture: FixtureSnapshot;
  let oracle: OracleCountry[];
  beforeAll(async () => {
    fixture = await buildFixtureSnapshot(rowsByCountry);
    oracle = createOracle(openSnapshot(fixture.path));
  });
  afterAll(() => fixture?.cleanup());

  test('each good row is a leaf, once', () => {
    expect(oracle.map(({ code }) => code)).toEqual(
      Object.keys(rowsByCountry)
        .filter((code) => code !== 'AN')
        .sort(),
    );
    for (const country of oracle) {
      const rows = rowsByCountry[country.code]?.filter((row) => typeof row !== 'string') ?? [];
      const expected = new Set(rows.map(leafOfRow));
      const leaves = country.places.filter(({ postalCode }) => postalCode !== null);
      expect(leaves.map((leaf) => leafOfAnswer(country, leaf)).sort()).toEqual([...expected].sort());
    }
  });

  test('each admin unit is there once, with its type, and none without a leaf', () => {
    for (const country of oracle) {
      const rows = rowsByCountry[country.code]?.filter((row) => typeof row !== 'string') ?? [];
      const expected = new Set<string>();
      for (const [, , ...rest] of rows) {
        const named = rest.slice(0, 3).flatMap((text, column) => {
          const type = ['region', 'district', 'municipality'][column];
          return text === '' ? [] : [`${type} ${clean(text as string)}`];
        });
        named.forEach((_, depth) => {
          expected.add(named.slice(0, depth + 1).join(' > '));
        });
      }
      const units = country.places.filter(({ postalCode }) => postalCode === null);
      expect(units).toHaveLength(expected.size);
      const types = units.map(({ type }) => type).sort();
      const expectedTypes = [...expected].map((unit) => unit.split(' > ').at(-1)?.split(' ')[0]).sort();
      expect(types).toEqual(expectedTypes);
    }
  });

  test('each admin unit has the codes of its rows and of ISO 3166-2, where those could be meant', () => {
    const isTyped = (code: string): boolean => /^(?=.*[A-Z])[A-Z0-9]{2,6}$/i.test(code);
    for (const country of oracle) {
      const rows = rowsByCountry[country.code]?.filter((row) => typeof row !== 'string') ?? [];
      const expected = new Map<string, Set<string>>();
      for (const [, , ...rest] of rows) {
        const codes = rest[5] ?? [];
        const units = rest.slice(0, 3).flatMap((text, column) => {
          const { localName } = splitBilingualName(clean(text as string));
          return localName === '' ? [] : [{ unit: `${column} ${localName}`, code: codes[column] ?? '' }];
        });
        units.forEach(({ code }, depth) => {
          const path = units.slice(0, depth + 1).map(({ unit }) => unit);
          const known = expected.get(path.join(' > ')) ?? new Set();
          expected.set(path.join(' > '), isTyped(code) ? known.add(code.toLowerCase()) : known);
        });
      }
      const structures = country.country.structures as CountryStructures;
      const { contexts } = structures;
      for (const unit of country.places.filter(({ postalCode }) => postalCode === null)) {
        const path = [...oracleAncestors(country, unit), unit].map(
          ({ type, localName }) => `${['region', 'district', 'municipality'].indexOf(type)} ${localName}`,
        );
        const found = unitCodes(contexts, unit.number);
        const codes = expected.get(path.join(' > ')) as Set<string>;
        const isoCode = placeUnitCodesOf(structures, unit.number).iso3166_2?.slice(3) ?? '';
        if (unit.level === 1 && isTyped(isoCode)) codes.add(isoCode.toLowerCase());
        expect([path, found]).toEqual([path, [...codes]]);
      }
    }
  });

  test('paths, pages, levels and ids hang together', () => {
    const ids = new Set<string>();
    for (const country of oracle) {
      const [found, expected]: [object[], object[]] = [[], []];
      for (const place of country.places) {
        const ancestors = oracleAncestors(country, place);
        const { id, level, path, slug, url, countryCode, type } = place;
        const isSlug = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug);
        found.push({ level, path, url, countryCode, isSlug, isLeaf: ['locality', 'recipient'].includes(type) });
        expected.push({
          level: ancestors.length + 1,
          path: [...ancestors, place].map((each) => `/${each.slug}`).join(''),
          url: `https://site.test/${country.country.entry.slug}${path}`,
          countryCode: country.code,
          isSlug: true,
          isLeaf: place.postalCode !== null,
        });
        ids.add(id);
      }
      expect(found).toEqual(expected);
    }
    expect(ids.size).toBe(oracle.reduce((sum, { places }) => sum + places.length, 0));
  });

  test('stats of each country are counts of its places', () => {
    for (const { country, places } of oracle) {
      const { levelCounts, distinctPostcodes } = country.entry;
      expect(levelCounts).toEqual([1, 2, 3, 4].map((level) => places.filter((place) => place.level === level).length));
      expect(distinctPostcodes).toBe(new Set(places.flatMap(({ postalCode }) => postalCode ?? [])).size);
    }
  });

  if (rowsByCountry === HAND_MADE_ROWS) {
    test('the report counts every row, and names every kind of problem', () => {
      const { tally } = fixture.report;
      expect(tally).toMatchObject(HAND_MADE_TALLY);
      expect(tally.rowsTaken + tally.rowsMerged + tally.rowsRejected).toBe(tally.rowsRead);
      for (const kind of Object.keys(REJECTED_LINES)) {
        expect({ kind, count: problemCount(fixture, `rejected: ${kind}`) }).toEqual({ kind, count: 1 });
      }
      expect(problemCount(fixture, 'merged: the same place twice')).toBe(1);
    });
  }
});

function problemCount({ report }: FixtureSnapshot, kind: string): number | undefined {
  return (report.tally.problems as Record<string, { count: number } | undefined>)[kind]?.count;
}
