/**
 * Chains of single children: where a unit has one city or one unit and nothing else, both are one page (Vaduz › Vaduz,
 * Paris › Paris). Recipients and towns without a postal code don't count. Costs one pass over the children of each unit
 * of the chain, which ends at the second city; the children of units with many are remembered.
 */

import { codeRanksOf, isLocalityAt, isUnitAt } from '../../core/lookup/code-ranks.js';
import { haveOneName } from '../../core/lookup/siblings-of-name.js';
import { childrenOf, isArea, LEVEL_COUNT, parentOf } from '../../core/snapshot/place-tree.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';
import type { CoveredCountry } from './covered-country.js';
import { haveOnePage, standingPlace } from './standing-place.js';
import { childrenByKind, MANY_CHILDREN, type UnitChildren } from './unit-children.js';

export interface Chain {
  /** The units, the outermost first. */
  readonly units: readonly number[];
  /** The place that stands for the city at its end; undefined if the chain ends in a unit with several children. */
  readonly city: number | undefined;
}

export function findChain(structures: CountryStructures, place: number): Chain {
  const ranks = codeRanksOf(structures);
  const start = standingPlace(structures, place);
  const units: number[] = [];
  let at = start;
  for (let parent = parentOf(structures.tree, at); parent !== undefined; parent = parentOf(structures.tree, parent)) {
    if (onlyChildOf(structures, parent) !== at || units.length === LEVEL_COUNT) break;
    units.unshift(parent);
    at = parent;
  }
  if (!isUnitAt(ranks, start)) return { units, city: start };
  units.push(start);
  let below = onlyChildOf(structures, start);
  // In a damaged file a unit can lie in itself.
  while (below !== undefined && isUnitAt(ranks, below) && units.length <= LEVEL_COUNT) {
    units.push(below);
    below = onlyChildOf(structures, below);
  }
  return { units, city: below !== undefined && isUnitAt(ranks, below) ? undefined : below };
}

/** The only city, or the only area, in a unit; undefined if the unit has none or several. */
function onlyChildOf(structures: CountryStructures, unit: number): number | undefined {
  const ranks = codeRanksOf(structures);
  const { start, end } = childrenOf(structures.tree, unit);
  if (end - start >= MANY_CHILDREN) {
    const parts = childrenByKind(structures, unit);
    const [only, another] = [...parts.areas.slice(0, 2), ...parts.cities.slice(0, 2)];
    return another === undefined ? only : undefined;
  }
  let only: number | undefined;
  for (let child = start; child < end; child++) {
    if (!isLocalityAt(ranks, child) && !isArea(structures.tree, child)) continue;
    if (only !== undefined && !haveOnePage(structures, only, child)) return undefined;
    only ??= child;
  }
  return only === undefined ? undefined : standingPlace(structures, only);
}

/**
 * The place at whose address search engines should keep the page of a place: the one that stands for its rows, or the
 * outermost unit around it whose page is the same and has the same name.
 */
export function canonicalPlace(structures: CountryStructures, place: number): number {
  let at = standingPlace(structures, place);
  if (!isLocalityAt(codeRanksOf(structures), at) && !isArea(structures.tree, at)) return at;
  for (let level = 1; level < LEVEL_COUNT; level++) {
    const parent = parentOf(structures.tree, at);
    if (parent === undefined || !haveOneName(structures.renderedPlaces, parent, at)) break;
    if (onlyChildOf(structures, parent) !== at) break;
    at = parent;
  }
  return at;
}

/** The children of the last unit of a chain, with the towns and recipients of all its units. */
export function childrenOfChain({ structures }: CoveredCountry, { units, city }: Chain): UnitChildren {
  const parts = units.map((unit) => childrenByKind(structures, unit));
  const last = city === undefined ? parts.at(-1) : undefined;
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && last !== undefined) return only;
  return {
    areas: last?.areas ?? [],
    cities: last?.cities ?? [],
    towns: parts.flatMap(({ towns }) => towns),
    recipients: parts.flatMap(({ recipients }) => recipients),
  };
}
