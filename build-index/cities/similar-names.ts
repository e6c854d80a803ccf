/**
 * Finds the place of a city under a spelling that the gazetteer lacks: a leaf in the city or at its edge with a name
 * that differs from one of the city's names in one letter ("Mulchén", "Mulchin").
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { areWordsOneLetterApart } from '../naming/one-letter-apart.js';
import type { CountryTree } from '../tree/country-tree.js';
import { isSizeableCity } from './city-size.js';
import { SAME_SPOT_KM } from './distance-limits.js';
import type { CitySearch } from './match-candidates.js';
import type { TreeAreas } from './tree-areas.js';

export class SimilarNames {
  private readonly foldedNames = new Map<number, string>();

  constructor(
    private readonly tree: CountryTree,
    private readonly areas: TreeAreas,
  ) {}

  /** The nearest free leaf with a similar name. Only for cities that would be synthesised otherwise. */
  find({ city, names, radiusKm }: CitySearch, isFree: (place: number) => boolean): number | undefined {
    const { latitude, longitude } = city;
    if (!isSizeableCity(city)) return undefined;
    let [nearest, least]: [number | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const leaf of this.areas.leavesAround(latitude, longitude, radiusKm + SAME_SPOT_KM)) {
      if (!isFree(leaf)) continue;
      const folded = this.foldedNameOf(leaf);
      let isSimilar = false;
      for (const name of names.keys()) isSimilar ||= isSimilarName(name, folded);
      const km = isSimilar ? this.areas.kmTo(latitude, longitude, leaf) : Number.POSITIVE_INFINITY;
      if (km < least && this.isWhereItSays(leaf)) [nearest, least] = [leaf, km];
    }
    return nearest;
  }

  /** Whether a leaf lies among leaves of its own region; otherwise it has the position of a place elsewhere. */
  private isWhereItSays(leaf: number): boolean {
    return this.areas.isLeaf(this.areas.rootOf(leaf)) || this.areas.isAtHome(leaf);
  }

  private foldedNameOf(leaf: number): string {
    let folded = this.foldedNames.get(leaf);
    if (folded === undefined) {
      folded = foldText(this.tree.names[leaf] as string);
      this.foldedNames.set(leaf, folded);
    }
    return folded;
  }
}

function isSimilarName(one: string, other: string): boolean {
  // Most pairs differ in length or in the first letter, which takes no time to see.
  return (
    one.charCodeAt(0) === other.charCodeAt(0) &&
    Math.abs(one.length - other.length) <= 1 &&
    areWordsOneLetterApart(one, other)
  );
}
