/**
 * The children of a unit or a country by kind: areas (units with others in them), cities with their codes, towns
 * without a postal code, and recipients, each once. One pass over the children: 10 ns for each.
 */

import { oncePer } from '../../base/once-per.js';
import { childrenOf, citiesOf, isArea, isRecipientAt, isUnitAt } from '../../core/snapshot/cities.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';

export interface UnitChildren {
  readonly areas: readonly number[];
  /** The first place of each city. */
  readonly cities: readonly number[];
  /** Units without children: the gazetteer's towns that no row of the release names. */
  readonly towns: readonly number[];
  /** The first place of each recipient. */
  readonly recipients: readonly number[];
}

/** Number of children from which on their kinds are remembered: telling them takes 10 µs. */
export const MANY_CHILDREN = 1_000;
const rememberedOf = oncePer((_: CountryStructures) => new Map<number | undefined, UnitChildren>());

/** Remembered for units with MANY_CHILDREN: the world has 49 such units with 290,000 places. */
export function childrenByKind(structures: CountryStructures, unit: number | undefined): UnitChildren {
  const remembered = rememberedOf(structures);
  const found = remembered.get(unit);
  if (found !== undefined) return found;
  const { start, end } = childrenOf(structures, unit);
  const parts = sortChildren(structures, start, end);
  if (end - start >= MANY_CHILDREN) remembered.set(unit, parts);
  return parts;
}

function sortChildren(structures: CountryStructures, start: number, end: number): UnitChildren {
  const cities = citiesOf(structures);
  const parts = { areas: [] as number[], cities: [] as number[], towns: [] as number[], recipients: [] as number[] };
  for (let child = start; child < end; child++) {
    if (cities.cities[child] !== child) continue;
    if (isRecipientAt(cities, child)) parts.recipients.push(child);
    else if (!isUnitAt(cities, child)) parts.cities.push(child);
    else if (isArea(structures, child)) parts.areas.push(child);
    else parts.towns.push(child);
  }
  return parts;
}
