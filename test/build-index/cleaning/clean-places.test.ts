/**
 * What a release has wrong and what becomes of it: units that are there twice, rows that are no localities, coordinates
 * that cannot be true. Each rule both ways: what it changes, and what looks like it and stays.
 */

import { describe, expect, test } from '@jest/globals';
import { cleanPlaces } from '../../../build-index/cleaning/clean-places.js';
import type { CleanedPlaces } from '../../../build-index/tree/collected-places.js';
import { identifyPlaces } from '../../../build-index/tree/place-identities.js';
import { decodePlaceIds } from '../../../src/core/snapshot/place-id.js';
import { PLACE_TYPES } from '../../../src/core/snapshot/place-type.js';
import { collectRows } from '../../fixtures/collected-rows.js';
import { type FixtureRow, rowsOf } from '../../fixtures/hand-made-release.js';
import { createRandom } from '../../fixtures/random.mjs';

function clean(country: string, rows: readonly FixtureRow[], accuracy = '') {
  const { places, tally } = cleanPlaces(collectRows(country, rows, { accuracy }), country);
  const counts = Object.fromEntries(
    [...tally].map(([kind, { countByCountry }]) => [kind, countByCountry.get(country)]),
  );
  return { places, counts };
}

/** The names from the root down to each leaf, with the leaf's type. */
function pathsOf({ parents, texts, types }: CleanedPlaces): string[] {
  return texts.flatMap((text, place) => {
    if ((types[place] as number) < 3) return [];
    const names = [text];
    for (let at = parents[place] as number; at !== -1; at = parents[at] as number) names.unshift(texts[at] as string);
    return [`${names.join(' > ')} (${PLACE_TYPES[types[place] as number]})`];
  });
}

describe('recipients', () => {
  const typesOf = (country: string, rows: readonly FixtureRow[]): string[] => {
    const { places } = clean(country, rows);
    return places.types.flatMap((type) => (type < 3 ? [] : [PLACE_TYPES[type] as string]));
  };
  const one = (code: string, name: string, admin1 = '', admin1Code = ''): FixtureRow => {
    return [code, name, admin1, '', '', 48, 9, [admin1Code, '', '']];
  };

  test.each<[string, string, FixtureRow, string]>([
    ['a CEDEX code', 'FR', one('53061 CEDEX 9', 'Laval', 'Pays de la Loire', '52'), 'recipient'],
    ['likewise overseas', 'RE', one('97491 CEDEX', 'Sainte-Clotilde'), 'recipient'],
    ['an air base', 'FR', one('16109 AIR', 'Cognac', 'Nouvelle-Aquitaine', '75'), 'recipient'],
    ['a code without CEDEX', 'FR', one('53000', 'Laval', 'Pays de la Loire', '52'), 'locality'],
    ['a place called Cedex', 'ES', one('28760', 'Cedex', 'Madrid', 'MD'), 'locality'],
    ['post boxes', 'PH', one('1073', 'Manila CPO-PO Box# 3300 to 3399'), 'recipient'],
    ['post boxes, with dots', 'PH', one('1167', 'Quezon City CPO - P.O. Box Nos. 2700 to 2799'), 'recipient'],
    ['a central post office, which is a part of the town', 'PH', one('1600', 'Pasig CPO'), 'locality'],
    ['a village whose name ends so', 'GB', one('CV33', 'Bishops Itchington Po Boxwood'), 'locality'],
    ['PostFinance', 'CH', one('3002', 'Bern PostFinance'), 'recipient'],
    ['PostFinance elsewhere', 'AT', one('3002', 'Bern PostFinance'), 'locality'],
    ['military post', 'US', one('09165', 'APO AE'), 'recipient'],
    ['mail centre', 'DK', one('0960', 'Udland'), 'recipient'],
    ['parcel centre', 'DK', one('0917', 'Københavns Pakkecent'), 'recipient'],
    ['military post elsewhere', 'DE', one('09165', 'APO AE'), 'locality'],
    ['a town of a similar name', 'US', one('16630', 'Apo Aerie', 'Pennsylvania', 'PA'), 'locality'],
  ])('%s', (_, country, row, type) => expect(typesOf(country, [row])).toEqual([type]));

  test('the rows of Germany whose state has a number, beside rows whose state has letters', () => {
    const bank = one('10875', 'Daimler Versicherung AG', 'Berlin', '16');
    const town = one('10115', 'Berlin', 'Berlin', 'BE');
    expect(typesOf('DE', [bank, town])).toEqual(['recipient', 'locality']);
    expect(typesOf('AT', [bank, town])).toEqual(['locality', 'locality']);
    // A release in which all states have numbers says nothing by them.
    const others = ['A', 'B', 'C'].map((name) => one('10117', name, 'Berlin', '16'));
    expect(typesOf('DE', [...others, bank, town])).toEqual(Array(5).fill('locality'));
  });

  test('keep their ids', () => {
    const rows = [one('53061 CEDEX 9', 'Laval'), one('53000', 'Laval')];
    const released = decodePlaceIds(identifyPlaces(collectRows('FR', rows), 'FR'));
    expect(decodePlaceIds(clean('FR', rows).places.ids)).toEqual(released);
  });
});

describe('units that are there twice', () => {
  /** Rows in two districts, "name:code | name:code". */
  const pair = (districts: string): FixtureRow[] => {
    const [[nameA = '', codeA = ''] = [], [nameB = '', codeB = ''] = []] = districts
      .split(' | ')
      .map((unit) => unit.split(':'));
    return [
      ['1', 'A', 'Land', nameA, '', 48, 9, ['L', codeA, '']],
      ['2', 'B', 'Land', nameA, '', 48, 9.1, ['L', codeA, '']],
      ['3', 'C', 'Land', nameB, '', 48, 9.2, ['L', codeB, '']],
    ];
  };
  const districtsOf = (rows: readonly FixtureRow[], country = 'DE'): string => {
    const { places } = clean(country, rows);
    return places.texts.filter((_, place) => places.types[place] === 1).join(' | ');
  };

  test.each([
    ['another word for the kind of unit', 'Landkreis Böblingen:08115 | Böblingen:08115', 'Landkreis Böblingen'],
    ['an abbreviation', 'Regierungsbezirk Gießen:065 | Reg.-Bez. Gießen:065', 'Regierungsbezirk Gießen'],
    ['English', 'Düsseldorf District:051 | Reg.-Bez. Düsseldorf:051', 'Regierungsbezirk Düsseldorf'],
    ['a letter mistyped', 'Cahul:64 | Canul:64', 'Cahul'],
    ['a letter left out', 'Aalborg Kommune:851 | Ålborg Kommune:851', 'Aalborg Kommune'],
    ['an accent left out, though by more rows', 'Montreal:06 | Montréal:06', 'Montréal'],
    ['one side of two', 'Bozen:21 | Bolzano - Bozen:21', 'Bozen'],
    ['white space, without codes', 'Criuleni-Dub. | Criuleni- Dub.', 'Criuleni-Dub.'],
    ['letters of another case', 'Vrbovec | vrbovec', 'Vrbovec'],
  ])('%s', (_, districts, name) => expect(districtsOf(pair(districts))).toBe(name));

  test.each([
    ['a town and the land around it', 'Lilongwe Urban:11 | Lilongwe Rural:11'],
    ['one letter, and two codes', 'Soodi küla:7691 | Söödi küla:7968'],
    ['a word for the kind, and two codes', 'Stadtkreis Heilbronn:08121 | Landkreis Heilbronn:08125'],
    ['a digit', 'Sector 2:11055 | Sector 3:11055'],
    ['other names of one code', 'Göyçay:22 | Göy-Göl:22'],
    ['short names one letter apart', 'She:7 | Shu:7'],
    ['a letter', 'Sector A:7 | Sector B:7'],
    ['a Roman number', 'Zone II:7 | Zone III:7'],
    ['names of which one side is the same', 'North - South:7 | East - South:7'],
    ['names that begin with another letter', 'Kings Point:7 | Wings Point:7'],
    ["a code that is the outer unit's", 'Wuhexian:L | Wuhuxian:L'],
  ])('%s: they are two', (_, districts) => {
    expect(districtsOf(pair(districts))).toBe(districts.replaceAll(/:\w+/g, ''));
  });

  test('a unit of several codes is none of them', () => {
    const rows: FixtureRow[] = [
      ...pair('Stadtkreis Heilbronn:08121 | Heilbronn:08121'),
      ['4', 'D', 'Land', 'Heilbronn', '', 48, 9, ['L', '08125', '']],
    ];
    expect(districtsOf(rows)).toBe('Stadtkreis Heilbronn | Heilbronn');
  });

  /** Two regions, of which the second has a town and a district that the first has too. */
  const inTwoLanguages: FixtureRow[] = [
    ['80331', 'München', 'Bayern', 'Oberbayern', 'Kreisfreie Stadt München', 48.1, 11.6, ['BY', '091', '09162']],
    ['82467', 'Garmisch', 'Bayern', 'Oberbayern', 'Landkreis Garmisch', 47.5, 11.1, ['BY', '091', '09180']],
    ['80324', 'Post AG', 'Bavaria', 'Upper Bavaria', 'Landeshauptstadt München', 48.1, 11.5, ['02', '091', '09162']],
    ['80325', 'Bank AG', 'Bavaria', 'Oberbayern', 'Kreisfreie Stadt München', 48.1, 11.5, ['02', '091', '09162']],
  ];

  test('a region in two languages is one, and so is what lies in it', () => {
    const { places, counts } = clean('DE', inTwoLanguages);
    expect(pathsOf(places)).toEqual([
      'Bayern > Oberbayern > Kreisfreie Stadt München > München (locality)',
      'Bayern > Oberbayern > Landkreis Garmisch > Garmisch (locality)',
      'Bayern > Oberbayern > Kreisfreie Stadt München > Post AG (recipient)',
      'Bayern > Oberbayern > Kreisfreie Stadt München > Bank AG (recipient)',
    ]);
    expect([...places.mergedNames.values()]).toContainEqual(['Bavaria']);
    expect(counts['unit: merged into another']).toBe(3);
  });

  test('what stays keeps its id, and leaves theirs', () => {
    const released = collectRows('DE', inTwoLanguages);
    const idsBefore = decodePlaceIds(identifyPlaces(released, 'DE'));
    const idOf = new Map(released.texts.map((text, place) => [`${text} ${released.levels[place]}`, idsBefore[place]]));
    const { places } = clean('DE', inTwoLanguages);
    const ids = decodePlaceIds(places.ids);
    for (const name of ['Bayern 1', 'Landkreis Garmisch 3', 'München 4', 'Post AG 4']) {
      const place = places.texts.findIndex((text, at) => `${text} ${places.levels[at]}` === name);
      expect([name, ids[place]]).toEqual([name, idOf.get(name)]);
    }
  });

  test('strays over a border make no two regions one', () => {
    const within = (region: string, code: string, unit: string, unitCode: string, count: number, from: number) =>
      rowsOf(count, (n) => [`${from + n}`, `P${from + n}`, region, unit, '', -35, 149 + n / 100, [code, unitCode, '']]);
    const rows = [
      ...within('Capital Territory', 'ACT', 'Unincorporated', '89399', 130, 0),
      ...within('Capital Territory', 'ACT', 'Snowy', '17040', 9, 200),
      ...within('New South Wales', 'NSW', 'Snowy', '17040', 80, 300),
      ...within('New South Wales', 'NSW', 'Unincorporated', '89399', 2, 400),
      ...within('New South Wales', 'NSW', 'Elsewhere', '17050', 300, 500),
    ];
    const { places } = clean('AU', rows);
    expect(places.texts.filter((_, place) => places.types[place] === 0)).toEqual([
      'Capital Territory',
      'New South Wales',
    ]);
  });

  test('leaves that differed only by their units become one, with the plain id', () => {
    const rows: FixtureRow[] = [
      ['1', 'Same', 'Land', 'Landkreis Ulm', '', 48, 9, ['L', '1', '']],
      ['1', 'Same', 'Land', 'Ulm', '', 48, 9, ['L', '1', '']],
      ['2', 'Other', 'Land', 'Ulm', '', 48, 9, ['L', '1', '']],
    ];
    const { places, counts } = clean('DE', rows);
    const plain = decodePlaceIds(identifyPlaces(collectRows('DE', [['1', 'Same', '', '', '', 48, 9]]), 'DE'))[0];
    expect(pathsOf(places)).toEqual(['Land > Ulm > Same (locality)', 'Land > Ulm > Other (locality)']);
    expect(decodePlaceIds(places.ids)[places.texts.indexOf('Same')]).toBe(plain);
    expect(counts['leaf: duplicate in a unit']).toBe(1);
  });
});

describe('coordinates', () => {
  const random = createRandom(5);
  /** Places around a point, in one unit, with codes of the same prefix. */
  const around = (unit: string, prefix: string, lat: number, lng: number, count = 20, degrees = 0.2): FixtureRow[] =>
    rowsOf(count, (row) => {
      const [dLat, dLng] = [(random() * 2 - 1) * degrees, (random() * 2 - 1) * degrees];
      const position = [Number((lat + dLat).toFixed(4)), Number((lng + dLng).toFixed(4))] as const;
      return [`${prefix}${String(row).padStart(2, '0')}`, `${unit} ${row}`, 'Region', unit, '', ...position];
    });
  const towns = [...around('North', '10', 55, 40), ...around('South', '20', 50, 40), ...around('East', '30', 50, 46)];
  const found = (rows: readonly FixtureRow[], name: string, accuracy?: string) => {
    const { places, counts } = clean('RU', rows, accuracy);
    const place = places.texts.indexOf(name);
    const { latitudes, longitudes, sources, releasedLatitudes } = places;
    return {
      position: [latitudes[place] as number, longitudes[place] as number] as const,
      source: sources[place],
      releasedLatitude: releasedLatitudes[place],
      counts,
    };
  };

  test('sound rows stay where they are', () => {
    const { places, counts } = clean('RU', towns);
    expect(counts).toEqual({});
    expect(places.sources.filter((_, place) => places.types[place] === 3)).toEqual(Array(60).fill('release'));
  });

  test('a row inside another unit and among other codes moves to its own', () => {
    const rows = [...towns, ['1050', 'Outside', 'Region', 'North', '', 50.01, 40.01] as const];
    const { position, source, releasedLatitude, counts } = found(rows, 'Outside');
    expect(source).toBe('agreement');
    expect(Math.abs(position[0] - 55)).toBeLessThan(0.3);
    expect(Math.abs(position[1] - 40)).toBeLessThan(0.3);
    expect(releasedLatitude).toBe(50.01);
    expect(counts).toEqual({ 'position: estimated from its code and unit': 1 });
  });

  test('a row inside another unit with similar codes stays: the unit may be the mistake', () => {
    const rows = [...towns, ['2050', 'Outside', 'Region', 'North', '', 50.01, 40.01] as const];
    expect(found(rows, 'Outside')).toMatchObject({ source: 'release', position: [50.01, 40.01], counts: {} });
  });

  test('an island far from all stays', () => {
    const rows = [...towns, ['1050', 'Island', 'Region', 'North', '', 58, 30] as const];
    expect(found(rows, 'Island')).toMatchObject({ source: 'release', counts: {} });
  });

  test('an estimate says nothing about where others lie', () => {
    const outside = ['1050', 'Outside', 'Region', 'North', '', 50.01, 40.01] as const;
    const places = collectRows('RU', towns, { accuracy: '1' });
    expect(new Set(places.placedBy.filter((_, place) => places.types[place] === 3))).toEqual(new Set(['estimate']));
    expect(found([...towns, outside], 'Outside', '1')).toMatchObject({ source: 'release', counts: {} });
    expect(found([...towns, outside], 'Outside', '4').source).toBe('agreement');
  });

  test('in a country where next to no row is wrong, one that looks wrong stays', () => {
    const sound = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((unit) => around(`Unit ${unit}`, `${unit}0`, 45 + unit, 60, 300));
    const outside = ['1050', 'Outside', 'Region', 'North', '', 50.01, 40.01] as const;
    expect(found([...towns, ...sound, outside], 'Outside').source).toBe('release');
    expect(found([...towns, ...sound.slice(0, 1500), outside], 'Outside').source).toBe('agreement');
  });

  test('where a hundredth of the rows is wrong the region says where a scattered district lies', () => {
    const inRegion = (region: string, rows: readonly FixtureRow[]): FixtureRow[] =>
      rows.map(([code, name, , ...rest]): FixtureRow => [code, name, region, ...rest]);
    const north = inRegion('North', [...around('Nord A', '10', 60, 40, 60), ...around('Nord B', '11', 60.4, 40.4, 60)]);
    const south = Array.from({ length: 25 }, (_, unit) =>
      around(`Sud ${unit}`, `2${unit + 10}`, 40 + unit / 2, 40, 14),
    );
    /** Rows of the north, each inside one of `count` districts of the south. */
    const outside = (district: string, prefix: string, count: number, mark: string): FixtureRow[] =>
      rowsOf(count, (unit) => {
        const [code, name] = [`${prefix}${unit + 60}`, `${mark} ${unit}`];
        return [code, name, 'North', district, '', 40.01 + unit / 2, 40.01];
      });
    // Half of a district of the north lies all over the south: its own middle says nothing.
    const scattered = [...inRegion('North', around('Nord C', '12', 60.2, 40.2, 8)), ...outside('Nord C', '11', 9, 'X')];
    const changed = (rows: readonly FixtureRow[]): string[] => {
      const { places } = clean('RU', rows);
      return places.texts.filter((_, place) => places.types[place] === 3 && places.sources[place] !== 'release');
    };
    const all = [...north, ...inRegion('South', south.flat()), ...scattered];
    expect(changed(all).filter((name) => name.startsWith('X'))).toHaveLength(9);
    expect(changed(all).filter((name) => /^[NS]/.test(name))).toEqual([]);
    // Two wrong rows beside each other are of their own, until many rows are known to be wrong.
    const pair = rowsOf(2, (n) => [`119${n}`, `Z ${n}`, 'North', 'Nord B', '', 51.5 + n / 100, 40]);
    expect(changed([...all, ...pair]).filter((name) => name.startsWith('Z'))).toEqual([]);
    const many = changed([...all, ...pair, ...outside('Nord A', '10', 22, 'Y')]);
    expect(many.filter((name) => name.startsWith('Z'))).toHaveLength(2);
    expect(many.filter((name) => /^[NS]/.test(name))).toEqual([]);
  });

  test('the order of the rows changes nothing', () => {
    const withCode = ([code, name, region, unit, third, lat, lng]: FixtureRow): FixtureRow => {
      return [code, name, region, unit, third, lat, lng, ['01', code.slice(0, 1), '']];
    };
    const rows = [
      ...towns,
      ['1050', 'Outside', 'Region', 'North', '', 50.01, 40.01] as const,
      ['0000', 'Null island', 'Region', 'North', '', 0, 0] as const,
      ...around('Sao Joaquim', '50', 52, 60, 4),
      ...around('São Joaquim', '50', 52, 60, 1),
      ...around('Sao Joaquims', '50', 52, 60, 2),
    ].map(withCode);
    const shuffledBy = (seed: number): FixtureRow[] => {
      const at = createRandom(seed);
      return rows
        .map((row) => ({ row, key: at() }))
        .sort((a, b) => a.key - b.key)
        .map(({ row }) => row);
    };
    const outcomeOf = (list: readonly FixtureRow[]) => {
      const { places, counts } = clean('RU', list);
      const positions = places.texts.flatMap((text, place) =>
        (places.types[place] as number) < 3 ? [] : [[text, places.latitudes[place], places.sources[place]].join()],
      );
      return { paths: pathsOf(places).sort(), positions: positions.sort(), counts };
    };
    const expected = outcomeOf(rows);
    expect(expected.counts['unit: merged into another']).toBe(2);
    for (const seed of [1, 2, 3, 4]) expect(outcomeOf(shuffledBy(seed))).toEqual(expected);
  });

  test('a row across the antimeridian is near', () => {
    const rows = around('Far East', '40', 66, 179.95).map((row): FixtureRow => {
      const lng = row[6] > 180 ? Number((row[6] - 360).toFixed(4)) : row[6];
      return [row[0], row[1], row[2], row[3], row[4], row[5], lng];
    });
    expect(rows.some(([, , , , , , lng]) => lng < 0)).toBe(true);
    expect(clean('RU', [...rows, ...towns]).counts).toEqual({});
  });

  describe('a point that places of many units share', () => {
    const shared = (names: number, districts: number): FixtureRow[] =>
      rowsOf(6, (row) => [`9${row}000`, `Town ${row % names}`, 'Tibet', `Prefecture ${row % districts}`, '', 31, 91]);
    const region = rowsOf(12, (n) => {
      return [`95${n}00`, `Seat ${n}`, 'Tibet', `Prefecture ${n}`, '', 28.2 + n / 2, 85 + ((n * 5) % 12)];
    });
    const coarseCount = (rows: readonly FixtureRow[]) => clean('CN', rows).counts['position: shared by a whole area'];

    test('stands for their region', () => expect(coarseCount([...region, ...shared(6, 6)])).toBe(6));
    test('says nothing where the places have one name', () =>
      expect(coarseCount([...region, ...shared(1, 6)])).toBeUndefined());
    test('says nothing within one district', () => expect(coarseCount([...region, ...shared(6, 1)])).toBeUndefined());
    test('is a town where the region is no larger', () => {
      const city = region.map((row): FixtureRow => {
        return [row[0], row[1], row[2], row[3], row[4], 31 + (row[5] - 31) / 50, 91 + (row[6] - 91) / 50];
      });
      expect(coarseCount([...city, ...shared(6, 6)])).toBeUndefined();
    });
  });
});
