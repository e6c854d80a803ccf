/**
 * Damage that no checksum shows: a value of a structure is changed and every checksum above it computed anew. Verifying
 * must find numbers out of bounds, lists in disorder and structures that contradict each other. A server that has opened
 * such a file all the same must never hang, fail or answer without bound.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createBuilderPool } from '../../build-index/tasks/builder-pool.js';
import { verifySnapshot } from '../../build-index/verifying/verify-snapshot.js';
import { type BundleSchema, decodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { COUNTRY_SECTIONS, type SectionName, WORLD_SECTIONS } from '../../src/core/snapshot/header.js';
import { decodeSnapshot } from '../../src/core/snapshot/snapshot.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { damageStructure, manifestOf, structureBytes, withByte } from '../fixtures/damage.js';
import { SECTION_SCHEMAS } from '../fixtures/section-schemas.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import { buildSmallSnapshot, OLD_PATHS, type SmallSnapshot } from '../fixtures/small-snapshot.js';
import { type Call, findFaults, listCalls, resolveCall } from './endpoint-calls.js';

type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

const pool = createBuilderPool(0);
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

/** Opens damaged bytes, where they can be opened, and asks every endpoint. */
function askEndpoints(bytes: Uint8Array): unknown[] {
  try {
    return findFaults(decodeSnapshot(bytes, false), calls);
  } catch (error) {
    return error instanceof SnapshotError ? [] : [error];
  }
}

const STRUCTURES: [SectionName, string | undefined][] = [
  ...['AD', 'LI'].flatMap((country) => COUNTRY_SECTIONS.map((name): [SectionName, string] => [name, country])),
  ...WORLD_SECTIONS.map((name): [SectionName, undefined] => [name, undefined]),
];

/** Arrays in which any number may be right: hashes, digests, measures, and NO_RANK where no rank is precomputed. */
const UNBOUNDED: Partial<Record<SectionName, readonly string[]>> = {
  'name-index': ['entryRanks'],
  'place-contexts': ['text'],
  'old-paths': ['digests'],
  'place-facts': ['text', 'bounds'],
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
  'place-orders': ['all', 'byLevel'],
  'point-index': ['codes'],
  'place-positions': ['sources'],
  'name-index': ['nameOffsets', 'ranks', 'places', 'firstSameName'],
  'place-contexts': ['units', 'textStarts'],
  'old-paths': ['places'],
  'place-facts': ['textStarts', 'zones', 'boundedUnits'],
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
  expect(askEndpoints(small.bytes)).toEqual([]);
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
      unexpected.push(...askEndpoints(bytes));
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
test.each(COUNTRY_SECTIONS.filter((name) => !['point-index', 'postcode-index', 'name-index'].includes(name)))(
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
