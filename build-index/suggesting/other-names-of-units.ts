/**
 * The other names of units: those of merged units, a released name that was replaced, and the English name of a
 * first-level unit (Toscana: Tuscany). A unit has the English name of a subdivision of ISO 3166-2 if
 *
 *   by name   one of its names is a name of that subdivision, and of no other; or
 *   by code   it has no such name and has the subdivision's code, in a country whose release uses the codes of ISO
 *             (usesFirstLevelUnitCodes)
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { type EnglishSubdivision, englishSubdivisionsOf } from '../data-tables/subdivisions.js';
import { appendToGroup } from '../ordering/grouping.js';
import {
  listFirstLevelUnits,
  type NamedTree,
  type Region,
  usesFirstLevelUnitCodes,
} from '../place-facts/first-level-units.js';

export type OtherNames = ReadonlyMap<number, readonly string[]>;

/** The other names by unit; none of them is folded like the unit's name. */
export function listOtherNames(tree: NamedTree): OtherNames {
  const otherNames = new Map<number, readonly string[]>(tree.mergedNames);
  const regions = listFirstLevelUnits(tree);
  for (const [{ place, names }, { english }] of matchSubdivisions(regions, englishSubdivisionsOf(tree.countryCode))) {
    if (!names.includes(foldText(english))) otherNames.set(place, [...(otherNames.get(place) ?? []), english]);
  }
  return otherNames;
}

function matchSubdivisions(
  regions: readonly Region[],
  subdivisions: readonly EnglishSubdivision[],
): Map<Region, EnglishSubdivision> {
  const matches = new Map<Region, EnglishSubdivision>();
  if (subdivisions.length === 0) return matches;
  const byName = new Map<string, EnglishSubdivision[]>();
  for (const subdivision of subdivisions) {
    for (const name of new Set(subdivision.names.map(foldText))) appendToGroup(byName, name, subdivision);
  }
  for (const region of regions) {
    const found = new Set(region.names.flatMap((name) => byName.get(name) ?? []));
    const [first] = found;
    if (found.size === 1) matches.set(region, first as EnglishSubdivision);
  }
  const byCode = new Map(subdivisions.map((subdivision) => [subdivision.code, subdivision]));
  if (!usesFirstLevelUnitCodes(regions, matches, byCode)) return matches;
  for (const region of regions) {
    const found = new Set(region.codes.flatMap((code) => byCode.get(code) ?? []));
    const [first] = found;
    if (!matches.has(region) && found.size === 1) matches.set(region, first as EnglishSubdivision);
  }
  return matches;
}
