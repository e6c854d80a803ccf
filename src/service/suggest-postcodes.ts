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

/** Words of a code, and of a code and names together. */
const MAX_CODE_WORDS = 3;
const MAX_WORDS = 6;
/** Of the places of one code in a country no more are looked at. */
const MAX_PLACES = 25;

interface Found extends Suggestion {
  /** The rank of the place or, where it is lower, of the city that it lies in; infinite where others stand for both. */
  readonly rank: number;
}

interface FoundByPostcode {
  readonly places: readonly Suggestion[];
  /** Whether the text is nothing but the code. */
  readonly isCodeAlone: boolean;
}

/** The places of the codes that a folded text with a digit has. */
export function findByPostcode(
  snapshot: Snapshot,
  only: Country | undefined,
  names: NameLookup,
  folded: string,
): FoundByPostcode {
  const countries = only === undefined ? snapshot.countries : [only];
  const words = folded.split(' ');
  if (words.length > MAX_WORDS) return { places: [], isCodeAlone: false };
  const found: Found[] = [];
  const rankOf = rememberRanks(names);
  let isCodeAlone = false;
  for (const { code, around } of listCodeSplits(words)) {
    for (const country of countries) {
      if (country.structures === undefined) continue;
      for (const place of placesOf(country, country.structures, code, only === undefined, names.work)) {
        if (!names.work.spend(WORK.text)) break;
        const name = foldedName(country.structures.answers, place);
        if (!fits(names, country, country.structures, place, name, around)) continue;
        found.push({ country, place, rank: rankAround(names, country, country.structures, place, rankOf) });
      }
    }
    isCodeAlone = around.length === 0;
    if (found.length > 0) break;
  }
  return { places: takeTurns(found), isCodeAlone };
}

/** The most important place of each country by rank, then the second of each, and so on. */
function takeTurns(found: readonly Found[]): Suggestion[] {
  const compare = (a: Found, b: Found): number => (a.rank === b.rank ? 0 : a.rank - b.rank);
  const counts = new Map<Country, number>();
  const turns = [...found].sort(compare).map((one) => {
    const turn = counts.get(one.country) ?? 0;
    counts.set(one.country, turn + 1);
    return { one, turn };
  });
  turns.sort((a, b) => a.turn - b.turn || compare(a.one, b.one));
  return turns.map(({ one: { country, place } }) => ({ country, place }));
}

/** What may be a code, in upper case, and the words beside it: a code alone first. */
function listCodeSplits(words: readonly string[]): { code: string; around: readonly string[] }[] {
  const splits: { code: string; around: readonly string[] }[] = [];
  for (let count = Math.min(words.length, MAX_CODE_WORDS); count > 0; count--) {
    for (const start of new Set([0, words.length - count])) {
      const code = words
        .slice(start, start + count)
        .join(' ')
        .toUpperCase();
      if (/\d/.test(code)) splits.push({ code, around: words.toSpliced(start, count) });
    }
  }
  return splits.sort((a, b) => a.around.length - b.around.length);
}

function placesOf(
  country: Country,
  { tree }: CountryStructures,
  code: string,
  isOneOfMany: boolean,
  work: WorkBudget,
): number[] {
  const places = readPostcodeOf(country, code, isOneOfMany, work)?.match.places.subarray(0, MAX_PLACES);
  return places === undefined ? [] : Array.from(places).filter((place) => isPlace(tree, place));
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

/** Whether the place is called so, or lies in it; a name may be cut. */
function fits(
  { work }: NameLookup,
  country: Country,
  structures: CountryStructures,
  place: number,
  name: string,
  around: readonly string[],
): boolean {
  if (around.length === 0 || `${name} `.startsWith(around.join(' '))) return true;
  return new NameSplit(bytesOf(''), around, true).match(country.number, structures, place, work) !== 'none';
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
