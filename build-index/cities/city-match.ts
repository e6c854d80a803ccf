/** The match of a city: its kind, its places and its parts; and how it is made of the place by which a city was found. */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import type { NamedCity } from '../gazetteer/read-gazetteer.js';
import type { CountryTree } from '../tree/country-tree.js';
import type { CandidateChoice } from './candidate-choice.js';
import { putMainPlaceFirst } from './choose-main-place.js';
import { isLesserName } from './city-keys.js';
import { NEAR_KM, SAME_SPOT_KM } from './distance-limits.js';
import type { Candidate, CitySearch } from './match-candidates.js';
import type { TreeAreas } from './tree-areas.js';

export const MATCH_KINDS = [
  'name',
  'core name',
  'other name',
  'outside',
  'parts by name',
  'parts around',
  'similar name',
  'shared place',
  'in larger city',
  'none',
] as const;

/** How a city was matched. */
export type MatchKind = (typeof MATCH_KINDS)[number];

export interface CityMatch {
  readonly city: NamedCity;
  readonly kind: MatchKind;
  /**
   * The places that are the city, the main place first; for a shared place, the place of another city. Empty if the
   * city has only parts, or nothing.
   */
  readonly places: readonly number[];
  /** Whether the first place is an admin unit far wider than the city: no smaller place has the name. */
  readonly isWider: boolean;
  /** Whether no place is near the city: the release's positions are wrong or rough. */
  readonly isFar: boolean;
  /**
   * The places that make up the city, ascending; empty if a place for the whole city has its name. "Karachi Gpo", which
   * matches Karachi by its core name, is one of the parts too.
   */
  readonly parts: readonly number[];
  /**
   * The city's names, as written, whose folded form differs from the first place's names: each form once, the main name
   * first.
   */
  readonly otherNames: readonly string[];
}

/** Makes the matches of a country's cities; `isFree`: whether a place is matched to no city yet. */
export class MatchMaker {
  constructor(
    private readonly tree: CountryTree,
    private readonly areas: TreeAreas,
    private readonly choice: CandidateChoice,
    private readonly isFree: (place: number) => boolean,
  ) {}

  /** All places of the city: `anchor`, and the places of the city's names around, above and below it. */
  whole(search: CitySearch, kind: MatchKind, anchor: Candidate): CityMatch {
    const { city, radiusKm, byName, byCoreName, byOtherName } = search;
    const { areas, tree } = this;
    const { places, nearestKm } = this.listPlaces(search, anchor);
    // A borough that shares only the core name is not the first place of a city that is a part of it.
    const list = [byName, byCoreName, byOtherName].find((candidates) => candidates.includes(anchor)) ?? [];
    const best = new Set(list.map(({ place }) => place));
    // An office or a district is not the first place where a unit has the exact name.
    const isLesser = (place: number): boolean => list === byName && isLesserName(foldText(tree.names[place] as string));
    const ordered = putMainPlaceFirst(
      tree,
      areas,
      city,
      [...places],
      (place) => best.has(place),
      (place) => best.has(place) || !isLesser(place),
    );
    const otherNames = this.otherNamesOf(search, ordered.places[0] as number);
    return { city, kind, ...ordered, isFar: nearestKm > radiusKm + NEAR_KM, parts: [], otherNames };
  }

  /** A leaf whose name is not quite the city's, and the free units above it that have the leaf's name. */
  similar(search: CitySearch, leaf: number): CityMatch {
    const { areas, tree } = this;
    const places = [leaf];
    const folded = foldText(tree.names[leaf] as string);
    for (let unit = tree.parents[leaf] as number; unit !== NO_PARENT; unit = tree.parents[unit] as number) {
      if (this.isFree(unit) && foldText(tree.names[unit] as string) === folded) places.push(unit);
    }
    const isAny = (): boolean => true;
    const ordered = putMainPlaceFirst(tree, areas, search.city, places, isAny, isAny);
    const otherNames = this.otherNamesOf(search, ordered.places[0] as number);
    return { city: search.city, kind: 'similar name', ...ordered, isFar: false, parts: [], otherNames };
  }

  private listPlaces(search: CitySearch, anchor: Candidate): { places: ReadonlySet<number>; nearestKm: number } {
    const { radiusKm, byName, byCoreName, byOtherName } = search;
    const { areas } = this;
    const places = new Set([anchor.place]);
    let nearestKm = anchor.km;
    for (const candidates of [byName, byCoreName, byOtherName]) {
      for (const { place, km, agreement } of candidates) {
        if (!this.isFree(place)) continue;
        const isInLine = areas.isWithin(place, anchor.place) || areas.isWithin(anchor.place, place);
        // With a far anchor, another place at the same distance may lie on the other side of the city.
        const isBeside =
          candidates !== byOtherName &&
          (anchor.km <= radiusKm + NEAR_KM
            ? km <= Math.max(anchor.km, radiusKm) + SAME_SPOT_KM
            : this.choice.isAtOneSpot(anchor.place, place));
        if (!isInLine && (!isBeside || agreement.level1 === 'different')) continue;
        places.add(place);
        nearestKm = Math.min(nearestKm, km);
      }
    }
    return { places, nearestKm };
  }

  private otherNamesOf({ names }: CitySearch, first: number): string[] {
    const own = new Set([this.tree.names[first] as string, this.tree.localNames[first] as string].map(foldText));
    return [...names].filter(([folded]) => !own.has(folded)).map(([, name]) => name);
  }
}
