/** What verifying finds in damaged contents, and what a server that never verified them does. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { verifySnapshot } from '../../build-index/verifying/verify-snapshot.js';
import { type Bundle, type BundleSchema, decodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { hashText } from '../../src/core/snapshot/hash-table.js';
import { NAME_INDEX_SCHEMA, NO_RANK } from '../../src/core/snapshot/name-index.js';
import { COUNTRY_SECTIONS, type SectionName, WORLD_SECTIONS } from '../../src/core/snapshot/sections.js';
import { decodeSnapshot } from '../../src/core/snapshot/snapshot.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { damageStructure, manifestOf, SECTION_SCHEMAS, structureBytes, withByte } from '../fixtures/damage.js';
import {
  buildFixtureSnapshot,
  compileFrom,
  createTemporaryFolder,
  type FixtureSnapshot,
  type TemporaryFolder,
  writeRelease,
} from '../fixtures/fixture-snapshot.js';
import { cityLineOf, cityOf } from '../fixtures/gazetteer.js';
import { poolHere } from '../fixtures/pool-here.js';
import { seededRelease } from '../fixtures/seeded-release.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import { buildSmallSnapshot, OLD_PATHS, type SmallSnapshot } from '../fixtures/small-snapshot.js';
import { type Call, callsMeeting, countryWithin, findFaults, listCalls, resolveCall } from './endpoint-calls.js';

/**
 * Damage that no checksum shows: a value of a structure is changed and every checksum above it computed anew. Verifying
 * must find numbers out of bounds, lists in disorder and structures that contradict each other. A server that has
 * opened such a file all the same must never hang, fail or answer without bound.
 */
describe('contents', () => {
  type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

  const pool = poolHere;
  let small: SmallSnapshot;
  let calls: readonly Call[];
  let target: string;
  beforeAll(async () => {
    small = await buildSmallSnapshot();
    const oldPathCalls = Object.entries(OLD_PATHS).flatMap(([code, paths]) =>
      paths.map((path) => resolveCall(code, path)),
    );
    calls = [...listCalls(decodeSnapshot(small.bytes, false), 3).flat(), ...oldPathCalls];
    target = join(small.folder.path, 'damaged.snapshot');
    writeFileSync(target, small.bytes);
  });
  afterAll(() => small?.folder.remove());

  /** 'sound', the code of a SnapshotError, or any other error's text. */
  async function verify(bytes: Uint8Array): Promise<string> {
    // Over the bytes before, which are as many: a file that is emptied first costs a hundred times as much.
    writeFileSync(target, bytes, { flag: 'r+' });
    try {
      await verifySnapshot(target, pool, silentProgress);
      return 'sound';
    } catch (error) {
      return error instanceof SnapshotError ? error.code : String(error);
    }
  }

  test.each(['AD', 'LI'])('calls within %s do not meet the other country', (code) => {
    const snapshot = decodeSnapshot(small.bytes, false);
    for (const country of snapshot.countries) {
      if (country.entry.code === code || country.structures === undefined) continue;
      for (const name of Object.keys(country.structures)) {
        Object.defineProperty(country.structures, name, {
          get() {
            throw new Error(`${name} of the other country`);
          },
        });
      }
    }
    const within = calls.filter((call) => countryWithin(call) === code);
    expect(within.length).toBeGreaterThan(50);
    expect(findFaults(snapshot, within)).toEqual([]);
  });

  /**
   * Opens bytes with damage in a country, or in what is the world's, where they can be opened, and asks every endpoint that
   * can meet it.
   */
  function askEndpoints(bytes: Uint8Array, damaged: string | undefined): unknown[] {
    try {
      return findFaults(decodeSnapshot(bytes, false), damaged === undefined ? calls : callsMeeting(calls, damaged));
    } catch (error) {
      return error instanceof SnapshotError ? [] : [error];
    }
  }

  /** The fixture has neither full codes nor names in other languages. */
  const isThere = (name: SectionName): boolean => !/full-codes|by-language/.test(name);
  const STRUCTURES = [
    ...['AD', 'LI'].flatMap((country) =>
      COUNTRY_SECTIONS.map((name): [SectionName, string | undefined] => [name, country]),
    ),
    ...WORLD_SECTIONS.map((name): [SectionName, string | undefined] => [name, undefined]),
  ].filter(([name]) => isThere(name));

  /** Arrays in which any number may be right: hashes, digests, measures, and NO_RANK where no rank is precomputed. */
  const UNBOUNDED: Partial<Record<SectionName, readonly string[]>> = {
    'name-index': ['entryRanks'],
    'place-contexts': ['text'],
    'old-paths': ['digests'],
    'place-facts': ['text', 'bounds'],
    'place-cities': ['centres'],
    'world-name-index': ['entryRanks'],
    'world-postcodes': ['hashes'],
  };

  /**
   * Arrays in which another number within bounds is no fault of the file, but another answer. The tests of the builder and
   * those of lookups against an oracle show that the builder writes the right one.
   */
  const LOOSE: Partial<Record<SectionName, readonly string[]>> = {
    'id-index': ['slots'],
    'postcode-index': ['slots'],
    'point-index': ['codes'],
    'place-positions': ['sources'],
    'name-index': ['nameOffsets', 'ranks', 'places', 'firstSameName'],
    'place-contexts': ['units', 'textStarts'],
    'old-paths': ['places'],
    'place-facts': ['textStarts', 'zones', 'boundedUnits'],
    'place-cities': ['cities', 'nameStarts'],
    'country-grid': ['cells', 'countries'],
    'world-name-index': [
      ...['nameOffsets', 'ranks', 'places', 'firstSameName'],
      ...['countries', 'countryNames', 'namedCountries'],
    ],
    'world-postcodes': ['countries'],
  };

  const isUnbounded = (name: SectionName, array: string): boolean => UNBOUNDED[name]?.includes(array) === true;
  const isLoose = (name: SectionName, array: string): boolean =>
    isUnbounded(name, array) || LOOSE[name]?.includes(array) === true;

  /** Changed texts have cases of their own below. */
  const isText = (array: string): boolean => array === 'text' || array === 'stats' || array === 'nameText';

  /** A snapshot with one array changed; undefined where `change` left it as it was. */
  function withArray(
    name: SectionName,
    country: string | undefined,
    array: string,
    change: (values: NumberArray) => void,
  ): Uint8Array | undefined {
    let isChanged = false;
    const bytes = damageStructure(small.bytes, name, country, (arrays) => {
      const values = (arrays as unknown as Record<string, NumberArray>)[array] as NumberArray;
      const before = values.slice();
      change(values);
      isChanged = before.some((value, index) => value !== values[index]);
    });
    return isChanged ? bytes : undefined;
  }

  test('the helpers change nothing by themselves', async () => {
    for (const [name, country] of STRUCTURES) {
      expect(await verify(damageStructure(small.bytes, name, country, () => {}))).toBe('sound');
    }
    expect(askEndpoints(small.bytes, undefined)).toEqual([]);
  });

  describe.each(STRUCTURES)('%s %s', (name, country) => {
    test('verifying finds any single value that is one too high', async () => {
      const missed: string[] = [];
      for (const array of Object.keys(SECTION_SCHEMAS[name]).filter((key) => !isText(key) && !isLoose(name, key))) {
        let length = 0;
        withArray(name, country, array, (values) => {
          length = values.length;
        });
        for (let index = 0; index < length; index++) {
          const bytes = withArray(name, country, array, (values) => {
            values[index] = (values[index] as number) + 1;
          }) as Uint8Array;
          const outcome = await verify(bytes);
          if (outcome !== 'STRUCTURE_INVALID') missed.push(`${array}[${index}]: ${outcome}`);
        }
      }
      expect(missed).toEqual([]);
    });

    test.each([
      ['all zeros', (values: NumberArray) => values.fill(0)],
      ['all ones', (values: NumberArray) => values.fill(values instanceof Float64Array ? Number.NaN : 0xffffffff)],
      ['in reverse', (values: NumberArray) => values.reverse()],
    ])('an array that is %s is found, and every call that meets it ends', async (kind, change) => {
      const unexpected: unknown[] = [];
      for (const array of Object.keys(SECTION_SCHEMAS[name])) {
        const bytes = withArray(name, country, array, change);
        if (bytes === undefined) continue;
        const outcome = await verify(bytes);
        const mayBeSound = kind === 'all ones' ? isUnbounded(name, array) : isLoose(name, array);
        if (outcome !== 'STRUCTURE_INVALID' && !mayBeSound) unexpected.push(`${array}: ${outcome}`);
        unexpected.push(...askEndpoints(bytes, country));
      }
      expect(unexpected).toEqual([]);
    });
  });

  test('verifying finds an English name of a country that leads to another one', async () => {
    const bytes = withArray('world-name-index', undefined, 'namedCountries', (values) => {
      values.forEach((number, index) => {
        values[index] = (Number(number) + 1) % 3;
      });
    }) as Uint8Array;
    expect(await verify(bytes)).toBe('STRUCTURE_INVALID');
  });

  // Of points, codes and names the world's own sections say first that they do not fit, and to no country alone.
  test.each(COUNTRY_SECTIONS.filter((name) => isThere(name) && !/^(point|postcode|name)-index$/.test(name)))(
    'a damaged %s is reported with its country, the second one too',
    async (name) => {
      const refusals: string[] = [];
      for (const array of Object.keys(SECTION_SCHEMAS[name]).filter((key) => !isText(key) && !isUnbounded(name, key))) {
        const bytes = withArray(name, 'LI', array, (values) => {
          values[values.length - 1] = values instanceof Float64Array ? Number.NaN : 0xffffffff;
        });
        if (bytes === undefined) continue;
        writeFileSync(target, bytes);
        const verified = verifySnapshot(target, pool, silentProgress).then(() => 'sound');
        refusals.push(await verified.catch((error: Error) => error.message));
      }
      expect(refusals.length).toBeGreaterThan(0);
      for (const refusal of refusals) expect(refusal).toMatch(/^STRUCTURE_INVALID: expected [a-z-]+ of LI\b/);
    },
  );

  test('padding inside of sections, between slices and behind arrays, is zero', async () => {
    const manifest = manifestOf(small.bytes);
    const isCovered = new Uint8Array(small.bytes.length);
    for (const { name, offset } of manifest.sections) {
      for (const country of STRUCTURES.flatMap(([other, code]) => (other === name ? [code] : []))) {
        const bytes = structureBytes(small.bytes, name, country);
        for (const array of Object.values(decodeBundle(SECTION_SCHEMAS[name] as BundleSchema, bytes, name))) {
          isCovered.fill(
            1,
            array.byteOffset - small.bytes.byteOffset,
            array.byteOffset - small.bytes.byteOffset + array.byteLength,
          );
        }
        const directory = 8 + 8 * Object.keys(SECTION_SCHEMAS[name]).length;
        const start = bytes.byteOffset - small.bytes.byteOffset;
        expect(start).toBeGreaterThanOrEqual(offset);
        isCovered.fill(1, start, start + directory);
      }
    }
    const missed = new Set<string>();
    let paddingCount = 0;
    for (const { name, offset, length } of manifest.sections) {
      for (let at = offset; at < offset + length; at++) {
        if (isCovered[at] === 1) continue;
        paddingCount++;
        // Of the bytes between two arrays the first and the last are tried.
        const isInside = at > offset && isCovered[at - 1] === 0 && at + 1 < offset + length && isCovered[at + 1] === 0;
        if (isInside) continue;
        const outcome = await verify(withByte(small.bytes, at, 0xff));
        if (outcome !== 'STRUCTURE_INVALID' && outcome !== 'PADDING_NOT_ZERO') missed.add(`${name}: ${outcome}`);
      }
    }
    expect(paddingCount).toBeGreaterThan(100);
    expect([...missed]).toEqual([]);
  });

  describe('old paths', () => {
    test.each<[string, (arrays: { digests: Uint32Array; places: Uint32Array }) => void]>([
      ['two in disorder', ({ digests }) => digests.copyWithin(0, 2, 4)],
      ['halves of a digest changed round', ({ digests }) => digests.set([0, 0xffffffff, 0, 1])],
      ['a place behind the last', ({ places }) => places.fill(12, 0, 1)],
    ])('%s', async (_, change) => {
      expect(await verify(damageStructure(small.bytes, 'old-paths', 'AD', change))).toBe('STRUCTURE_INVALID');
    });
  });

  test.each<[string, (arrays: { cities: Uint32Array; members: Uint32Array }) => void]>([
    ['a city that belongs to another', ({ cities }) => cities.set([1, 2], 0)],
    ['a city that is no place', ({ cities }) => cities.fill(12, 0, 1)],
    ['a place that no list of its city has', ({ cities }) => cities.fill(1, 0, 2)],
  ])('%s', async (_, change) => {
    expect(await verify(damageStructure(small.bytes, 'place-cities', 'AD', change))).toBe('STRUCTURE_INVALID');
  });

  describe('text of an answer', () => {
    const replaceText = (name: 'place-answers' | 'country-answers', from: string, to: string): Uint8Array => {
      expect(Buffer.byteLength(to)).toBe(Buffer.byteLength(from));
      return damageStructure(small.bytes, name, name === 'place-answers' ? 'AD' : undefined, ({ text }) => {
        const at = Buffer.from(text.buffer, text.byteOffset, text.length).indexOf(from);
        expect(at).toBeGreaterThanOrEqual(0);
        text.set(Buffer.from(to), at);
      });
    };

    test.each([
      ['an id', '"id":"', '"id":_'],
      ['the country', '"countryCode":"AD"', '"countryCode":"AE"'],
      ['a level', '"level":1', '"level":2'],
      ['a type that there is not', '"type":"region"', '"type":"county"'],
      ['a slug', '"slug":"canillo"', '"slug":"canilla"'],
      ['a path', '"path":"/canillo"', '"path":"/canilla"'],
      ['a postal code', '"postalCode":"AD100"', '"postalCode":"AD101"'],
      ['a code at an admin unit', '"postalCode":null', '"postalCode":"AD"'],
      ["a leaf's longitude", '"longitude":1.64', '"longitude":1.65'],
      ["a unit's latitude that is none", '"latitude":42.54', '"latitude":942.5'],
      ['a parent', '"parentId":null', '"parentId":true'],
      ['a page', '"url":"https:', '"url":"httpx:'],
      ['white space', '"level":1,', '"level": 1'],
    ])('%s', async (_, from, to) => {
      expect(await verify(replaceText('place-answers', from, to))).toBe('STRUCTURE_INVALID');
    });

    test('a byte that is no UTF-8', async () => {
      const bytes = damageStructure(small.bytes, 'place-answers', 'AD', ({ text }) => {
        const at = Buffer.from(text.buffer, text.byteOffset, text.length).indexOf('"localName":"Encamp"');
        expect(at).toBeGreaterThan(0);
        text[at + '"localName":"'.length] = 0xff;
      });
      expect(await verify(bytes)).toBe('STRUCTURE_INVALID');
    });

    test('an answer that is JSON but no object', async () => {
      const bytes = damageStructure(small.bytes, 'place-answers', 'AD', ({ text, offsets }) => {
        text.fill(0x20, 0, (offsets[1] as number) - 1);
        text.set(Buffer.from('null'), 0);
      });
      expect(await verify(bytes)).toBe('STRUCTURE_INVALID');
    });

    test.each([
      ['the code', '"code":"AD"', '"code":"AE"'],
      ['the name', '"name":"Andorra"', '"name":"Andorre"'],
      ['the slug', '"slug":"andorra"', '"slug":"andorre"'],
      ['the page', '/andorra"}', '/andorre"}'],
      ['whether there are places', '"hasPostcodes":true', '"hasPostcodes":null'],
      ['JSON', '{"code":"AD"', '["code":"AD"'],
    ])('of a country: %s', async (_, from, to) => {
      expect(await verify(replaceText('country-answers', from, to))).toBe('STRUCTURE_INVALID');
    });
  });
});

/**
 * Verifying finds facts of places that lead to nothing, in a snapshot with populations, several time zones, and a name
 * that big cities of two countries have.
 */
describe('facts', () => {
  type Facts = Bundle<(typeof SECTION_SCHEMAS)['place-facts']>;

  const pool = poolHere;
  let folder: TemporaryFolder;
  let bytes: Uint8Array;
  beforeAll(async () => {
    folder = createTemporaryFolder();
    const release = join(folder.path, 'release');
    writeRelease(release, {
      PT: [
        ['1000', 'Lisboa', 'Lisboa', '', '', 38.72, -9.14, ['14', '', '']],
        ['1001', 'Loures', 'Lisboa', '', '', 38.83, -9.17, ['14', '', '']],
        ['4000', 'Porto', 'Porto', '', '', 41.15, -8.61, ['17', '', '']],
        ['9500', 'Ponta Delgada', 'Azores', '', '', 37.74, -25.67, ['23', '', '']],
      ],
    });
    const cities = [
      cityOf('PT', 'Lisboa', 38.72, -9.14, { population: 517_802, timezone: 'Europe/Lisbon' }),
      cityOf('PT', 'Porto', 41.15, -8.61, { population: 249_633, timezone: 'Europe/Lisbon' }),
      cityOf('BR', 'Porto', -10, -50, { population: 150_000, timezone: 'America/Sao_Paulo' }),
      cityOf('PT', 'Ponta Delgada', 37.74, -25.67, { population: 20_056, timezone: 'Atlantic/Azores' }),
    ];
    writeFileSync(join(release, 'cities500.txt'), `${cities.map(cityLineOf).join('\n')}\n`);
    await compileFrom(release, join(folder.path, 'pt.snapshot'));
    bytes = readFileSync(join(folder.path, 'pt.snapshot'));
  });
  afterAll(() => folder.remove());

  const verify = (change: (facts: Facts) => void): Promise<string> =>
    verifyBytes(damageStructure(bytes, 'place-facts', 'PT', change));

  async function verifyBytes(damaged: Uint8Array): Promise<string> {
    const path = join(folder.path, 'damaged.snapshot');
    writeFileSync(path, damaged);
    return verifySnapshot(path, pool, silentProgress).then(
      () => 'sound',
      (error: Error) => error.message,
    );
  }

  test('the snapshot has what is damaged, and is sound', async () => {
    const text = Buffer.from(structureBytes(bytes, 'place-facts', 'PT')).toString('latin1');
    expect(text).toContain('Atlantic/Azores\nEurope/Lisbon\nPT-20\n23\nPT-11\n14\nPT-13\n17\n');
    expect(await verify(() => {})).toBe('sound');
  });

  test.each<[string, (facts: Facts) => void]>([
    ['a text that ends before it starts', ({ textStarts }) => textStarts.copyWithin(2, 0, 1)],
    ['a unit that is not on the first level', ({ units }) => units.fill(5, 2)],
    ['a zone that is not there', ({ zones }) => zones.fill(2, 6)],
    ['people of one place twice', ({ populated }) => populated.fill(populated[0] as number)],
    ['people of no place', ({ populated }) => populated.fill(99, 2)],
    ['bounds of no place', ({ boundedUnits }) => boundedUnits.fill(99, 2)],
  ])('%s is found', async (_, change) => {
    expect(await verify(change)).toMatch(/^STRUCTURE_INVALID: expected place-facts of PT\b/);
  });

  type WorldNames = Bundle<(typeof SECTION_SCHEMAS)['world-name-index']>;

  test.each<[string, (names: WorldNames) => void]>([
    ['a country that is not there', ({ bigCityCountries }) => bigCityCountries.fill(999, 0, 1)],
    ['names in disorder', ({ bigCityNames }) => bigCityNames.reverse()],
  ])('big cities: %s is found', async (_, change) => {
    const damaged = damageStructure(bytes, 'world-name-index', undefined, change);
    expect(await verifyBytes(damaged)).toMatch(/^STRUCTURE_INVALID: expected world-name-index\b/);
  });

  test('a name of big cities in two countries has the country of the larger city first', () => {
    const { countries } = manifestOf(bytes);
    const { bigCityNames, bigCityCountries } = decodeBundle(
      NAME_INDEX_SCHEMA,
      structureBytes(bytes, 'world-name-index'),
      'world-name-index',
    );
    const codesOf = (name: string): (string | undefined)[] =>
      [...bigCityCountries]
        .filter((_, at) => bigCityNames[at] === hashText(name))
        .map((number) => countries[number]?.code);
    expect([codesOf('porto'), codesOf('lisboa'), codesOf('ponta delgada')]).toEqual([['PT', 'BR'], ['PT'], []]);
  });
});

/**
 * Damage in structures that only large countries have: precomputed ranks of long ranges, and inner nodes of the k-d
 * tree.
 */
describe('large indexes', () => {
  type Arrays = Record<string, Uint32Array | Float64Array>;

  let fixture: FixtureSnapshot;
  let bytes: Uint8Array;
  let calls: readonly Call[];
  beforeAll(async () => {
    fixture = await buildFixtureSnapshot({ DE: (seededRelease(6).DE ?? []).slice(0, 800) });
    bytes = readFileSync(fixture.path);
    calls = listCalls(decodeSnapshot(bytes, false), 4).flat();
  });
  afterAll(() => fixture?.cleanup());

  function swap(array: Uint32Array | Float64Array, a: number, b: number, width = 1): void {
    const first = array.slice(a * width, (a + 1) * width);
    array.copyWithin(a * width, b * width, (b + 1) * width);
    array.set(first, b * width);
  }

  test.each<[string, SectionName, (arrays: Arrays) => void]>([
    ['a precomputed rank of no place', 'name-index', ({ topRanks }) => topRanks?.set([NO_RANK - 1], 0)],
    ['the end of a long range', 'name-index', ({ topRanges }) => topRanges?.set([(topRanges[1] as number) - 1], 1)],
    ['the slot of a long range', 'name-index', ({ topSlots }) => topSlots?.fill(0)],
    ['a slot of no range', 'name-index', ({ topSlots }) => topSlots?.fill(0xffffffff)],
    [
      'two points on the wrong sides',
      'point-index',
      ({ places, coords }) => {
        swap(places as Uint32Array, 0, (places as Uint32Array).length - 1);
        swap(coords as Float64Array, 0, (places as Uint32Array).length - 1, 2);
      },
    ],
    ['a point of another place', 'point-index', ({ places }) => swap(places as Uint32Array, 3, 4)],
    ['longitude for latitude', 'point-index', ({ coords }) => swap(coords as Float64Array, 0, 1)],
    ['a point nowhere', 'point-index', ({ coords }) => coords?.set([Number.NaN], 400)],
    ['two entries in disorder', 'name-index', ({ entryNames }) => swap(entryNames as Uint32Array, 100, 101)],
    [
      'a name that ends far behind all names',
      'name-index',
      ({ nameOffsets }) => nameOffsets?.set([0xffffffff], nameOffsets.length - 2),
    ],
    [
      'a name with the places of all others',
      'name-index',
      ({ rankStarts, ranks }) => rankStarts?.fill(ranks?.length ?? 0, 1),
    ],
    [
      'a unit whose text ends far behind all texts',
      'place-contexts',
      ({ textStarts }) => textStarts?.set([0xffffffff], textStarts.length - 2),
    ],
    ['two slots changed round', 'id-index', ({ slots }) => slots?.reverse()],
    [
      'a code before its time',
      'postcode-index',
      ({ placeStarts }) => placeStarts?.set([(placeStarts[5] as number) + 1], 5),
    ],
  ])('%s', async (_, name, change) => {
    const damaged = damageStructure(bytes, name, 'DE', (arrays) => change(arrays as unknown as Arrays));
    expect(Buffer.compare(damaged, bytes)).not.toBe(0);
    writeFileSync(fixture.path, damaged);
    const outcome = await verifySnapshot(fixture.path, poolHere, silentProgress).then(
      () => 'sound',
      (error) => (error instanceof SnapshotError ? error.code : error),
    );
    expect(outcome).toBe('STRUCTURE_INVALID');
    expect(findFaults(decodeSnapshot(damaged, false), calls)).toEqual([]);
  });
});
