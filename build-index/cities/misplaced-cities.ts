/**
 * Finds cities at a place that the release has elsewhere in the unit where the city would be synthesised (Vyborg, 300 km
 * off). The place keeps its position, since the gazetteer's is the wrong one as often (Arif Wala). Only for larger
 * cities, and where the places of the name beside each other are matched to no other city: two villages of one unit may
 * have one name.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import type { CountryTree } from '../tree/country-tree.js';
import { putMainPlaceFirst } from './choose-main-place.js';
import type { CityMatch } from './city-match.js';
import type { CitySites } from './city-sites.js';
import type { TreeAreas } from './tree-areas.js';

/** Minimum population, in people: few villages have a town's name and are missing from the gazetteer. */
const MIN_PEOPLE = 15_000;

/** `matches`, with such cities as matches of the kind `outside`. */
export function matchMisplaced(
  tree: CountryTree,
  areas: TreeAreas,
  matches: readonly CityMatch[],
  sites: CitySites,
): readonly CityMatch[] {
  const taken = new Set(matches.flatMap(({ places }) => places));
  return matches.map((match) => {
    const { city } = match;
    if (city.population < MIN_PEOPLE || !sites.isNowhere(match)) return match;
    const parent = sites.parentOf(city);
    if (parent === undefined || parent === NO_PARENT) return match;
    const folded = foldText(city.name);
    const isOfName = (place: number): boolean => foldText(tree.names[place] as string) === folded;
    const found = listChildren(tree, parent)
      .filter(isOfName)
      .flatMap((place) => (areas.isLeaf(place) ? [place] : [place, ...[...areas.leavesOf(place)].filter(isOfName)]));
    if (found.length === 0 || found.some((place) => taken.has(place))) return match;
    for (const place of found) taken.add(place);
    const isAny = (): boolean => true;
    const ordered = putMainPlaceFirst(tree, areas, city, found, isAny, isAny);
    return { ...match, ...ordered, kind: 'outside', isWider: false, parts: [] };
  });
}

function listChildren({ childStarts }: CountryTree, parent: number): number[] {
  const [start, end] = [childStarts[parent] as number, childStarts[parent + 1] as number];
  return Array.from({ length: end - start }, (_, index) => start + index);
}
