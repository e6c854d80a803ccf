/**
 * Places by what somebody typed of their postal code: a code alone ("75001", "sw1a 1aa"), or before or behind names of
 * what the place is called or lies in ("10115 berlin", "paris 75001"). A code is found as the endpoint of postal codes
 * finds it, in one country or in each; of a code that several countries have, the most important place of
 * each comes first, then the second of each.
 */
import { foldText } from '../format/fold-text.js';
import { rankAt } from '../format/name-index.js';
import { bytesOf, decodeUtf8 } from '../store/byte-string.js';
import { placeNameJson } from '../store/place-answers.js';
import { isPlace, listAncestors } from '../store/place-tree.js';
import type { Country, CountryStructures, Snapshot } from '../store/snapshot.js';
import { WORK, type WorkBudget } from '../store/work-budget.js';
import type { NameLookup, Suggestion } from './name-lookup.js';
import { NameSplit } from './name-splits.js';
import { readPostcodeOf } from './postcode-readings.js';

const HAS_DIGIT = /\d/;
/** No code starts with so many letters: what does is the name of a place. */
const LONG_WORD_FIRST = /^[^\d ]{5}/;
/** Words of a code, and of a code and names together. */
const MAX_CODE_WORDS = 3;
const MAX_WORDS = 6;
/** Of the places of one code in a country no more are found, but for those that are called what was typed. */
const MAX_PLACES = 25;

interface Found extends Suggestion {
  /** Whether it is called what was typed beside the code. */
  readonly isNamed: boolean;
  /** The rank of the place or, where it is lower, of the city that it lies in; infinite where others stand for both. */
  readonly rank: number;
}

interface FoundByPostcode {
  readonly places: readonly Suggestion[];
  /** Whether the text is nothing but the code. */
  readonly isCodeAlone: boolean;
}

const NOTHING: FoundByPostcode = { places: [], isCodeAlone: false };

/** The places of the codes that a folded text has. Names are left half of the budget. */
export function findByPostcode(
  snapshot: Snapshot,
  only: Country | undefined,
  names: NameLookup,
  folded: string,
): FoundByPostcode {
  const words = folded.split(' ');
  if (!HAS_DIGIT.test(folded) || words.length > MAX_WORDS) return NOTHING;
  const rankOf = rememberRanks(names);
  for (const split of listCodeSplits(words)) {
    const found: Found[] = [];
    for (const country of only === undefined ? snapshot.countries : [only]) {
      const { structures } = country;
      if (structures === undefined) continue;
      const places = readPostcodeOf(country, split.code, only === undefined, names.work)?.match.places;
      if (places === undefined) continue;
      for (const { place, isNamed } of placesThatFit(country, structures, places, split, names.work)) {
        found.push({ country, place, isNamed, rank: rankAround(names, country, structures, place, rankOf) });
      }
    }
    if (found.length > 0) return { places: takeTurns(found), isCodeAlone: split.around === '' };
  }
  return NOTHING;
}

/** Of a code's places those whose names have what stands around it, from any word on, or that lie in it; it may be cut. */
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
    const name = foldedName(structures.answers, place);
    const isNamed = name === around;
    if (!isNamed && (count === MAX_PLACES || !fits(name, place))) continue;
    if (!isNamed) count++;
    yield { place, isNamed };
  }
}

/** The first of each country, then the second of each, and so on: what is called so before others, and by importance. */
function takeTurns(found: readonly Found[]): Suggestion[] {
  const compare = (a: Found, b: Found): number =>
    Number(b.isNamed) - Number(a.isNamed) || (a.rank === b.rank ? 0 : a.rank - b.rank);
  const counts = new Map<Country, number>();
  const turns = [...found].sort(compare).map((one) => {
    const turn = counts.get(one.country) ?? 0;
    counts.set(one.country, turn + 1);
    return { one, turn };
  });
  turns.sort((a, b) => a.turn - b.turn || compare(a.one, b.one));
  return turns.map(({ one: { country, place } }) => ({ country, place }));
}

interface CodeSplit {
  /** What may be a code, in upper case. */
  readonly code: string;
  /** What stands before it, or behind it; empty where there is nothing. */
  readonly around: string;
  readonly context: NameSplit;
}

/** A code alone first. */
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

function foldedName(answers: CountryStructures['answers'], place: number): string {
  try {
    return foldText(String(JSON.parse(decodeUtf8(placeNameJson(answers, place)))));
  } catch (error) {
    // A damaged file may have anything here.
    if (error instanceof SyntaxError) return '';
    throw error;
  }
}

type RankOf = (country: Country, structures: CountryStructures, place: number) => number;

/** Paris 01 is as important as Paris. */
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

/** The rank of a place, or of the one of its name beside it that stands for it; infinite where there is neither. */
function rememberRanks(names: NameLookup): RankOf {
  const { index, work } = names;
  const known = new Map<string, number>();
  const find = (country: Country, { answers, tree }: CountryStructures, place: number): number => {
    const number = work.spend(WORK.text) ? names.findName(bytesOf(foldedName(answers, place))) : undefined;
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
