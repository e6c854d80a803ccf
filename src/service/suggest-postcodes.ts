/**
 * Suggests places for a query with a postal code: a code alone ("75001", "sw1a 1aa"), or a code with the name or the
 * context of the place before or after it ("10115 berlin", "paris 75001"). A code is resolved as by the endpoint of
 * postal codes, in one country or in every country. If several countries have the code, the most important place of
 * each country comes first, then the second of each.
 */
import { foldText } from '../format/fold-text.js';
import { rankAt } from '../format/name-index.js';
import { bytesOf, decodeUtf8 } from '../store/byte-string.js';
import { isPlace, listAncestors } from '../store/place-tree.js';
import { placeNameJson } from '../store/rendered-places.js';
import type { Country, CountryStructures, Snapshot } from '../store/snapshot.js';
import { WORK, type WorkBudget } from '../store/work-budget.js';
import type { NameLookup, Suggestion } from './name-lookup.js';
import { NameSplit } from './name-splits.js';
import { resolvePostcodeIn } from './postcode-candidates.js';

const HAS_DIGIT = /\d/;
/** A word of five letters at the start, which no code has: the text is the name of a place. */
const LONG_WORD_FIRST = /^[^\d ]{5}/;
/** Maximum number of words of a code: a country's sign and two groups, such as "GB SW1A 1AA". */
const MAX_CODE_WORDS = 3;
/** Maximum number of words of a query that is searched for a code, which bounds the number of lookups. */
const MAX_WORDS = 6;
/** Maximum number of places of one code in a country: the most suggestions of a response. Named places don't count. */
const MAX_PLACES = 25;

interface Found extends Suggestion {
  /** Whether its name equals the rest of the query. */
  readonly isNamed: boolean;
  /** The lower rank of the place and the city around it; infinite if the index has neither rank. */
  readonly rank: number;
}

interface FoundByPostcode {
  readonly places: readonly Suggestion[];
  /** Whether the query consists of the code alone. */
  readonly isCodeAlone: boolean;
}

const NOTHING: FoundByPostcode = { places: [], isCodeAlone: false };

/**
 * The places of the first code in a folded query. Spends at most half of the budget, so that half is left for names.
 */
export function findByPostcode(
  snapshot: Snapshot,
  only: Country | undefined,
  names: NameLookup,
  folded: string,
): FoundByPostcode {
  const words = folded.split(' ');
  if (!HAS_DIGIT.test(folded) || words.length > MAX_WORDS) return NOTHING;
  const rankOf = cacheRanks(names);
  for (const split of listCodeSplits(words)) {
    const found: Found[] = [];
    for (const country of only === undefined ? snapshot.countries : [only]) {
      const { structures } = country;
      if (structures === undefined) continue;
      const places = resolvePostcodeIn(country, split.code, only === undefined, names.work)?.match.places;
      if (places === undefined) continue;
      for (const { place, isNamed } of placesThatFit(country, structures, places, split, names.work)) {
        found.push({ country, place, isNamed, rank: rankAround(names, country, structures, place, rankOf) });
      }
    }
    if (found.length > 0) return { places: interleaveCountries(found), isCodeAlone: split.around === '' };
  }
  return NOTHING;
}

/** The places of a code whose name contains the rest of the query, from any word on, or whose context matches it. */
function* placesThatFit(
  country: Country,
  structures: CountryStructures,
  places: Uint32Array,
  { around, context }: CodeSplit,
  work: WorkBudget,
): Generator<{ readonly place: number; readonly isNamed: boolean }> {
  const fits = (name: string, place: number): boolean =>
    ` ${name}`.includes(` ${around}`) || context.match(country.number, structures, place, work) !== 'none';
  let count = 0;
  for (const place of around === '' ? places.subarray(0, MAX_PLACES) : places) {
    if (work.isHalfSpent || !work.spend(WORK.text)) return;
    if (!isPlace(structures.tree, place)) continue;
    const name = foldedName(structures.renderedPlaces, place);
    const isNamed = name === around;
    if (!isNamed && (count === MAX_PLACES || !fits(name, place))) continue;
    if (!isNamed) count++;
    yield { place, isNamed };
  }
}

/** The first place of each country, then the second of each, and so on. Named places come first, then by importance. */
function interleaveCountries(found: readonly Found[]): Suggestion[] {
  const compare = (a: Found, b: Found): number =>
    Number(b.isNamed) - Number(a.isNamed) || (a.rank === b.rank ? 0 : a.rank - b.rank);
  const counts = new Map<Country, number>();
  const rounds = [...found].sort(compare).map((suggestion) => {
    const round = counts.get(suggestion.country) ?? 0;
    counts.set(suggestion.country, round + 1);
    return { suggestion, round };
  });
  rounds.sort((a, b) => a.round - b.round || compare(a.suggestion, b.suggestion));
  return rounds.map(({ suggestion: { country, place } }) => ({ country, place }));
}

interface CodeSplit {
  /** The words that may be a code, in upper case. */
  readonly code: string;
  /** The words before or after the code; empty if there are none. */
  readonly around: string;
  readonly context: NameSplit;
}

/** Every split of the words into a code and the rest, the longest code first. */
function listCodeSplits(words: readonly string[]): CodeSplit[] {
  const splits: CodeSplit[] = [];
  for (let wordCount = Math.min(words.length, MAX_CODE_WORDS); wordCount > 0; wordCount--) {
    for (const start of new Set([0, words.length - wordCount])) {
      const code = words.slice(start, start + wordCount).join(' ');
      if (!HAS_DIGIT.test(code) || LONG_WORD_FIRST.test(code)) continue;
      const around = words.toSpliced(start, wordCount);
      const context = new NameSplit(bytesOf(''), around, true);
      splits.push({ code: code.toUpperCase(), around: around.join(' '), context });
    }
  }
  return splits;
}

function foldedName(renderedPlaces: CountryStructures['renderedPlaces'], place: number): string {
  try {
    return foldText(String(JSON.parse(decodeUtf8(placeNameJson(renderedPlaces, place)))));
  } catch (error) {
    // In a damaged file the name can be invalid JSON.
    if (error instanceof SyntaxError) return '';
    throw error;
  }
}

type RankOf = (country: Country, structures: CountryStructures, place: number) => number;

/** The lowest rank of the place and the cities around it: Paris 01 is as important as Paris. */
function rankAround(
  { index }: NameLookup,
  country: Country,
  structures: CountryStructures,
  place: number,
  rankOf: RankOf,
): number {
  const cityEnd = index.cityEnds[1] as number;
  const around = listAncestors(structures.tree, place).map((unit) => rankOf(country, structures, unit));
  return Math.min(rankOf(country, structures, place), ...around.filter((rank) => rank < cityEnd));
}

/**
 * A cached lookup of a place's rank, or of the sibling with the same name that represents it; infinite without either.
 */
function cacheRanks(names: NameLookup): RankOf {
  const { index, work } = names;
  const known = new Map<string, number>();
  const find = (country: Country, { renderedPlaces, tree }: CountryStructures, place: number): number => {
    const number = work.spend(WORK.text) ? names.findName(bytesOf(foldedName(renderedPlaces, place))) : undefined;
    if (number === undefined) return Number.POSITIVE_INFINITY;
    const end = index.rankStarts[number + 1] as number;
    for (let at = index.rankStarts[number] as number; at < end && work.spend(WORK.listed); at++) {
      const rank = rankAt(index, at);
      if (index.countries.length > 0 && index.countries[rank] !== country.number) continue;
      const ranked = index.places[rank] as number;
      if (ranked === place || tree.parents[ranked] === tree.parents[place]) return rank;
    }
    return Number.POSITIVE_INFINITY;
  };
  return (country, structures, place) => {
    const key = `${country.number} ${place}`;
    const rank = known.get(key) ?? find(country, structures, place);
    known.set(key, rank);
    return rank;
  };
}
