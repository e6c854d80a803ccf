/**
 * What became of the cities of a gazetteer: how many were matched in which way, for how many a place was made, and the
 * people in them.
 */
import { PLACED_KINDS, type PlacedCities, type PlacedKind } from './placed-cities.js';

export interface CitySum {
  cities: number;
  people: number;
}

/** A city that is told as an example. */
export interface CityExample {
  readonly countryCode: string;
  readonly geonameId: number;
  readonly name: string;
  readonly population: number;
}

export interface MatchTally {
  readonly kinds: Readonly<Record<PlacedKind, CitySum>>;
  /** Of the matched cities, those whose place is an admin unit far wider than the city. */
  readonly wider: CitySum;
  /** The cities for which a place was made, which are of the kinds above or wider. */
  readonly made: CitySum;
  /** The most populous cities for which a place was made. */
  madeExamples: CityExample[];
  /** How many places have the name that people use, not the romanised one. */
  renamed: number;
  /** How many have the coordinates of the gazetteer. */
  moved: number;
  /** The cities of kind `none` with the most people. */
  unmatched: CityExample[];
}

export const CITY_EXAMPLES = 20;

export function createMatchTally(): MatchTally {
  const kinds = Object.fromEntries(PLACED_KINDS.map((kind) => [kind, { cities: 0, people: 0 }]));
  return {
    kinds: kinds as Record<PlacedKind, CitySum>,
    wider: { cities: 0, people: 0 },
    made: { cities: 0, people: 0 },
    madeExamples: [],
    renamed: 0,
    moved: 0,
    unmatched: [],
  };
}

export function tallyMatches({ cities, renamedCount, movedCount }: Omit<PlacedCities, 'tree'>): MatchTally {
  const tally = createMatchTally();
  tally.renamed = renamedCount;
  tally.moved = movedCount;
  for (const { city, kind, isWider, isMade } of cities) {
    const { countryCode, geonameId, name, population } = city;
    const example = { countryCode, geonameId, name, population };
    addCity(tally.kinds[kind], population);
    if (isWider) addCity(tally.wider, population);
    if (isMade) {
      addCity(tally.made, population);
      tally.madeExamples.push(example);
    }
    if (kind === 'none') tally.unmatched.push(example);
  }
  keepMostPopulous(tally);
  return tally;
}

export function addMatchTally(total: MatchTally, part: MatchTally): void {
  for (const kind of PLACED_KINDS) addSum(total.kinds[kind], part.kinds[kind]);
  addSum(total.wider, part.wider);
  addSum(total.made, part.made);
  total.renamed += part.renamed;
  total.moved += part.moved;
  total.unmatched.push(...part.unmatched);
  total.madeExamples.push(...part.madeExamples);
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
  for (const list of ['unmatched', 'madeExamples'] as const) {
    tally[list].sort((a, b) => b.population - a.population || a.geonameId - b.geonameId);
    tally[list] = tally[list].slice(0, CITY_EXAMPLES);
  }
}
