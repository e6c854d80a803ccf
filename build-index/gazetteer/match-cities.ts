/**
 * Matches the cities of the gazetteer to places of a country. Each step below runs for all cities before the next step,
 * so that a place goes to the city that fits it best; a place matches one city at most. In each step a city takes the
 * nearest place that fits; where two cities fit the same place, the nearer city takes it.
 *
 *   name        near, the place has the city's main name                         Paris
 *   core name   near, the same without words such as "city"                      Nanchong: Nanchong Shi
 *   other name  near, the place has one of the city's other names                Munich: München
 *   these three again, within the limits of farLimitKm                           Manaus, 50 km off its area's centre
 *   outside     the only place of the main name in the city's admin unit; the release's position is far outside the
 *               unit                                                             Vladimir, 3,864 km off
 *
 * Cities that are still unmatched:
 *
 *   parts by name, parts around                                                  see city-parts.ts
 *   in larger city    inside a larger city of the gazetteer, or a section of a city
 *   none
 *
 * match-distances.ts has the limits of "near". Ties go by place number, so the result doesn't depend on input order.
 */
import { foldText } from '../../src/format/fold-text.js';
import { kmBetween } from '../tree/distance.js';
import { findPartsAround, findPartsByName, listInnerCities } from './city-parts.js';
import { SECTION } from './city-row.js';
import { isLesserName } from './core-name.js';
import { type Candidate, type CitySearch, findCandidates } from './match-candidates.js';
import { farLimitKm, NEAR_KM, nearLimitKm, SAME_SPOT_KM, type UnitAgreement } from './match-distances.js';
import type { MatchedTree } from './matched-tree.js';
import { orderPlaces } from './place-order.js';
import type { NamedCity } from './read-gazetteer.js';
import { TreeAreas } from './tree-areas.js';

export const MATCH_KINDS = [
  'name',
  'core name',
  'other name',
  'outside',
  'parts by name',
  'parts around',
  'in larger city',
  'none',
] as const;

/** How a city was matched. */
export type MatchKind = (typeof MATCH_KINDS)[number];

export interface CityMatch {
  readonly city: NamedCity;
  readonly kind: MatchKind;
  /** The places that are the city, the main place first. Empty if the city has only parts, or nothing. */
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

/** Minimum distance of a mistaken position from the centre of its admin unit, in km: larger than most units' radius. */
const OUTSIDE_KM = 150;
/** Minimum ratio of that distance to the city's own distance from the centre: a remote city is no mistake. */
const OUTSIDE_RATIO = 3;
/** Minimum number of places of a name at one spot, for each elsewhere, at which the spot is the town. */
const CLEAR_MAJORITY = 5;
/**
 * Minimum ratio of leaves around to parts by name at which the leaves make up the city: a few streets share its name.
 */
const MOSTLY_AROUND = 10;

/** One match for each city, in the order of `cities`, which is by population. */
export function matchCities(
  tree: MatchedTree,
  cities: readonly NamedCity[],
  areas: TreeAreas = new TreeAreas(tree),
): CityMatch[] {
  return new Matching(tree, cities, areas).match();
}

class Matching {
  private readonly matches = new Map<NamedCity, CityMatch>();
  /** The places that are matched to a city. */
  private readonly taken = new Set<number>();

  constructor(
    private readonly tree: MatchedTree,
    private readonly cities: readonly NamedCity[],
    private readonly areas: TreeAreas,
  ) {}

  match(): CityMatch[] {
    const steps: readonly [MatchKind, (search: CitySearch) => Candidate | undefined][] = [
      ['name', (search) => this.nearest(search, search.byName)],
      ['core name', (search) => this.nearest(search, search.byCoreName)],
      ['other name', (search) => this.nearest(search, search.byOtherName)],
      ['name', (search) => this.farther(search, search.byName, false)],
      ['core name', (search) => this.farther(search, search.byCoreName, false)],
      ['other name', (search) => this.farther(search, search.byOtherName, true)],
      ['outside', (search) => this.outside(search)],
    ];
    let unmatched = findCandidates(this.tree, this.areas, this.cities);
    const foundByCore: CitySearch[] = [];
    for (const [kind, want] of steps) {
      const winners = this.settle(unmatched, want);
      // All found places are taken first, so that no neighbouring city takes one as its second place.
      for (const { place } of winners.values()) this.taken.add(place);
      for (const [search, anchor] of winners) this.matches.set(search.city, this.wholeMatch(search, kind, anchor));
      if (kind === 'core name') foundByCore.push(...winners.keys());
      unmatched = unmatched.filter((search) => !winners.has(search));
    }
    for (const search of foundByCore) this.addParts(search);
    this.matchParts(unmatched);
    return this.cities.map((city) => this.matches.get(city) as CityMatch);
  }

  private nearest({ radiusKm }: CitySearch, candidates: readonly Candidate[]): Candidate | undefined {
    return candidates.find((candidate) => {
      const { place, km, agreement } = candidate;
      return !this.taken.has(place) && km <= radiusKm + nearLimitKm(agreement) && this.isWhereItSays(candidate);
    });
  }

  /** Whether a place lies in the city's admin unit or, at least, among the leaves of its own unit. */
  private isWhereItSays({ place, agreement: { level1 } }: Candidate): boolean {
    return level1 === 'same' || this.areas.isLeaf(this.areas.rootOf(place)) || this.areas.isAtHome(place);
  }

  private farther(
    { city, radiusKm }: CitySearch,
    candidates: readonly Candidate[],
    isOther: boolean,
  ): Candidate | undefined {
    if (isSection(city)) return undefined;
    return candidates.find((candidate) => {
      const { place, km, agreement } = candidate;
      if (this.taken.has(place) || km > radiusKm + farLimitKm(agreement, isOther, false)) return false;
      if (km > radiusKm + farLimitKm(agreement, isOther, this.hasRival(candidate, candidates))) return false;
      return this.isWhereItSays(candidate) && this.isSurelyNamed(candidate, radiusKm);
    });
  }

  /**
   * In a country without units, only codes of both levels distinguish a farther city from a village of the same name.
   */
  private isSurelyNamed({ place, km, agreement: { level1, level2 } }: Candidate, radiusKm: number): boolean {
    if (!this.areas.isLeaf(this.areas.rootOf(place)) || km <= radiusKm + 2 * NEAR_KM) return true;
    return level1 === 'same' && level2 === 'same';
  }

  private outside({ city, byName }: CitySearch): Candidate | undefined {
    if (isSection(city)) return undefined;
    return byName.find((candidate) => {
      const { place, agreement, km } = candidate;
      if (this.taken.has(place) || agreement.level1 !== 'same' || agreement.level2 === 'different') return false;
      if (km <= OUTSIDE_KM || this.hasRival(candidate, byName)) return false;
      const middle = this.areas.middleOf(this.areas.rootOf(place));
      const placeKm = this.areas.kmTo(middle.latitude, middle.longitude, place);
      const cityKm = kmBetween(city.latitude, city.longitude, middle.latitude, middle.longitude);
      return placeKm > OUTSIDE_KM && placeKm > OUTSIDE_RATIO * cityKm;
    });
  }

  /**
   * Whether the name has rivals: places elsewhere whose admin units agree with the city at least as well as those of
   * `candidate`, and which are not far fewer than the places at the spot of `candidate`. Rivals are villages of the
   * same name as the town.
   */
  private hasRival(candidate: Candidate, candidates: readonly Candidate[]): boolean {
    const strength = strengthOf(candidate.agreement);
    const rivals = candidates.filter(
      ({ place, agreement }) => strengthOf(agreement) >= strength && !this.isAtOneSpot(candidate.place, place),
    );
    if (rivals.length === 0) return false;
    const together = candidates.filter(({ place }) => this.isAtOneSpot(candidate.place, place));
    return together.length < CLEAR_MAJORITY * rivals.length;
  }

  private isAtOneSpot(place: number, other: number): boolean {
    const { areas, tree } = this;
    return (
      other === place ||
      areas.isWithin(place, other) ||
      areas.isWithin(other, place) ||
      areas.kmTo(tree.latitudes[place] as number, tree.longitudes[place] as number, other) <= 2 * SAME_SPOT_KM
    );
  }

  /** The searches that find a place, each place going to the nearest city. */
  private settle(
    searches: readonly CitySearch[],
    want: (search: CitySearch) => Candidate | undefined,
  ): ReadonlyMap<CitySearch, Candidate> {
    const winners = new Map<number, { search: CitySearch; candidate: Candidate }>();
    for (const search of searches) {
      const candidate = want(search);
      if (candidate === undefined) continue;
      const winner = winners.get(candidate.place);
      // Searches are sorted by population: of two cities at the same distance the larger takes the place.
      if (winner !== undefined && winner.candidate.km <= candidate.km) continue;
      winners.set(candidate.place, { search, candidate });
    }
    return new Map(Array.from(winners.values(), ({ search, candidate }) => [search, candidate]));
  }

  /** All places of the city: `anchor`, and the places of the city's names around, above and below it. */
  private wholeMatch(search: CitySearch, kind: MatchKind, anchor: Candidate): CityMatch {
    const { city, names, radiusKm, byName, byCoreName, byOtherName } = search;
    const { areas, tree } = this;
    const places = new Set([anchor.place]);
    let nearestKm = anchor.km;
    for (const candidates of [byName, byCoreName, byOtherName]) {
      for (const { place, km, agreement } of candidates) {
        if (this.taken.has(place)) continue;
        const isInLine = areas.isWithin(place, anchor.place) || areas.isWithin(anchor.place, place);
        // With a far anchor, another place at the same distance may lie on the other side of the city.
        const isBeside =
          candidates !== byOtherName &&
          (anchor.km <= radiusKm + NEAR_KM
            ? km <= Math.max(anchor.km, radiusKm) + SAME_SPOT_KM
            : this.isAtOneSpot(anchor.place, place));
        if (!isInLine && (!isBeside || agreement.level1 === 'different')) continue;
        places.add(place);
        nearestKm = Math.min(nearestKm, km);
      }
    }
    for (const place of places) this.taken.add(place);
    // A borough that shares only the core name is not the first place of a city that is a part of it.
    const list = [byName, byCoreName, byOtherName].find((candidates) => candidates.includes(anchor)) ?? [];
    const best = new Set(list.map(({ place }) => place));
    // An office or a district is not the first place where a unit has the exact name.
    const isLesser = (place: number): boolean => list === byName && isLesserName(foldText(tree.names[place] as string));
    const ordered = orderPlaces(
      tree,
      areas,
      city,
      [...places],
      (place) => best.has(place),
      (place) => best.has(place) || !isLesser(place),
    );
    const first = ordered.places[0] as number;
    const own = new Set([tree.names[first] as string, tree.localNames[first] as string].map(foldText));
    const otherNames = [...names].filter(([folded]) => !own.has(folded)).map(([, name]) => name);
    return { city, kind, ...ordered, isFar: nearestKm > radiusKm + NEAR_KM, parts: [], otherNames };
  }

  /** Adds the parts by name to a city that was matched only to leaves of its core name. */
  private addParts(search: CitySearch): void {
    const match = this.matches.get(search.city) as CityMatch;
    if (!match.places.every((place) => this.areas.isLeaf(place))) return;
    const others = findPartsByName(search, (place) => !this.taken.has(place) && this.areas.isLeaf(place));
    if (others.length === 0) return;
    const parts = [...match.places, ...others].sort((a, b) => a - b);
    this.matches.set(search.city, { ...match, parts });
  }

  private matchParts(unmatched: readonly CitySearch[]): void {
    const isFree = (place: number): boolean => !this.taken.has(place);
    const unmatchedCities = unmatched.map(({ city }) => city);
    const inner = listInnerCities(unmatchedCities, this.cities);
    const outer = unmatchedCities.filter((city) => !inner.has(city));
    const partsAround = findPartsAround(this.tree, this.areas, isFree, outer);
    for (const search of unmatched) {
      const byName = findPartsByName(search, isFree);
      const around = partsAround.get(search.city) ?? [];
      // A few streets named after the city do not make up the city.
      if (byName.length > 0 && around.length <= byName.length * MOSTLY_AROUND) {
        this.keepParts(search, 'parts by name', byName);
      } else if (around.length > 0) {
        const parts = new Set([...byName, ...around]);
        this.keepParts(
          search,
          'parts around',
          [...parts].sort((a, b) => a - b),
        );
      } else {
        this.keepParts(search, isSection(search.city) || inner.has(search.city) ? 'in larger city' : 'none', []);
      }
    }
  }

  private keepParts({ city, names }: CitySearch, kind: MatchKind, parts: readonly number[]): void {
    this.matches.set(city, {
      city,
      kind,
      places: [],
      isWider: false,
      isFar: false,
      parts,
      otherNames: [...names.values()],
    });
  }
}

/** A section of a city has no place far from its position: such a place belongs to the city itself. */
function isSection({ featureCode }: NamedCity): boolean {
  return featureCode === SECTION;
}

/** The number of levels at which the admin units agree; -1 if they differ at one. */
function strengthOf({ level1, level2 }: UnitAgreement): number {
  if (level1 === 'different' || level2 === 'different') return -1;
  return (level1 === 'same' ? 1 : 0) + (level2 === 'same' ? 1 : 0);
}
