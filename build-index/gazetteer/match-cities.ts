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
 *   parts by name, parts around                                                  see below
 *   shared place   near, a place that is matched already has one of its names: the gazetteer has the city twice
 *   similar name   near, the place's name is one letter apart                    see below
 *   in larger city    inside a larger city of the gazetteer, or a section of a city
 *   none
 *
 * tree-areas.ts has the limits of "near". Of places at the same distance a unit comes first, then the lowest
 * number, so the result doesn't depend on input order.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { kmBetween } from '../../src/core/snapshot/sphere.js';
import { areWordsOneLetterApart } from '../naming/one-letter-apart.js';
import { groupBy } from '../ordering/grouping.js';
import type { CountryTree } from '../tree/country-tree.js';
import { SECTION } from './city-row.js';
import {
  type Candidate,
  CandidateChoice,
  type CityMatch,
  type CitySearch,
  findCandidates,
  isSection,
  type MatchKind,
  MatchMaker,
} from './match-candidates.js';
import type { NamedCity } from './read-gazetteer.js';
import {
  cityRadiusKm,
  KM_PER_DEGREE,
  LARGE_CITY,
  nearLimitKm,
  needsPlace,
  SAME_SPOT_KM,
  TreeAreas,
} from './tree-areas.js';

/*
 * Finds the parts of a city that has no place of its own: places whose names start with the city's name ("Karachi Gpo",
 * "Dublin 1", "Praha 10-Vinohrady", "수원시 장안구") and, for large cities without such places, the leaves around (the
 * villages of Jakarta, the streets of Singapore). synthesised-cities.ts adds a place for the whole city.
 */

/** Maximum distance of a part in the city's admin unit of level 2, in km: some releases have poor positions. */
const FAR_PART_KM = 300;
/** Minimum number of leaves around a city to count as its parts: fewer may be neighbouring villages. */
const MIN_LEAVES_AROUND = 3;
/** Maximum distance from the centre of a larger city, in radii of it, at which a city is a part of the larger one. */
const INNER_RADII = 0.6;

/**
 * The places whose names start with a name of the city, ascending: those near it or, if none is, in its admin units.
 */
export function findPartsByName(search: CitySearch, isFree: (place: number) => boolean): number[] {
  const { radiusKm } = search;
  const started = search.listByPrefix();
  const near = started.filter(({ km, agreement }) => km <= radiusKm + nearLimitKm(agreement));
  const far = started.filter(
    ({ km, agreement: { level1, level2 } }) => level1 === 'same' && level2 === 'same' && km <= radiusKm + FAR_PART_KM,
  );
  return (near.length > 0 ? near : far)
    .map(({ place }) => place)
    .filter(isFree)
    .sort((a, b) => a - b);
}

/**
 * The leaves within the radius of each large city of `cities`, ascending. A leaf within the radii of two cities is part
 * of the city with the smaller distance in radii.
 */
export function findPartsAround(
  { latitudes, longitudes }: CountryTree,
  areas: TreeAreas,
  isFree: (place: number) => boolean,
  cities: readonly NamedCity[],
): Map<NamedCity, number[]> {
  const owners = new Map<number, { city: NamedCity; radii: number }>();
  for (const city of cities) {
    const { population, featureCode, latitude, longitude } = city;
    if (population < LARGE_CITY || featureCode === SECTION) continue;
    const radiusKm = cityRadiusKm(population);
    for (const leaf of areas.leavesAround(latitude, longitude, radiusKm)) {
      if (!isFree(leaf)) continue;
      const radii = kmBetween(latitude, longitude, latitudes[leaf] as number, longitudes[leaf] as number) / radiusKm;
      if (radii <= (owners.get(leaf)?.radii ?? 1)) owners.set(leaf, { city, radii });
    }
  }
  const leaves = [...owners.keys()].sort((a, b) => a - b);
  const parts = groupBy(leaves, (leaf) => (owners.get(leaf) as { city: NamedCity }).city);
  return new Map([...parts].filter(([, leaves]) => leaves.length >= MIN_LEAVES_AROUND));
}

/** The members of `cities` that lie well inside a more populous city of `allCities`, which is sorted by population. */
export function listInnerCities(cities: readonly NamedCity[], allCities: readonly NamedCity[]): Set<NamedCity> {
  const circles = allCities
    .filter(({ featureCode }) => featureCode !== SECTION)
    .map((city) => {
      const radiusKm = cityRadiusKm(city.population);
      return { city, radiusKm, innerDegrees: (radiusKm * INNER_RADII) / KM_PER_DEGREE };
    });
  // The latitude alone rules out most circles, at the cost of one subtraction.
  const latitudes = Float64Array.from(circles, ({ city }) => city.latitude);
  const reaches = Float64Array.from(circles, ({ innerDegrees }) => 1.01 * innerDegrees);
  const isInner = ({ population, latitude, longitude }: NamedCity): boolean => {
    for (let at = 0; at < circles.length; at++) {
      if (Math.abs((latitudes[at] as number) - latitude) > (reaches[at] as number)) continue;
      const { city, radiusKm } = circles[at] as (typeof circles)[number];
      if (city.population <= population) return false;
      if (kmBetween(city.latitude, city.longitude, latitude, longitude) <= INNER_RADII * radiusKm) return true;
    }
    return false;
  };
  return new Set(cities.filter(isInner));
}

/*
 * Finds the place of a city under a spelling that the gazetteer lacks: a leaf in the city or at its edge with a name
 * that differs from one of the city's names in one letter ("Mulchén", "Mulchin").
 */

export class SimilarNames {
  private readonly foldedNames = new Map<number, string>();

  constructor(
    private readonly tree: CountryTree,
    private readonly areas: TreeAreas,
  ) {}

  /** The nearest free leaf with a similar name. Only for cities that would be synthesised otherwise. */
  find({ city, names, radiusKm }: CitySearch, isFree: (place: number) => boolean): number | undefined {
    const { latitude, longitude } = city;
    if (!needsPlace(city)) return undefined;
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

/**
 * Minimum ratio of leaves around to parts by name at which the leaves make up the city: a few streets share its name.
 */
const MOSTLY_AROUND = 10;

/** One match for each city, in the order of `cities`, which is by population. */
export function matchCities(
  tree: CountryTree,
  cities: readonly NamedCity[],
  areas: TreeAreas = new TreeAreas(tree),
): CityMatch[] {
  return new Matching(tree, cities, areas).match();
}

class Matching {
  private readonly matches = new Map<NamedCity, CityMatch>();
  /** The places that are matched to a city. */
  private readonly taken = new Set<number>();
  private readonly choice: CandidateChoice;
  private readonly maker: MatchMaker;

  constructor(
    private readonly tree: CountryTree,
    private readonly cities: readonly NamedCity[],
    private readonly areas: TreeAreas,
  ) {
    this.choice = new CandidateChoice(tree, areas, this.isFree);
    this.maker = new MatchMaker(tree, areas, this.choice, this.isFree);
  }

  private readonly isFree = (place: number): boolean => !this.taken.has(place);

  match(): CityMatch[] {
    const { choice } = this;
    const steps: readonly [MatchKind, (search: CitySearch) => Candidate | undefined][] = [
      ['name', (search) => choice.nearest(search, search.byName)],
      ['core name', (search) => choice.nearest(search, search.byCoreName)],
      ['other name', (search) => choice.nearest(search, search.byOtherName)],
      ['name', (search) => choice.farther(search, search.byName, false)],
      ['core name', (search) => choice.farther(search, search.byCoreName, false)],
      ['other name', (search) => choice.farther(search, search.byOtherName, true)],
      ['outside', (search) => choice.outside(search)],
    ];
    let unmatched = findCandidates(this.tree, this.areas, this.cities);
    const foundByCore: CitySearch[] = [];
    for (const [kind, want] of steps) {
      const winners = this.settle(unmatched, want);
      // All found places are taken first, so that no neighbouring city takes one as its second place.
      for (const { place } of winners.values()) this.taken.add(place);
      for (const [search, anchor] of winners) this.keep(this.maker.whole(search, kind, anchor));
      if (kind === 'core name') foundByCore.push(...winners.keys());
      unmatched = unmatched.filter((search) => !winners.has(search));
    }
    for (const search of foundByCore) this.addParts(search);
    this.matchRest(this.matchParts(unmatched));
    return this.cities.map((city) => this.matches.get(city) as CityMatch);
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

  private keep(match: CityMatch): void {
    for (const place of match.places) this.taken.add(place);
    this.matches.set(match.city, match);
  }

  /** Adds the parts by name to a city that was matched only to leaves of its core name. */
  private addParts(search: CitySearch): void {
    const match = this.matches.get(search.city) as CityMatch;
    if (!match.places.every((place) => this.areas.isLeaf(place))) return;
    const others = findPartsByName(search, (place) => this.isFree(place) && this.areas.isLeaf(place));
    if (others.length === 0) return;
    const parts = [...match.places, ...others].sort((a, b) => a - b);
    this.matches.set(search.city, { ...match, parts });
  }

  /** Returns the searches without any part. */
  private matchParts(unmatched: readonly CitySearch[]): readonly CitySearch[] {
    const unmatchedCities = unmatched.map(({ city }) => city);
    const inner = listInnerCities(unmatchedCities, this.cities);
    const outer = unmatchedCities.filter((city) => !inner.has(city));
    const partsAround = findPartsAround(this.tree, this.areas, this.isFree, outer);
    return unmatched.filter((search) => {
      const byName = findPartsByName(search, this.isFree);
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
        return true;
      }
      return false;
    });
  }

  /** Cities without any part: under a spelling that the gazetteer lacks, or another record of a matched city. */
  private matchRest(searches: readonly CitySearch[]): void {
    const similarNames = new SimilarNames(this.tree, this.areas);
    for (const search of searches) {
      const shared = this.choice.shared(search);
      const leaf = shared === undefined ? similarNames.find(search, this.isFree) : undefined;
      if (leaf !== undefined) this.keep(this.maker.similar(search, leaf));
      else if (shared !== undefined) {
        const found = this.matches.get(search.city) as CityMatch;
        this.matches.set(search.city, { ...found, kind: 'shared place', places: [shared.place] });
      }
    }
  }

  private keepParts({ city, names }: CitySearch, kind: MatchKind, parts: readonly number[]): void {
    const otherNames = [...names.values()];
    this.matches.set(city, { city, kind, places: [], isWider: false, isFar: false, parts, otherNames });
  }
}
