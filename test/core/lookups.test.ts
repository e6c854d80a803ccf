/**
 * Every index against the oracle, over the hand-made release and over a seeded one: one list of cases, and each
 * structure is asked for everything it holds and for things it does not hold.
 */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { decodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { foldQuery, foldText } from '../../src/core/snapshot/fold-text.js';
import { findNearestInKdTree } from '../../src/core/snapshot/kd-tree.js';
import { findNameEntries, NO_RANK, TOP_RANGE } from '../../src/core/snapshot/name-index.js';
import { findByPath } from '../../src/core/snapshot/path-trie.js';
import { parsePlaceId } from '../../src/core/snapshot/place-id.js';
import { findById } from '../../src/core/snapshot/place-id-index.js';
import { orderedPlaces } from '../../src/core/snapshot/place-orders.js';
import { childRange, levelOf, listAncestors } from '../../src/core/snapshot/place-tree.js';
import { POINT_TIERS, pointTier } from '../../src/core/snapshot/point-index.js';
import { findPostcode } from '../../src/core/snapshot/postcode-index.js';
import { placeFieldsJson, placeRangeJson, renderedPathOf } from '../../src/core/snapshot/rendered-places.js';
import type { Country, CountryStructures, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { MAX_WORK, WorkBudget } from '../../src/core/snapshot/work-budget.js';
import { NameQuery } from '../../src/core/suggest/name-query.js';
import { searchNames } from '../../src/core/suggest/name-search.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { createNaiveNames, naiveSuggest, REASONS, type Reason } from '../fixtures/naive-suggest.js';
import { createRandom } from '../fixtures/random.mjs';
import { seededRelease } from '../fixtures/seeded-release.js';
import { makeSuggestQueries } from '../fixtures/suggest-queries.js';
import { compareSuggestable, type SuggestablePlace } from '../fixtures/suggestable-places.js';
import {
  createOracle,
  type OracleCountry,
  oracleAncestors,
  oracleChildren,
  oracleLevel,
  oracleNearest,
  oraclePostcode,
} from './oracle.js';

const RELEASES = [
  ['the hand-made release', HAND_MADE_ROWS],
  ['a seeded release', seededRelease(20260330)],
] as const;

/** Starts of many names, and starts of none. */
const SHORT_QUERIES = ['a', '0', 's', 'n', 'ne', 'neu', 'bad', 'nord', 'am', 'o', 'oder', 'zzzzz'];
/** All texts, and those for which the rule costs more than a query may spend. */
const texts = { all: new Set<string>(), beyondBudget: new Set<string>() };
/** How many suggestions there were for each reason. */
const timesReached = new Map<Reason, number>();
/** Of each release. */
const snapshots: Snapshot[] = [];

describe.each(RELEASES)('%s', (_, rows) => {
  let snapshot: Snapshot;
  let oracle: OracleCountry[];
  beforeAll(async () => {
    snapshot = await openFixture(rows);
    snapshots.push(snapshot);
    oracle = createOracle(snapshot);
  });

  const structuresOf = ({ country }: OracleCountry): CountryStructures => country.structures as CountryStructures;
  const numbersOf = (places: readonly { readonly number: number }[]): number[] => places.map(({ number }) => number);

  test('every place is found by its id, and by no other country', () => {
    for (const country of oracle) {
      const { ids, tree } = structuresOf(country);
      const found = country.places.map(({ id }) => findById(ids, tree, parsePlaceId(id) as Uint8Array));
      expect(found).toEqual(numbersOf(country.places));
      const strangers = oracle.filter((other) => other !== country).flatMap(({ places }) => places.slice(0, 200));
      const hits = strangers.filter(({ id }) => findById(ids, tree, parsePlaceId(id) as Uint8Array) !== undefined);
      expect(hits).toEqual([]);
    }
  });

  test('every place is found by its path, and nothing by other paths', () => {
    for (const country of oracle) {
      const structures = structuresOf(country);
      const paths = new Set(country.places.map(({ path }) => path));
      expect(paths.size).toBe(country.places.length);
      const wrong: object[] = [];
      for (const { path, number } of country.places) {
        const slugs = path.slice(1).split('/');
        if (findByPath(structures, slugs) !== number) wrong.push({ path, number });
        const others = [
          [...slugs, 'zzz'],
          [...slugs.slice(0, -1), `${slugs.at(-1)}0`],
          [...slugs.slice(0, -1), (slugs.at(-1) as string).slice(0, -1)],
          ['', ...slugs],
          slugs.slice(1),
        ].filter((other) => !paths.has(`/${other.join('/')}`));
        wrong.push(...others.filter((other) => findByPath(structures, other) !== undefined));
      }
      expect(wrong).toEqual([]);
    }
  });

  test('every code finds its places in order, in every spelling', () => {
    for (const country of oracle) {
      const { postcodes } = structuresOf(country);
      const codes = new Set(country.places.flatMap(({ postalCode }) => postalCode ?? []));
      expect(postcodes.codeCount).toBe(codes.size);
      const [found, expected]: [object[], object[]] = [[], []];
      for (const code of codes) {
        const spellings = [
          code,
          code.replaceAll(/[ -]/g, ''),
          `${code[0]}-${code.slice(1)}`,
          `${code[0]} ${code.slice(1)}`,
        ];
        for (const spelling of spellings) {
          const places = oraclePostcode(country, spelling);
          const match = findPostcode(postcodes, spelling);
          found.push({ spelling, postcode: match?.postcode, places: [...(match?.places ?? [])] });
          expected.push({ spelling, postcode: places[0]?.postalCode, places: numbersOf(places) });
        }
      }
      expect(found).toEqual(expected);
      for (const code of ['', ' ', '-', 'NO SUCH CODE', '0', '서울']) {
        expect([...(findPostcode(postcodes, code)?.places ?? [])]).toEqual(numbersOf(oraclePostcode(country, code)));
      }
    }
  });

  test('pages of every level are complete, and by name then id', () => {
    for (const country of oracle) {
      const { orders, tree } = structuresOf(country);
      for (const level of [undefined, 1, 2, 3, 4]) {
        expect([...orderedPlaces(orders, tree, level)]).toEqual(numbersOf(oracleLevel(country, level)));
      }
    }
  });

  test('children, ancestors and levels', () => {
    for (const country of oracle) {
      const { tree, renderedPlaces } = structuresOf(country);
      for (const place of country.places) {
        const { start, end } = childRange(tree, place.number);
        const children = oracleChildren(country, place.id);
        const json = JSON.parse(`[${Buffer.from(placeRangeJson(renderedPlaces, start, end)).toString('utf8')}]`);
        expect({
          children: Array.from({ length: end - start }, (_, index) => start + index),
          json,
          ancestors: listAncestors(tree, place.number),
          level: levelOf(tree, place.number),
        }).toEqual({
          children: numbersOf(children),
          json: children.map(({ number: _, ...answer }) => answer),
          ancestors: numbersOf(oracleAncestors(country, place)),
          level: place.level,
        });
      }
    }
  });

  test('the field offsets of a rendered place lead to its fields', () => {
    for (const country of oracle) {
      const { renderedPlaces } = structuresOf(country);
      for (const { number, name, postalCode, path, url } of country.places) {
        const fields = Object.entries(placeFieldsJson(renderedPlaces, number));
        const parsed = Object.fromEntries(fields.map(([key, bytes]) => [key, JSON.parse(decodeUtf8(bytes))]));
        expect(parsed).toEqual({ name, postalCode, path, url });
        expect(renderedPathOf(renderedPlaces, number)).toBe(path);
      }
    }
  });

  test('the nearest place is that of brute force', () => {
    const random = createRandom(7);
    const anywhere = (): [number, number] => [random() * 180 - 90, random() * 360 - 180];
    const differences: object[] = [];
    for (const country of oracle) {
      const { points } = structuresOf(country);
      const leaves = country.places.filter(({ postalCode }) => postalCode !== null);
      const near = Array.from({ length: 80 }, (): [number, number] => {
        const leaf = leaves[Math.floor(random() * leaves.length)] as (typeof leaves)[number];
        const [lat, lng] = [leaf.latitude + random() * 2 - 1, leaf.longitude + random() * 2 - 1];
        return [Math.max(-90, Math.min(90, lat)), lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng];
      });
      const corners: [number, number][] = [0, 90, -90, 0.5].flatMap((lat) =>
        [0, 180, -180, 179.99].map((lng): [number, number] => [lat, lng]),
      );
      const exact = leaves.slice(0, 100).map(({ latitude, longitude }): [number, number] => [latitude, longitude]);
      for (const [lat, lng] of [...near, ...corners, ...exact, ...Array.from({ length: 20 }, anywhere)]) {
        for (const radiusKm of [80, 5]) {
          const expected = oracleNearest(country, { lat, lng, radiusKm });
          const tiers = POINT_TIERS.map((_, tier) =>
            findNearestInKdTree(pointTier(points, tier), { lat, lng, radiusKm }),
          );
          const found = tiers.find(({ length }) => length > 0) ?? [];
          const isNearest = found.every(
            ({ place, distanceKm }) => expected?.numbers.has(place) && distanceKm === expected.distanceKm,
          );
          // One place stands for each point: as many as there are distinct points at that distance.
          const distinct = new Set(
            [...(expected?.numbers ?? [])].map((number) => {
              const { latitude, longitude } = country.places[number] as (typeof leaves)[number];
              return `${latitude},${longitude}`;
            }),
          );
          if (!isNearest || found.length !== distinct.size) differences.push({ lat, lng, radiusKm, found, expected });
        }
      }
    }
    expect(differences).toEqual([]);
  });

  function checkSuggestions(places: readonly SuggestablePlace[], only: Country | undefined, count: number): void {
    const names = createNaiveNames(places);
    const queries = makeSuggestQueries(createRandom(11), places, count).map(({ text }) => text);
    const differences: object[] = [];
    const codes = new Set(oracle.flatMap((one) => one.places.map(({ postalCode }) => foldText(postalCode ?? ''))));
    for (const text of new Set([...SHORT_QUERIES, ...queries])) {
      // The rule is that of names. A start such as "1" may be a postal code too.
      if (codes.has(foldText(text))) continue;
      texts.all.add(text);
      const foldings = foldQuery(text);
      const suggestions = naiveSuggest(names, foldings, 25);
      for (const { reason } of suggestions) timesReached.set(reason, (timesReached.get(reason) ?? 0) + 1);
      for (const limit of [1, 10, 25]) {
        const expected = suggestions.slice(0, limit).map(({ place }) => `${place.countryCode} ${place.number}`);
        // The rule itself is compared, whatever it costs.
        const work = new WorkBudget(Number.MAX_SAFE_INTEGER);
        const found = searchNames(
          new NameQuery(snapshot, { countries: only && [only] }, work),
          foldings,
          limit,
        ).places.map(({ country, place }) => `${country.entry.code} ${place}`);
        if (found.join() !== expected.join()) differences.push({ text, limit, found, expected });
        if (work.spentUnits > MAX_WORK) texts.beyondBudget.add(text);
      }
    }
    expect(differences).toEqual([]);
  }

  test('suggestions within a country are those of the rule', () => {
    for (const { country, suggestable } of oracle) {
      checkSuggestions(suggestable, country, Math.min(100, 20 + suggestable.length));
    }
  });

  test('suggestions of the world are those of the rule', () => {
    const everywhere = oracle.flatMap(({ suggestable }) => suggestable).sort(compareSuggestable);
    checkSuggestions(everywhere, undefined, 200);
  });
});

test('the suggestions above were for every reason there is', () => {
  expect(REASONS.filter((reason) => (timesReached.get(reason) ?? 0) < 5)).toEqual([]);
});

test('few of the searches above would have exceeded their budget', () => {
  // Numbers are words of a third of the seeded release's names and of all its units.
  expect(texts.all.size).toBeGreaterThan(300);
  expect(texts.beyondBudget.size).toBeLessThan(texts.all.size / 20);
});

test('the seeded release has ranges that are too long to be looked through', () => {
  const { worldNames } = snapshots[1] as Snapshot;
  expect(worldNames.topCount).toBeGreaterThan(3);
  const queries = ['n', 'ne', 'neu', 'nie', 'b', 'bad', 'o', 's'].map((query) => Buffer.from(foldText(query)));
  const long = queries.filter((query) => {
    const { start, end } = findNameEntries(worldNames, query);
    return end - start > TOP_RANGE;
  });
  expect(long.length).toBeGreaterThan(3);
  expect(worldNames.topRanks.some((rank) => rank !== NO_RANK)).toBe(true);
});
