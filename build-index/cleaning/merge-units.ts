/**
 * Merges duplicate units (duplicate-units.ts) and the equal leaves that come together in a merged unit. The merged units
 * give their codes and names to the unit that stays; their numbers are removed from all arrays.
 */

import { copyId, createIds } from '../../src/core/snapshot/place-id.js';
import { isLeafType } from '../../src/core/snapshot/place-type.js';
import { unitNamesOf } from '../data-tables/unit-names.js';
import { type CleanedPlaces, type CollectedPlaces, NO_UNIT } from '../tree/collected-places.js';
import { isPlainLeafId } from '../tree/place-identities.js';
import { type CleaningTally, describeLeaf, noteCleaning } from './cleaning-tally.js';
import { findUnitMerges } from './duplicate-units.js';

type MergedPlaces = CollectedPlaces & Pick<CleanedPlaces, 'ids' | 'mergedNames'>;

export function mergeUnits(places: MergedPlaces, countryCode: string, tally: CleaningTally): MergedPlaces {
  const merges = findUnitMerges(places, unitNamesOf(countryCode));
  if (merges.length === 0) return places;
  const into = new Map(merges.map(({ unit, into: target }) => [unit, target]));
  const names = new Map<number, string[]>();
  for (const { unit, into: target } of merges) {
    const [text, targetText] = [places.texts[unit] as string, places.texts[target] as string];
    const codes = places.codes[target] as Set<string>;
    for (const code of places.codes[unit] as ReadonlySet<string>) codes.add(code);
    if (text === targetText) continue;
    names.set(target, [...(names.get(target) ?? []), ...(names.get(unit) ?? []), text]);
    noteCleaning(tally, 'unit: merged into another', countryCode, () => `${countryCode} ${text} → ${targetText}`);
  }
  places.parents.forEach((parent, place) => {
    const target = into.get(parent);
    if (target !== undefined) places.parents[place] = target;
  });
  const removed = new Set(into.keys());
  for (const leaf of findEqualLeaves(places, new Set(into.values()), countryCode)) {
    removed.add(leaf);
    noteCleaning(tally, 'leaf: duplicate in a unit', countryCode, () => describeLeaf(places, countryCode, leaf));
  }
  return removePlaces({ ...places, mergedNames: names }, removed);
}

/** The duplicate leaves in merged units. Of two equal leaves, the leaf with the plain id is not in the list. */
function findEqualLeaves(places: MergedPlaces, units: ReadonlySet<number>, countryCode: string): number[] {
  const firsts = new Map<string, number>();
  const equal: number[] = [];
  places.parents.forEach((parent, leaf) => {
    if (!isLeafType(places.types[leaf]) || !units.has(parent)) return;
    const { postalCodes, texts, latitudes, longitudes } = places;
    const key = [parent, postalCodes[leaf], texts[leaf], latitudes[leaf], longitudes[leaf]].join('\t');
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, leaf);
      return;
    }
    const isPlain = isPlainLeafId(places, leaf, countryCode, places.ids);
    equal.push(isPlain ? first : leaf);
    if (isPlain) firsts.set(key, leaf);
  });
  return equal;
}

function removePlaces(places: MergedPlaces, removed: ReadonlySet<number>): MergedPlaces {
  const kept = places.parents.flatMap((_, place) => (removed.has(place) ? [] : [place]));
  const numbers = new Map(kept.map((place, number) => [place, number]));
  const only = <Value>(values: readonly Value[]): Value[] => kept.map((place) => values[place] as Value);
  const ids = createIds(kept.length);
  kept.forEach((place, number) => {
    copyId(ids, number, places.ids, place);
  });
  return {
    ids,
    parents: only(places.parents).map((parent) => (parent === NO_UNIT ? NO_UNIT : (numbers.get(parent) as number))),
    levels: only(places.levels),
    types: only(places.types),
    texts: only(places.texts),
    codes: only(places.codes),
    releaseCodes: only(places.releaseCodes),
    postalCodes: only(places.postalCodes),
    latitudes: only(places.latitudes),
    longitudes: only(places.longitudes),
    placedBy: only(places.placedBy),
    codeOnly: new Map(
      [...places.codeOnly].flatMap(([unit, code]) => (removed.has(unit) ? [] : [[numbers.get(unit) as number, code]])),
    ),
    mergedNames: new Map([...places.mergedNames].map(([unit, names]) => [numbers.get(unit) as number, names])),
  };
}
