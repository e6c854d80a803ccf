/**
 * The order in which the ranks of one reason are taken: ascending, the best first. Of a search that favours a point, the
 * nearest of each class of importance come first (nearness.ts).
 */
import { readPoint } from '../../store/place-fields.js';
import { WORK } from '../../store/work-budget.js';
import { distanceKm } from '../distance-km.js';
import { structuresOf } from '../find-country.js';
import type { NameLookup } from './name-lookup.js';
import { compareNearness, importanceClass, type Nearness, UNKNOWN_NEARNESS } from './nearness.js';

/** Maximum number of ranks of a reason that are measured, the best first: the places of nearly every name. */
const MAX_MEASURED = 200;

/** The ranks in the order to take them; `ranks` ascend. */
export function orderRanks(names: NameLookup, ranks: Iterable<number>): Iterable<number> {
  if (names.scope.near === undefined) return ranks;
  const all = [...ranks];
  if (all.length < 2) return all;
  const measured = all
    .slice(0, MAX_MEASURED)
    .map((rank) => ({ rank, nearness: nearnessOf(names, rank) }))
    .sort((a, b) => compareNearness(a.nearness, b.nearness) || a.rank - b.rank);
  return [...measured.map(({ rank }) => rank), ...all.slice(MAX_MEASURED)];
}

function nearnessOf(names: NameLookup, rank: number): Nearness {
  const { near } = names.scope;
  const importance = importanceClass(names.index, rank);
  const found = names.suggestionOf(rank);
  const isMeasured = near !== undefined && found !== undefined && names.work.spend(WORK.text);
  if (!isMeasured) return { ...UNKNOWN_NEARNESS, importance };
  return { importance, distanceKm: distanceKm(near, readPoint(structuresOf(found.country), found.place)) };
}
