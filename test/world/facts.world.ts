/**
 * What is told of places on request, in whole releases: the codes of ISO 3166-2 of first-level units by country, and
 * time zones, populations and bounds of well-known places, written from knowledge of the places.
 */

import { describe, expect, test } from '@jest/globals';
import { INCLUDED_FIELDS } from '../../src/core/answers/place-detail.js';
import { resolvePath } from '../../src/core/answers/places.js';
import { placeUnitCodesOf, populationOf, timezoneOf } from '../../src/core/snapshot/place-facts.js';
import { readKindField, readPathField } from '../../src/core/snapshot/place-fields.js';
import { listAncestors } from '../../src/core/snapshot/place-tree.js';
import { PLACE_TYPES } from '../../src/core/snapshot/place-type.js';
import { count, countriesWithData, openRelease, openWithCities, parseAnswer, percent, printFigures } from './world.js';

/** Countries of which each first-level unit has a code, where a release has the country. */
const COMPLETE = 'US CA AU DE FR IT ES GB IN BR MX JP CN CH AT NL BE PL'.split(' ');
/** Units of these countries that are none of their subdivisions. */
const NO_SUBDIVISIONS = ['US/marshall-islands'];
/** Minimum share of the places in first-level units that have a code. */
const LEAST_SHARE = 0.9;

const withCities = openWithCities();

test.each(['2026-03', '2024-04'] as const)('first-level units of %s have codes of ISO 3166-2', (release) => {
  const without: string[] = [];
  let [units, inUnits, coded] = [0, 0, 0];
  for (const { code, structures } of countriesWithData(openRelease(release))) {
    const { tree } = structures;
    const seen = new Set<string>();
    const tops = new Map<number, boolean>();
    for (let place = 0; place < tree.placeCount; place++) {
      const top = listAncestors(tree, place)[0] ?? place;
      if (!tops.has(top)) {
        if (readKindField(structures, top) !== PLACE_TYPES[0]) continue;
        const { iso3166_2: iso } = placeUnitCodesOf(structures, top);
        tops.set(top, iso !== null);
        if (iso === null) without.push(code + readPathField(structures, top));
        else if (seen.has(iso)) throw new Error(`${iso} is two units`);
        else seen.add(iso);
      }
      inUnits++;
      if (tops.get(top)) coded++;
    }
    units += tops.size;
  }
  const list = without.slice(0, 20).join(', ');
  printFigures(
    `${release}: ${count(units - without.length)} of ${count(units)} first-level units have a code of ISO 3166-2, ` +
      `with ${percent(coded, inUnits)} of their places; the first without: ${list}`,
  );
  const missing = without.filter((unit) => COMPLETE.includes(unit.slice(0, 2)) && !NO_SUBDIVISIONS.includes(unit));
  expect(missing).toEqual([]);
  expect(coded / inUnits).toBeGreaterThan(LEAST_SHARE);
});

describe('well-known places', () => {
  test.each<[string, string, object]>([
    ['DE', '/bayern', { codes: { iso3166_2: 'DE-BY', release: 'BY' }, timezone: 'Europe/Berlin', population: null }],
    ['DE', '/berlin', { codes: { iso3166_2: 'DE-BE', release: 'BE' }, population: 3_426_354 }],
    ['FR', '/ile-de-france', { codes: { iso3166_2: 'FR-IDF', release: '11' }, timezone: 'Europe/Paris' }],
    ['IT', '/lombardia', { codes: { iso3166_2: 'IT-25', release: '09' } }],
    ['GB', '/england', { codes: { iso3166_2: 'GB-ENG', release: 'ENG' } }],
    ['ES', '/canarias', { codes: { iso3166_2: 'ES-CN', release: 'CN' }, timezone: 'Atlantic/Canary' }],
    ['PT', '/azores', { codes: { iso3166_2: 'PT-20', release: '23' }, timezone: 'Atlantic/Azores' }],
    ['BR', '/sao-paulo', { codes: { iso3166_2: 'BR-SP', release: '27' }, timezone: 'America/Sao_Paulo' }],
    ['US', '/texas/el-paso', { codes: { iso3166_2: 'US-TX', release: 'TX' }, timezone: 'America/Denver' }],
    ['US', '/texas/dallas', { timezone: 'America/Chicago' }],
    ['US', '/california/los-angeles', { timezone: 'America/Los_Angeles', population: null }],
    ['US', '/hawaii', { codes: { iso3166_2: 'US-HI', release: 'HI' }, timezone: 'Pacific/Honolulu' }],
    ['AU', '/western-australia', { codes: { iso3166_2: 'AU-WA', release: 'WA' }, timezone: 'Australia/Perth' }],
    [
      'RU',
      '/kaliningradskaya-oblast',
      { codes: { iso3166_2: 'RU-KGD', release: '23' }, timezone: 'Europe/Kaliningrad' },
    ],
    ['CN', '/inner-mongolia', { codes: { iso3166_2: 'CN-NM', release: '20' }, timezone: 'Asia/Shanghai' }],
  ])('%s%s', (country, path, facts) => {
    const input = { country, segments: path.slice(1).split('/'), include: INCLUDED_FIELDS };
    expect(parseAnswer(resolvePath(withCities, input))).toMatchObject(facts);
  });

  test('no unit is upside down, and few lie across the antimeridian', () => {
    const wide: string[] = [];
    for (const { code, structures } of countriesWithData(withCities)) {
      const { boundedUnits, bounds } = structures.facts;
      boundedUnits.forEach((unit, at) => {
        const [west, south, east, north] = bounds.subarray(4 * at, 4 * at + 4) as unknown as [
          number,
          number,
          number,
          number,
        ];
        expect([code, unit, south <= north]).toEqual([code, unit, true]);
        if (west > east) wide.push(code + readPathField(structures, unit));
      });
    }
    printFigures(`${count(wide.length)} units across the antimeridian: ${wide.slice(0, 10).join(', ')}`);
    expect(wide.length).toBeLessThan(100);
  });
});

test('time zones are names that Node knows, and cities have people', () => {
  const zones = new Set<string>();
  let populated = 0;
  for (const { structures } of countriesWithData(withCities)) {
    populated += structures.facts.populated.length;
    for (let place = 0; place < structures.tree.placeCount; place += 97) {
      zones.add(timezoneOf(structures, place) as string);
      const people = populationOf(structures, place);
      expect(people === null || people > 0).toBe(true);
    }
  }
  for (const zone of zones) expect(() => new Intl.DateTimeFormat('en', { timeZone: zone })).not.toThrow();
  printFigures(`${count(zones.size)} time zones; ${count(populated)} places with a population`);
  expect(populated).toBeGreaterThan(300_000);
});
