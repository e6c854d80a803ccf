/** The independent reader and the service agree on a snapshot's container, countries and places. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { packageVersion } from '../../../src/base/package-root.js';
import { FOLDING_VERSION } from '../../../src/core/snapshot/fold-text.js';
import { findPostcode } from '../../../src/core/snapshot/postcode-index.js';
import { DomainError } from '../../../src/core/use-cases/domain-error.js';
import { readResponseData } from '../../../src/core/use-cases/response-data.js';
import { service } from '../../../src/core/use-cases/service.js';
import { createRandom } from '../../fixtures/random.mjs';
import { buildSmallSnapshot } from '../../fixtures/small-snapshot.js';
import { readCountryAnswers, textHash } from './country-places.js';
import { readWorldPostcodes } from './finding.js';
import { type ReadCountry, readScene, type Scene, SOURCE_DATE } from './scene.js';
import { openSnapshotFile } from './snapshot-file.js';

let scene: Scene;
beforeAll(async () => {
  scene = await readScene();
});

/** A place as the detail endpoints answer it, put together from what the structures of a country say. */
function detailOf({ places }: ReadCountry, place: number): string {
  const ancestors = places.ancestorsOf(place).map(places.answerOf);
  const [start, end] = places.childRange(place);
  return `${places.answerOf(place).slice(0, -1)},"ancestors":[${ancestors}],"childCount":${end - start}}`;
}

const rangeOf = ([start, end]: readonly [number, number]): number[] =>
  Array.from({ length: end - start }, (_, index) => start + index);

describe('the container', () => {
  test('manifest and section table', () => {
    const { file, snapshot } = scene;
    expect(file).toMatchObject({
      id: snapshot.id,
      release: 'fixture',
      sourceDate: SOURCE_DATE,
      siteUrl: 'https://site.test',
      ...{ foldingVersion: FOLDING_VERSION, builderVersion: packageVersion(), previousRelease: 'fixture' },
    });
    expect(file.sections).toEqual(snapshot.manifest.sections);
    expect(file.countries).toHaveLength(250);
    const withoutSlices = ({ slices, ...entry }: { slices: readonly { length: number }[] }): object => ({
      ...entry,
      sliceLengths: slices.map(({ length }) => length),
    });
    const expected = snapshot.manifest.countries.map((entry) => ({ ...entry, centre: entry.centre ?? undefined }));
    expect(file.countries.map(withoutSlices)).toEqual(expected.map(withoutSlices));
  });

  test('no byte of the file is outside of what the document describes', async () => {
    const random = createRandom(4);
    const { bytes, folder } = await buildSmallSnapshot();
    folder.remove();
    const { sections } = openSnapshotFile(Buffer.from(bytes));
    const edges = sections.flatMap(({ offset, length }) => [offset - 1, offset, offset + length - 1, offset + length]);
    const anywhere = Array.from({ length: 300 }, () => Math.floor(random() * bytes.length));
    const unnoticed = [0, 8, 12, 16, 24, 32, 40, 44, 48, 4095, ...edges, ...anywhere, bytes.length - 1].filter((at) => {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] as number) ^ 1;
      try {
        openSnapshotFile(damaged);
        return true;
      } catch {
        return false;
      }
    });
    expect(unnoticed).toEqual([]);
  });
});

test('countries, with and without stats', () => {
  const { file, snapshot } = scene;
  const answers = readCountryAnswers(file);
  const numbers = file.countries.map((_, number) => number);
  const all = readResponseData(service.listCountries(snapshot, { hasPostcodes: undefined }));
  expect(`[${numbers.map(answers.plain)}]`).toBe(all);
  for (const [number, { code, name, slug, centre }] of file.countries.entries()) {
    expect(answers.withStats(number)).toBe(readResponseData(service.getCountry(snapshot, { country: code })));
    const { latitude, longitude } = { latitude: null, longitude: null, ...centre };
    const url = `${file.siteUrl}/${slug}`;
    expect(JSON.parse(answers.plain(number))).toMatchObject({ code, name, slug, latitude, longitude, url });
  }
});

test('every place by its id and by its path, with ancestors, children and level', () => {
  const { snapshot, countries } = scene;
  for (const country of countries) {
    const { places, answers, code } = country;
    const wrong = answers.filter((answer, place) => {
      const { id, path, level, slug, name, postalCode, url } = answer;
      const segments = path.slice(1).split('/');
      const details = [
        readResponseData(service.getPlace(snapshot, { country: code, id })),
        readResponseData(service.resolvePath(snapshot, { country: code, segments })),
      ];
      const numbers = [places.findById(id), places.findById(id.toUpperCase()), places.findByPath(segments)];
      const values = Object.fromEntries(
        Object.entries({ name, path, postalCode, url }).map(([key, value]) => [key, JSON.stringify(value)]),
      );
      return (
        details.some((detail) => detail !== detailOf(country, place)) ||
        numbers.some((number) => number !== place) ||
        `${places.idOf(place)} ${places.levelOf(place)} ${places.slugOf(place)}` !== `${id} ${level} ${slug}` ||
        JSON.stringify(places.cutValuesOf(place)) !== JSON.stringify(values)
      );
    });
    expect([code, wrong]).toEqual([code, []]);
    for (const other of countries.filter((one) => one !== country)) {
      expect(other.answers.slice(0, 50).map(({ id }) => places.findById(id))).not.toContainEqual(expect.any(Number));
    }
    expect(places.findByPath(['no-such-place'])).toBeUndefined();
  }
});

test('every path of the previous snapshot, which leads to the same place or nowhere', () => {
  const { snapshot, countries, previousPaths } = scene;
  const reached: Record<string, number> = {};
  for (const country of countries) {
    const { places, code } = country;
    const paths = previousPaths.get(code) ?? [];
    const wrong = paths.filter((path) => {
      const segments = path.slice(1).split('/');
      const now = places.findByPath(segments);
      const place = now ?? places.findByOldPath(segments);
      if (now === undefined && place !== undefined) reached[code] = (reached[code] ?? 0) + 1;
      const found = service.resolvePath.bind(undefined, snapshot, { country: code, segments });
      return place === undefined ? !isRefused(found) : readResponseData(found()) !== detailOf(country, place);
    });
    expect([code, wrong]).toEqual([code, []]);
    expect([code, places.oldPathCount]).toEqual([code, reached[code] ?? 0]);
    expect(places.findByOldPath(['no-such-place'])).toBeUndefined();
  }
  expect(Object.keys(reached).sort()).toEqual(['FR', 'US']);
  expect(reached.FR).toBeGreaterThan(100);
});

function isRefused(act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch (error) {
    return error instanceof DomainError && error.code === 'PLACE_NOT_FOUND';
  }
}

test('levels, orders and children in their order', () => {
  const { snapshot, countries } = scene;
  const pageSize = 1_000_000;
  for (const { places, answers, code, number } of countries) {
    const itemsOf = (list: readonly number[]): string => `{"items":[${list.map(places.answerOf)}],`;
    for (const level of [undefined, 1, 2, 3, 4]) {
      const page = readResponseData(service.listPlaces(snapshot, { country: code, level, page: 1, pageSize }));
      expect(page.startsWith(itemsOf(places.orderedPlaces(level)))).toBe(true);
      if (level === undefined) continue;
      const inTree = rangeOf(places.levelRange(level));
      expect(new Set(places.orderedPlaces(level))).toEqual(new Set(inTree));
      expect(inTree.length).toBe(scene.file.countries[number]?.levelCounts[level - 1]);
    }
    const wrong = answers.filter(({ id }, place) => {
      const page = readResponseData(service.listChildren(snapshot, { country: code, id, page: 1, pageSize }));
      return !page.startsWith(itemsOf(rangeOf(places.childRange(place))));
    });
    expect(wrong).toEqual([]);
    const roots = answers.flatMap(({ parentId }, place) => (parentId === null ? [place] : []));
    expect(rangeOf(places.childRange(undefined))).toEqual(roots);
  }
});

test('the countries of every postal code', () => {
  const { file, countries } = scene;
  const world = readWorldPostcodes(file.world[3] as Buffer);
  const compactOf = (code: string): string => code.replaceAll(/[ -]/g, '');
  const codes = countries.map(({ number, places }) => ({ number, compact: new Set(places.codes.map(compactOf)) }));
  expect(world.count).toBe(codes.reduce((sum, { compact }) => sum + compact.size, 0));
  for (const { number, compact } of codes) {
    const missing = [...compact].filter((code) => !world.countriesWith(textHash(code)).includes(number));
    expect([number, missing]).toEqual([number, []]);
  }
});

test('every postal code in its spellings, and codes that are none', () => {
  const { snapshot, countries } = scene;
  for (const country of countries) {
    const { places, answers, code, structures } = country;
    expect(places.codes).toEqual([...new Set(answers.flatMap(({ postalCode }) => postalCode ?? []))].sort());
    for (const postcode of places.codes) {
      const found = places.findPostcode(postcode);
      const details = found?.places.slice(0, 100).map((place) => detailOf(country, place));
      const expected = readResponseData(service.findPostcode(snapshot, { country: code, postcode }));
      expect(`{"countryCode":"${code}","postcode":${JSON.stringify(found?.postcode)},"places":[${details}]}`).toBe(
        expected,
      );
      const joined = postcode.replaceAll(/[ -]/g, '');
      for (const spelling of [joined, `${joined[0]}-${joined.slice(1)}`, `${joined.slice(0, -1)} ${joined.at(-1)}`]) {
        const match = findPostcode(structures.postcodes, spelling);
        const both = [places.findPostcode(spelling), places.findPostcode(`\u3000${spelling.toLowerCase()}\t `)];
        const theirs = { postcode: match?.postcode, places: [...(match?.places ?? [])] };
        expect(both).toEqual([theirs, theirs]);
      }
    }
    for (const none of ['', '-', 'NO SUCH CODE']) expect(places.findPostcode(none)).toBeUndefined();
  }
});
