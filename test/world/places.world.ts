/**
 * Every place of the release, all of its 1.25 million, through the two indexes that lead to it: its path to itself, and
 * its id to itself. Samples go through the service, where a path may also be written as people write names.
 */

import { expect, test } from '@jest/globals';
import { getPlace, resolvePath } from '../../src/core/answers/places.js';
import { findByPath } from '../../src/core/snapshot/path-trie.js';
import { parsePlaceId } from '../../src/core/snapshot/place-id.js';
import { findById } from '../../src/core/snapshot/place-id-index.js';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import { createRandom } from '../fixtures/random.mjs';
import { count, countriesWithData, Failures, openRelease, parseAnswer, parsePlaces, printFigures } from './world.js';

const SAMPLE_SHARE = 1 / 400;

/** In the order of the contract. */
const PLACE_FIELDS = [
  'id',
  'countryCode',
  'level',
  'name',
  'localName',
  'type',
  'slug',
  'path',
  'postalCode',
  'latitude',
  'longitude',
  'parentId',
  'url',
];

type PlaceDetail = PlaceResource & { readonly ancestors: readonly PlaceResource[]; readonly childCount: number };

test("every place's path and id lead to itself", () => {
  const snapshot = openRelease('2026-03');
  const failures = new Failures();
  const random = createRandom(2);
  const ids = new Set<string>();
  let placeCount = 0;
  let sampled = 0;
  for (const { code, structures } of countriesWithData(snapshot)) {
    const places = parsePlaces(structures);
    const childCounts = new Map<string | null, number>();
    for (const { parentId } of places) childCounts.set(parentId, (childCounts.get(parentId) ?? 0) + 1);
    places.forEach((place, number) => {
      const slugs = place.path.slice(1).split('/');
      if (findByPath(structures, slugs) !== number) failures.add(`${code}${place.path}: another place or none`);
      if (slugs.length !== place.level) failures.add(`${code}${place.path}: level ${place.level}`);
      if (findById(structures.ids, structures.tree, parsePlaceId(place.id) as Uint8Array) !== number) {
        failures.add(`${code} ${place.id}: another place or none`);
      }
      ids.add(place.id);
      if (random() >= SAMPLE_SHARE) return;
      sampled++;
      const byId = parseAnswer<PlaceDetail>(getPlace(snapshot, { country: code, id: place.id.toUpperCase() }));
      const byPath = parseAnswer<PlaceDetail>(
        resolvePath(snapshot, { country: code, segments: slugs.map((slug) => slug.toUpperCase()) }),
      );
      expect(byPath).toEqual(byId);
      const { ancestors, childCount, ...own } = byId;
      expect(own).toEqual(place);
      expect(Object.keys(own)).toEqual(PLACE_FIELDS);
      expect(own.url.endsWith(own.path)).toBe(true);
      expect(childCount).toBe(childCounts.get(place.id) ?? 0);
      const chain = [...ancestors, own];
      expect(chain.map(({ level }) => level)).toEqual([1, 2, 3, 4].slice(0, place.level));
      expect(chain.map(({ parentId }) => parentId)).toEqual([null, ...ancestors.map(({ id }) => id)]);
    });
    placeCount += places.length;
  }
  expect(failures.shown).toEqual([]);
  expect(ids.size).toBe(placeCount);
  printFigures(
    `places: ${count(placeCount)} found by path and by id, all ids distinct; ${count(sampled)} compared in full`,
  );
});
