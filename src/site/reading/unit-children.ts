/**
 * The children of a unit or a country by kind: areas (units with others in them), cities with their codes, towns
 * without a postal code, and recipients, each once. One pass over the children: 50 ns for each.
 */

import { oncePer } from '../../base/once-per.js';
import { codeRanksOf, isUnitAt } from '../../core/lookup/code-ranks.js';
import { haveOneName } from '../../core/lookup/siblings-of-name.js';
import type { Range } from '../../core/snapshot/array-bundle.js';
import { childrenOf, isArea } from '../../core/snapshot/place-tree.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';
import { rowsIn, standingOf } from './standing-place.js';

export interface UnitChildren {
  readonly areas: readonly number[];
  /** Of a country, the areas that people don't count with the others. */
  readonly otherAreas?: readonly number[];
  /** The numbered parts of a city, where its country has a word for them: arrondissements. */
  readonly numbered?: readonly number[];
  /** The place that stands for each city, town or village: localities of one name. */
  readonly cities: readonly number[];
  /** Units without children: the gazetteer's towns that no row of the release names. */
  readonly towns: readonly number[];
  /** The first place of each recipient. */
  readonly recipients: readonly number[];
}

/** Number of children from which on their kinds are remembered: telling them takes 50 µs. */
export const MANY_CHILDREN = 1_000;
const rememberedOf = oncePer((_: CountryStructures) => new Map<number | undefined, UnitChildren>());

/** Remembered for units with MANY_CHILDREN: the world has 49 such units with 290,000 places. */
export function childrenByKind(structures: CountryStructures, unit: number | undefined): UnitChildren {
  const remembered = rememberedOf(structures);
  const found = remembered.get(unit);
  if (found !== undefined) return found;
  const children = childrenOf(structures.tree, unit);
  const parts = sortChildren(structures, children);
  if (children.end - children.start >= MANY_CHILDREN) remembered.set(unit, parts);
  return parts;
}

function sortChildren(structures: CountryStructures, children: Range): UnitChildren {
  const { tree, renderedPlaces } = structures;
  const ranks = codeRanksOf(structures);
  const parts = { areas: [] as number[], cities: [] as number[], towns: [] as number[], recipients: [] as number[] };
  let start = children.start;
  for (let end = start + 1; start < children.end; end++) {
    if (isUnitAt(ranks, end - 1)) (isArea(tree, end - 1) ? parts.areas : parts.towns).push(end - 1);
    if (end < children.end && haveOneName(renderedPlaces, start, end)) continue;
    const run = { start, end };
    start = end;
    const rows = rowsIn(structures, run, false);
    if (rows.length > 0) parts.cities.push(standingOf(structures, rows));
    if (rows.length === run.end - run.start) continue;
    const [recipient] = rowsIn(structures, run, true);
    if (recipient !== undefined) parts.recipients.push(recipient);
  }
  return parts;
}
