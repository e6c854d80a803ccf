/** What became of the cities of a gazetteer: how many were matched in which way, and the people in them. */
import { type CityMatch, MATCH_KINDS, type MatchKind } from './match-cities.js';

export interface CitySum {
  cities: number;
  people: number;
}

export interface UnmatchedCity {
  readonly countryCode: string;
  readonly geonameId: number;
  readonly name: string;
  readonly population: number;
}

export interface MatchTally {
  readonly kinds: Readonly<Record<MatchKind, CitySum>>;
  /** Of the matched cities, those whose place is an admin unit far wider than the city. */
  readonly wider: CitySum;
  /** The cities of kind `none` with the most people. */
  unmatched: UnmatchedCity[];
}

export const UNMATCHED_EXAMPLES = 20;

export function createMatchTally(): MatchTally {
  const kinds = Object.fromEntries(MATCH_KINDS.map((kind) => [kind, { cities: 0, people: 0 }]));
  return { kinds: kinds as Record<MatchKind, CitySum>, wider: { cities: 0, people: 0 }, unmatched: [] };
}

export function tallyMatches(matches: readonly CityMatch[]): MatchTally {
  const tally = createMatchTally();
  for (const { city, kind, isWider } of matches) {
    const { countryCode, geonameId, name, population } = city;
    addCity(tally.kinds[kind], population);
    if (isWider) addCity(tally.wider, population);
    if (kind === 'none') tally.unmatched.push({ countryCode, geonameId, name, population });
  }
  keepMostPopulous(tally);
  return tally;
}

export function addMatchTally(total: MatchTally, part: MatchTally): void {
  for (const kind of MATCH_KINDS) addSum(total.kinds[kind], part.kinds[kind]);
  addSum(total.wider, part.wider);
  total.unmatched.push(...part.unmatched);
  keepMostPopulous(total);
}

function addCity(sum: CitySum, people: number): void {
  addSum(sum, { cities: 1, people });
}

function addSum(sum: CitySum, { cities, people }: CitySum): void {
  sum.cities += cities;
  sum.people += people;
}

function keepMostPopulous(tally: MatchTally): void {
  tally.unmatched.sort((a, b) => b.population - a.population || a.geonameId - b.geonameId);
  tally.unmatched = tally.unmatched.slice(0, UNMATCHED_EXAMPLES);
}
