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
 *   shared place   near, a place that is matched already has one of its names: the gazetteer has the city twice
 *   similar name   near, the place's name is one letter apart                    see similar-names.ts
 *   in larger city    inside a larger city of the gazetteer, or a section of a city
 *   none
 *
 * distance-limits.ts has the limits of "near". Of places at the same distance a unit comes first, then the lowest
 * number, so the result doesn't depend on input order.
 */

import type { NamedCity } from '../gazetteer/read-gazetteer.js';
import type { CountryTree } from '../tree/country-tree.js';
import { CandidateChoice } from './candidate-choice.js';
import { type CityMatch, type MatchKind, MatchMaker } from './city-match.js';
import { findPartsAround, findPartsByName, isCitySection, listInnerCities } from './city-parts.js';
import { type Candidate, type CitySearch, findMatchCandidates } from './match-candidates.js';
import { SimilarNames } from './similar-names.js';
import { TreeAreas } from './tree-areas.js';

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
    let unmatched = findMatchCandidates(this.tree, this.areas, this.cities);
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
        this.keepParts(search, isCitySection(search.city) || inner.has(search.city) ? 'in larger city' : 'none', []);
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
