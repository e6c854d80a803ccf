/**
 * Counts the cities of a gazetteer and their people: matched by each kind of match, and synthesised (a place was
 * added).
 */

import { PLACED_KINDS, type PlacedCities, type PlacedKind } from './placed-cities.js';

interface CitySum {
  cities: number;
  people: number;
}

/** A city that a report lists. */
interface CityExample {
  readonly countryCode: string;
  readonly geonameId: number;
  readonly name: string;
  readonly population: number;
}

export interface MatchTally {
  readonly kinds: Readonly<Record<PlacedKind, CitySum>>;
  /** The matched cities whose place is an admin unit far wider than the city. */
  readonly wider: CitySum;
  /** The synthesised cities, which `kinds` counts too. */
  readonly synthesised: CitySum;
  /** The most populous synthesised cities. */
  synthesisedExamples: CityExample[];
  /** Number of places whose romanised name was replaced by the gazetteer's common name. */
  renamed: number;
  /** Number of places moved to the gazetteer's coordinates. */
  moved: number;
  /** The most populous cities of kind `none`. */
  unmatched: CityExample[];
}

/** Maximum number of cities in a list of examples: about what fits on a terminal's screen. */
const CITY_EXAMPLES = 20;

export function createMatchTally(): MatchTally {
  const kinds = Object.fromEntries(PLACED_KINDS.map((kind) => [kind, { cities: 0, people: 0 }]));
  return {
    kinds: kinds as Record<PlacedKind, CitySum>,
    wider: { cities: 0, people: 0 },
    synthesised: { cities: 0, people: 0 },
    synthesisedExamples: [],
    renamed: 0,
    moved: 0,
    unmatched: [],
  };
}

export function tallyMatches({ cities, renamedCount, movedCount }: Omit<PlacedCities, 'tree'>): MatchTally {
  const tally = createMatchTally();
  tally.renamed = renamedCount;
  tally.moved = movedCount;
  for (const { city, kind, isWider, isSynthesised } of cities) {
    const { countryCode, geonameId, name, population } = city;
    const example = { countryCode, geonameId, name, population };
    addCity(tally.kinds[kind], population);
    if (isWider) addCity(tally.wider, population);
    if (isSynthesised) {
      addCity(tally.synthesised, population);
      tally.synthesisedExamples.push(example);
    }
    if (kind === 'none') tally.unmatched.push(example);
  }
  keepMostPopulous(tally);
  return tally;
}

export function addMatchTally(total: MatchTally, part: MatchTally): void {
  for (const kind of PLACED_KINDS) addSum(total.kinds[kind], part.kinds[kind]);
  addSum(total.wider, part.wider);
  addSum(total.synthesised, part.synthesised);
  total.renamed += part.renamed;
  total.moved += part.moved;
  total.unmatched.push(...part.unmatched);
  total.synthesisedExamples.push(...part.synthesisedExamples);
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
  for (const list of ['unmatched', 'synthesisedExamples'] as const) {
    tally[list].sort((a, b) => b.population - a.population || a.geonameId - b.geonameId);
    tally[list] = tally[list].slice(0, CITY_EXAMPLES);
  }
}
