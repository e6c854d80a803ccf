/** Cities that the release has in parts only become places, romanised names give way, and nothing else changes. */

import { describe, expect, test } from '@jest/globals';
import { matchCities } from '../../../build-index/cities/match-cities.js';
import { placeCitiesInTree } from '../../../build-index/cities/placed-cities.js';
import type { NamedCity } from '../../../build-index/gazetteer/read-gazetteer.js';
import { amendTree } from '../../../build-index/tree/amended-tree.js';
import type { CountryTree } from '../../../build-index/tree/country-tree.js';
import { decodePlaceIds } from '../../../src/core/snapshot/place-id.js';
import { levelOf, NO_PARENT } from '../../../src/core/snapshot/place-tree.js';
import { isLeafType, PLACE_TYPES } from '../../../src/core/snapshot/place-type.js';
import { treeOf } from '../../fixtures/collected-rows.js';
import { cityOf } from '../../fixtures/gazetteer.js';
import type { FixtureRow } from '../../fixtures/hand-made-release.js';

const place = (tree: CountryTree, ...cities: NamedCity[]) => placeCitiesInTree(tree, matchCities(tree, cities));

/** What a place is, its number aside. */
function describePlace(tree: CountryTree, id: string) {
  const ids = decodePlaceIds(tree.ids);
  const number = ids.indexOf(id);
  const parent = tree.parents[number] as number;
  return {
    level: levelOf(tree, number),
    localName: tree.localNames[number],
    type: PLACE_TYPES[tree.types[number] as number],
    codes: tree.codes[number],
    releaseCodes: tree.releaseCodes[number],
    slug: tree.slugs[number],
    path: tree.paths[number],
    postalCode: tree.postalCodes[number],
    position: [tree.latitudes[number], tree.longitudes[number]],
    parent: parent === NO_PARENT ? null : ids[parent],
  };
}

/** The paths of what is new in `after`; all that was there must be as it was. */
function listNew(before: CountryTree, after: CountryTree): string[] {
  const old = new Set(decodePlaceIds(before.ids));
  for (const id of old) expect(describePlace(after, id)).toEqual(describePlace(before, id));
  return decodePlaceIds(after.ids).flatMap((id, number) => (old.has(id) ? [] : [after.paths[number] as string]));
}

const streets = (region: string, names: readonly string[], lat: number, lng: number): FixtureRow[] =>
  names.map((name, index) => [String(1000 + index), name, region, '', '', lat + index / 200, lng]);
const DUBLIN = streets('Leinster', ['Dublin 1', 'Dublin 2', 'Dublin 3', 'Lucan', 'Bray'], 53.33, -6.25);
const dublin = cityOf('IE', 'Dublin', 53.3331, -6.2489, { otherNames: ['Baile Átha Cliath'], population: 1_000_000 });

describe('a city in parts', () => {
  test('is beside its parts, where the gazetteer has it, without postal code and children', () => {
    const tree = treeOf('IE', DUBLIN);
    const { tree: after, cities } = place(tree, dublin);
    expect(listNew(tree, after)).toEqual(['/leinster/dublin']);
    const [{ places, parts, isSynthesised }] = cities as [(typeof cities)[number]];
    const [synthesised] = places as [number];
    expect({ isSynthesised, count: places.length, name: after.names[synthesised] }).toEqual({
      isSynthesised: true,
      count: 1,
      name: 'Dublin',
    });
    expect(parts.map((part) => after.names[part])).toEqual(['Dublin 1', 'Dublin 2', 'Dublin 3']);
    expect([after.postalCodes[synthesised], isLeafType(after.types[synthesised])]).toEqual([null, false]);
    expect([after.latitudes[synthesised], after.longitudes[synthesised]]).toEqual([53.3331, -6.2489]);
    expect(after.childStarts[synthesised]).toBe(after.childStarts[synthesised + 1]);
    // Siblings are ordered by name still.
    expect(after.names).toEqual(['Leinster', 'Bray', 'Dublin', 'Dublin 1', 'Dublin 2', 'Dublin 3', 'Lucan']);
  });

  test('keeps its id in another unit and under another name', () => {
    const idIn = (region: string, city: NamedCity): string => {
      const { tree, cities } = place(treeOf('IE', streets(region, ['Dublin 1', 'Dublin 2'], 53.33, -6.25)), city);
      return decodePlaceIds(tree.ids)[cities[0]?.places[0] as number] as string;
    };
    expect(idIn('Leinster', dublin)).toBe(idIn('Fingal', { ...dublin, population: 900_000 }));
    expect(idIn('Leinster', dublin)).not.toBe(idIn('Leinster', { ...dublin, geonameId: 999_999 }));
  });

  test('has the name that its parts have', () => {
    const pilsen = cityOf('CZ', 'Pilsen', 49.7475, 13.3776, { otherNames: ['Plzen', 'Plzeň'], population: 170_000 });
    const tree = treeOf('CZ', streets('Plzeňský kraj', ['Plzeň 1', 'Plzeň 2-Slovany', 'Plzeň 3'], 49.74, 13.37));
    const { tree: after } = place(tree, pilsen);
    expect(listNew(tree, after)).toEqual(['/plzensky-kraj/plzen']);
    expect(after.names).toContain('Plzeň');
  });

  test('is a root where no unit holds the parts, and takes no slug away', () => {
    const far: FixtureRow = ['9', 'Dublin', '', '', '', 51.5, -9.5];
    const tree = treeOf('IE', [
      ...DUBLIN.map(([code, name, , , , lat, lng]): FixtureRow => [code, name, '', '', '', lat, lng]),
      far,
    ]);
    const { tree: after } = place(tree, { ...dublin, adminCodes: ['', ''] });
    expect(listNew(tree, after)).toEqual(['/dublin-city']);
  });

  test('is not synthesised from one place under another name, nor from parts elsewhere', () => {
    const waren = treeOf('DE', streets('Mecklenburg', ['Waren (Müritz)', 'Neustrelitz'], 53.52, 12.68));
    expect(place(waren, cityOf('DE', 'Waren', 53.52, 12.68)).tree).toBe(waren);
    const tree = treeOf('IE', [
      ...streets('Leinster', ['Dublin 1', 'Dublin 2'], 50, -6.25),
      ...streets('Munster', ['Cork', 'Cobh'], 53.33, -6.25),
    ]);
    const match = {
      city: { ...dublin, population: 1_999 },
      kind: 'parts by name',
      places: [],
      isWider: false,
      isFar: false,
      parts: [2, 3],
      otherNames: [],
    } as const;
    expect(match.parts.map((part) => tree.names[part])).toEqual(['Dublin 1', 'Dublin 2']);
    expect(placeCitiesInTree(tree, [match]).tree).toBe(tree);
  });

  test('stands before its chief post office', () => {
    const tree = treeOf('PK', streets('Sindh', ['Karachi Gpo', 'Karachi Airport', 'Karachi Korangi'], 24.86, 67.01));
    const { tree: after, cities } = place(tree, cityOf('PK', 'Karachi', 24.8608, 67.0104, { population: 11_000_000 }));
    expect(listNew(tree, after)).toEqual(['/sindh/karachi']);
    expect(cities[0]?.places.map((number) => after.names[number])).toEqual(['Karachi']);
  });
});

describe('a city of what lies around it', () => {
  const penang = (names: readonly string[]) => treeOf('MY', streets('Pulau Pinang', names, 5.41, 100.33));
  const georgeTown = cityOf('MY', 'George Town', 5.4112, 100.3354, { population: 700_000 });

  test('lies in the region of that', () => {
    const tree = penang(['Ayer Itam', 'Jelutong', 'Tanjung Bungah', 'Gelugor']);
    expect(listNew(tree, place(tree, georgeTown).tree)).toEqual(['/pulau-pinang/george-town']);
  });

  test('is not synthesised from a single place', () => {
    const tree = penang(['Penang', 'Penang', 'Penang', 'Penang']);
    expect(place(tree, georgeTown).tree).toBe(tree);
  });
});

describe('a city of which the release knows nothing', () => {
  const warsaw = streets('Mazovia', ['Warszawa', 'Raszyn'], 52.2, 21);
  const mokotow = cityOf('PL', 'Mokotów', 52.19, 21.01, { population: 220_000 });

  test('lies in the region of what is nearest', () => {
    const tree = treeOf('PL', [...warsaw, ['90001', 'Łódź', 'Łódzkie', '', '', 51.98, 21]]);
    const { tree: after, cities } = place(tree, mokotow);
    expect(listNew(tree, after)).toEqual(['/mazowieckie/mokotow']);
    expect(cities[0]).toMatchObject({ kind: 'inside', isSynthesised: true });
  });

  test('is in the region of a code, beside a village of its name that is not the city', () => {
    const near = (code: string, name: string, region: string, lat = -7): FixtureRow => {
      return [code, name, '', '', '', lat, 110.4, [region, '', '']];
    };
    const semarang = cityOf('ID', 'Semarang', -7, 110.4, { population: 1_300_000, adminCodes: ['07', ''] });
    const rows = [
      ...['Bulu', 'Candi', 'Jati', 'Karang'].map((name, index) => near(`5011${index}`, name, '33')),
      near('59111', 'Semarang', '33', -7.6),
    ];
    const tree = treeOf('ID', rows);
    const { tree: after, cities } = place(tree, semarang);
    expect(listNew(tree, after)).toEqual(['/jawa-tengah/semarang-city']);
    expect(cities[0]?.isSynthesised).toBe(true);
    // A region that the release does not name is no city, whatever its name.
    const jakarta = cityOf('ID', 'DKI Jakarta', -7, 110.4, { population: 9_000_000 });
    const inRegion = treeOf(
      'ID',
      ['Bulu', 'Candi', 'Jati'].map((name, index) => near(`1011${index}`, name, '31')),
    );
    expect(place(inRegion, jakarta).cities[0]?.isSynthesised).toBe(true);
  });

  test('has a name as people write it', () => {
    const tree = treeOf('BR', streets('São Paulo', ['Artur', 'Vila Carmo'], -23.6, -46.5));
    const carmo = cityOf('BR', 'Parque Do Carmo', -23.6, -46.5, { population: 70_000 });
    const { tree: after, cities } = place(tree, carmo);
    expect(after.names[cities[0]?.places[0] as number]).toBe('Parque do Carmo');
  });

  test('is a root where what is nearest has no unit', () => {
    const tree = treeOf('ZA', [['0700', 'Bendor', '', '', '', -23.87, 29.5]]);
    const polokwane = cityOf('ZA', 'Polokwane', -23.9, 29.45, { population: 270_000 });
    expect(listNew(tree, place(tree, polokwane).tree)).toEqual(['/polokwane']);
  });

  test('is not synthesised as a part of a larger city that its name begins with, unless it is a seat', () => {
    const tree = treeOf('FR', streets('Ile-de-France', ['Paris', 'Paris 13'], 48.85, 2.35));
    const paris = cityOf('FR', 'Paris', 48.85, 2.35, { population: 2_100_000 });
    const part = cityOf('FR', 'Paris 13e Arrondissement', 48.83, 2.36, { population: 180_000, featureCode: 'PPLX' });
    expect(place(tree, paris, part).tree).toBe(tree);
    expect(listNew(tree, place(tree, paris, { ...part, featureCode: 'PPLA' }).tree)).toHaveLength(1);
  });

  test('is not synthesised with few people, unless it is the seat of a region', () => {
    const tree = treeOf('PL', warsaw);
    expect(place(tree, { ...mokotow, population: 1_999 }).tree).toBe(tree);
    expect(listNew(tree, place(tree, { ...mokotow, population: 2_000 }).tree)).toHaveLength(1);
    expect(listNew(tree, place(tree, { ...mokotow, population: 0, featureCode: 'PPLA' }).tree)).toHaveLength(1);
  });

  test('as a section of a city it is synthesised from 15,000 people on', () => {
    const tree = treeOf('PL', warsaw);
    const section = { ...mokotow, featureCode: 'PPLX' };
    expect(place(tree, { ...section, population: 14_999 }).tree).toBe(tree);
    expect(listNew(tree, place(tree, { ...section, population: 15_000 }).tree)).toEqual(['/mazowieckie/mokotow']);
  });

  test('a smaller city lies in the district within ten kilometres, and no deeper', () => {
    const rows = warsaw.map(
      ([code, name, region, , , lat, lng]): FixtureRow => [code, name, region, 'Warszawski', 'Warszawa', lat, lng],
    );
    const tree = treeOf('PL', rows);
    const pathsFor = (city: Partial<NamedCity>) => listNew(tree, place(tree, { ...mokotow, ...city }).tree);
    expect(pathsFor({ population: 49_999 })).toEqual(['/mazowieckie/warszawski/mokotow']);
    expect(pathsFor({ population: 50_000 })).toEqual(['/mazowieckie/mokotow']);
    expect(pathsFor({ population: 49_999, latitude: 52.31 })).toEqual(['/mazowieckie/mokotow']);
  });

  test('lies in the region of its admin code, also where the nearest rows are across the border', () => {
    const row = (code: string, name: string, region: string, longitude: number): FixtureRow => {
      return [code, name, region, '', '', 40.79, longitude];
    };
    const names = [
      'Harlem',
      'Inwood',
      'Yorkville',
      'Chelsea',
      'Tribeca',
      'Clinton',
      'Midtown',
      'Gramercy',
      'Soho',
      'Noho',
    ];
    const tree = treeOf('US', [
      ...names.map((name, at) => row(`1000${at}`, name, 'New York', -73.99 + at / 1000)),
      row('07094', 'Secaucus', 'New Jersey', -74.06),
    ]);
    const secaucus = cityOf('US', 'Secaucus', 40.79, -74.06, { adminCodes: ['NJ', '017'] });
    const guttenberg = cityOf('US', 'Guttenberg', 40.79, -74.0, { adminCodes: ['NJ', '017'], population: 11_000 });
    expect(listNew(tree, place(tree, secaucus, guttenberg).tree)).toEqual(['/new-jersey/guttenberg']);
    // Where no city of the code tells its region, the nearest rows do.
    expect(listNew(tree, place(tree, guttenberg).tree)).toEqual(['/new-york/guttenberg']);
  });

  test('far from all rows it lies in the region of its admin code, or else in none, and nowhere where data ends', () => {
    const rows = ['Urumqi', 'Turpan', 'Hami'].map(
      (name, index): FixtureRow => [`83000${index}`, name, 'Xinjiang', '', '', 43.8, 87.6 + 2 * index, ['XJ', '', '']],
    );
    const tree = treeOf('CN', rows);
    const known = ['Urumqi', 'Turpan', 'Hami'].map((name, index) =>
      cityOf('CN', name, 43.8, 87.6 + 2 * index, { adminCodes: ['13', ''], population: 300_000 }),
    );
    const pathsFor = (city: NamedCity) => listNew(tree, place(tree, ...known, city).tree);
    const kashgar = cityOf('CN', 'Kashgar', 39.47, 75.99, { adminCodes: ['13', ''], population: 280_000 });
    expect(pathsFor(kashgar)).toEqual(['/xinjiang/kashgar']);
    expect(pathsFor({ ...kashgar, adminCodes: ['14', ''] })).toEqual([]);
    expect(pathsFor({ ...kashgar, adminCodes: ['14', ''], latitude: 43, longitude: 86 })).toEqual(['/kashgar']);
  });

  test('of 15,000 people and more it is a place of its name elsewhere in the region, unless another city is', () => {
    const tree = treeOf('PL', [
      ...warsaw,
      ['02', 'Mokotów', 'Mazovia', '', '', 53.19, 21.01],
      ['03', 'Przasnysz', 'Mazovia', '', '', 53.1, 21],
    ]);
    const placed = place(tree, mokotow);
    expect(placed).toMatchObject({ movedCount: 0, cities: [{ kind: 'outside', isSynthesised: false }] });
    expect(placed.tree).toBe(tree);
    expect(placed.cities[0]?.places.map((number) => tree.paths[number])).toEqual(['/mazowieckie/mokotow']);
    expect(place(tree, { ...mokotow, population: 14_999 })).toMatchObject({
      tree: { placeCount: tree.placeCount },
      cities: [{ kind: 'none' }],
    });
    const village = cityOf('PL', 'Mokotów', 53.19, 21.01, { population: 600 });
    expect(place(tree, mokotow, village).cities.map(({ kind }) => kind)).toEqual(['none', 'name']);
  });

  test('is not synthesised where a place has its name, one letter apart', () => {
    const tree = treeOf('PL', [...warsaw, ['02', 'Mokatów', 'Mazovia', '', '', 52.19, 21.01]]);
    const placed = place(tree, { ...mokotow, population: 20_000 });
    expect(placed.tree).toBe(tree);
    expect(placed.cities[0]).toMatchObject({ kind: 'similar name', isSynthesised: false });
  });
});

describe('a city that the release has far off', () => {
  const tree = treeOf('BR', [
    ['79300-000', 'Corumbá', 'Mato Grosso do Sul', 'Corumbá', '', -18.2, -57.3, ['11', '5003207', '']],
    ['79000-000', 'Coxim', 'Mato Grosso do Sul', 'Coxim', '', -18.5, -54.76, ['11', '5003306', '']],
  ]);
  const at = (latitude: number, longitude: number): NamedCity =>
    cityOf('BR', 'Corumbá', latitude, longitude, { adminCodes: ['11', '5003207'] });
  const others = Array.from({ length: 5 }, () =>
    cityOf('BR', 'Coxim', -18.5, -54.76, { adminCodes: ['11', '5003306'] }),
  );
  const positionsOf = ({ tree: after }: { tree: CountryTree }): unknown[] =>
    after.names.flatMap((name, number) =>
      name === 'Corumbá' ? [[after.latitudes[number], after.longitudes[number]]] : [],
    );

  test('lies where the gazetteer has it, with its unit', () => {
    const placed = place(tree, ...others, at(-19.009, -57.65112));
    expect(placed.movedCount).toBe(3);
    expect(positionsOf(placed)).toEqual([
      [-19.009, -57.6511],
      [-19.009, -57.6511],
    ]);
    expect(decodePlaceIds(placed.tree.ids)).toEqual(decodePlaceIds(tree.ids));
  });

  test('stays where it is no farther than near; its unit lies where the gazetteer has it', () => {
    expect(positionsOf(place(tree, ...others, at(-18.25, -57.3)))).toEqual([
      [-18.25, -57.3],
      [-18.2, -57.3],
    ]);
  });
});

describe('a city of whose name there is a wide unit only', () => {
  const wide = (region: string, district: string, names: readonly string[], lat: number): FixtureRow[] =>
    names.map((name, index) => [String(6000 + index), name, region, district, '', lat + index, 32.85]);

  test('lies in that', () => {
    const tree = treeOf('TR', wide('Ankara', '', ['Kızılay', 'Polatlı', 'Haymana', 'Nallıhan'], 39.92));
    const { tree: after, cities } = place(tree, cityOf('TR', 'Ankara', 39.92, 32.854, { population: 300_000 }));
    expect(listNew(tree, after)).toEqual(['/ankara/ankara']);
    expect(cities[0]).toMatchObject({ isSynthesised: true, isWider: false });
  });

  test('lies in a region that is named after it and others', () => {
    const tree = treeOf('MA', [
      ...wide('Casablanca-Settat', '', ['Anfa', 'Maarif', 'Settat'], 33.58),
      ...wide('Casablanca-Settat', 'Berrechid', ['El Gara'], 31),
    ]);
    const casablanca = cityOf('MA', 'Casablanca', 33.5883, 32.85, { population: 300_000 });
    expect(listNew(tree, place(tree, casablanca).tree)).toEqual(['/casablanca-settat/casablanca']);
  });
});

describe('names that people use', () => {
  const LEAVES: FixtureRow[] = [
    ['101000', 'Москва', 'Москва', '', '', 55.75, 37.62],
    ['103000', 'Москва', 'Москва', '', '', 55.76, 37.62],
    ['101005', 'Усть-Катав', 'Москва', '', '', 55.9, 37.62],
    ['101006', 'Latin', 'Москва', '', '', 55.7, 37.62],
  ];
  // In the middle of the leaves, as the unit of the release.
  const moscow = cityOf('RU', 'Moscow', 55.7775, 37.62, {
    otherNames: ['Moskva', 'Москва'],
    population: 10_000_000,
    featureCode: 'PPLC',
  });

  test('take the place of romanised ones; slugs, paths and ids stay', () => {
    const tree = treeOf('RU', LEAVES);
    const { tree: after, renamedCount } = place(tree, moscow, cityOf('RU', 'Ust’-Katav', 55.9, 37.62));
    expect(listNew(tree, after)).toEqual([]);
    const named = after.names.map((name, number) => `${name} ${after.localNames[number]} ${after.paths[number]}`);
    expect(named.sort()).toEqual([
      'Latin Latin /moskva/latin',
      'Moscow Москва /moskva',
      'Moscow Москва /moskva/moskva',
      'Moscow Москва /moskva/moskva-103000',
      'Ust-Katav Усть-Катав /moskva/ust-katav',
    ]);
    expect(renamedCount).toBe(3);
  });

  test('siblings are in the order of the new names, which rank as if they had always been there', () => {
    const tree = treeOf('RU', LEAVES);
    const { tree: after } = amendTree(tree, {
      added: [],
      positions: new Map(),
      names: new Map([[tree.paths.indexOf('/moskva/latin'), 'Zhukov']]),
    });
    const root = after.paths.indexOf('/moskva');
    const children = after.names.slice(after.childStarts[root], after.childStarts[root + 1]);
    expect(children).toEqual(['Moskva', 'Moskva', 'Ust-Katav', 'Zhukov']);
    const byRank = after.names.map((name, number) => [after.nameRanks[number] as number, name] as const);
    expect(byRank.toSorted(([a], [b]) => a - b).map(([, name]) => name)).toEqual(after.names.toSorted());
  });

  test('names of KR stay as its law romanises them', () => {
    const tree = treeOf('KR', [['52600', '진주시', '경상남도', '', '', 35.19, 128.08]]);
    expect(place(tree, cityOf('KR', 'Chinju', 35.19, 128.08, { otherNames: ['진주시'] })).tree).toBe(tree);
  });
});
