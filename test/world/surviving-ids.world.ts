/**
 * Ids across releases: what a client keeps must still mean the same place when the next release is served. A triple of
 * country, postal code and name that both releases have keeps its ids where the ids of its places in the one are those
 * in the other, or a part of them. Names are local names, which are as they were released; admin units are compared by
 * their chain of types and names.
 */

import { expect, test } from '@jest/globals';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import { count, countriesWithData, openRelease, parsePlaces, percent, printFigures } from './world.js';

const LEAST_SHARE = 0.999;

test('at least 99.9 % of the places that two releases share keep their id', () => {
  const earlier = openRelease('2024-04');
  const later = new Map(countriesWithData(openRelease('2026-03')).map(({ code, structures }) => [code, structures]));
  const leaves = { shared: 0, kept: 0 };
  const units = { shared: 0, kept: 0 };
  for (const { code, structures } of countriesWithData(earlier)) {
    const laterStructures = later.get(code);
    if (laterStructures === undefined) continue;
    const before = groupIds(parsePlaces(structures));
    const after = groupIds(parsePlaces(laterStructures));
    compareIds(before.leaves, after.leaves, leaves);
    compareIds(before.units, after.units, units);
  }
  printFigures(
    `ids from 2024-04 to 2026-03: ${percent(leaves.kept, leaves.shared)} of ${count(leaves.shared)} shared triples ` +
      `and ${percent(units.kept, units.shared)} of ${count(units.shared)} shared admin units keep theirs`,
  );
  expect(leaves.shared).toBeGreaterThan(100_000);
  expect(leaves.kept / leaves.shared).toBeGreaterThanOrEqual(LEAST_SHARE);
  expect(units.kept / units.shared).toBeGreaterThanOrEqual(LEAST_SHARE);
});

type IdsByKey = Map<string, Set<string>>;

function groupIds(places: readonly PlaceResource[]): { leaves: IdsByKey; units: IdsByKey } {
  const groups = { leaves: new Map() as IdsByKey, units: new Map() as IdsByKey };
  const chains = new Map<string | null, string>([[null, '']]);
  for (const { id, parentId, type, localName, postalCode } of places) {
    // Parents come before their children.
    if (postalCode === null) chains.set(id, `${chains.get(parentId)}\t${type}:${localName}`);
    const [group, key] =
      postalCode === null
        ? ([groups.units, chains.get(id) as string] as const)
        : ([groups.leaves, `${postalCode}\t${localName}`] as const);
    const ids = group.get(key);
    if (ids === undefined) group.set(key, new Set([id]));
    else ids.add(id);
  }
  return groups;
}

function compareIds(before: IdsByKey, after: IdsByKey, tally: { shared: number; kept: number }): void {
  for (const [key, idsBefore] of before) {
    const idsAfter = after.get(key);
    if (idsAfter === undefined) continue;
    tally.shared++;
    const common = [...idsBefore].filter((id) => idsAfter.has(id)).length;
    if (common === Math.min(idsBefore.size, idsAfter.size)) tally.kept++;
  }
}
