/** Typo tolerance of suggestions: for each reason with edits (see name-search.ts) the ranks of places, best first. */
import { insertRank, TOP_COUNT } from '../../format/name-index.js';
import { findMistypedCityNames } from '../../store/mistyped-cities.js';
import { correctOnce, findSimilar } from '../../store/name-corrections.js';
import { nameOf } from '../../store/name-index.js';
import type { NameLookup } from './name-lookup.js';
import type { TypedText } from './name-splits.js';

/**
 * Maximum number of words of context after a mistyped name. Each word costs a search for corrections of a shorter name.
 */
export const MAX_CONTEXT_WORDS_OF_EDITS = 2;

/** The ranks of big cities by their own names and by alternative names, best first. */
export interface MistypedCities {
  readonly own: readonly number[];
  readonly other: readonly number[];
}

/**
 * The ranks for one edit by the reasons bigName, bigOther (both with `cities`, the ranks by the reason cityEdit), name,
 * other, nameWithin or nameNear, start and wordStart, in this order.
 */
export function findWithOneEdit(names: NameLookup, typed: TypedText, cities: MistypedCities): readonly number[][] {
  const { index, work } = names;
  const found = {
    name: [] as number[],
    other: [] as number[],
    within: [] as number[],
    start: [] as number[],
    inner: [] as number[],
  };
  const bigEnd = index.cityEnds[0] as number;
  // Splits with fewer words of context come first. Reversed, the lengths of their names ascend.
  const splits = typed.splits
    .filter(({ isAfter, contextWordCount }) => isAfter && contextWordCount <= MAX_CONTEXT_WORDS_OF_EDITS)
    .reverse();
  const lengths = [...splits.map(({ name }) => name.length), typed.bytes.length];
  const corrections = correctOnce(index, typed.bytes, lengths, work);
  const ofAll = corrections.at(-1) ?? [];
  for (const { text, entries } of ofAll) {
    const name = nameOf(index, entries, text);
    if (name === undefined) continue;
    const { own, other } = names.splitRanksOf(name);
    insertFirst(found.name, own);
    insertFirst(found.other, other);
  }
  splits.forEach((split, which) => {
    for (const { text, entries } of corrections[which] ?? []) {
      const name = nameOf(index, entries, text);
      if (name !== undefined) names.visitWithin(split, name, (rank) => insertRank(found.within, rank));
    }
  });
  for (const { text, entries } of ofAll) {
    const { starting, inner } = names.bestRanks(text, entries);
    insertFirst(found.start, starting);
    insertFirst(found.inner, inner);
  }
  const ofBig = (ranks: number[]): number[] => ranks.filter((rank) => rank < bigEnd);
  const [bigNames, bigOthers] = [ofBig(found.name), ofBig(found.other)];
  insertFirst(bigNames, cities.own);
  insertFirst(bigOthers, cities.other);
  return [bigNames, bigOthers, found.name, found.other, found.within, found.start, found.inner];
}

/** The big cities with a name that is one edit among the first three letters away from the query. */
export function findMistypedCities(names: NameLookup, typed: TypedText): MistypedCities {
  const { index, work } = names;
  const found = { own: [] as number[], other: [] as number[] };
  const bigEnd = index.cityEnds[0] as number;
  for (const name of findMistypedCityNames(index, typed.bytes, work)) {
    const { own, other } = names.splitRanksOf(name);
    insertFirst(
      found.own,
      own.filter((rank) => rank < bigEnd),
    );
    insertFirst(
      found.other,
      other.filter((rank) => rank < bigEnd),
    );
  }
  return found;
}

/** The ranks for two edits by the reasons name, start and wordStart, in this order. */
export function findWithTwoEdits(names: NameLookup, typed: TypedText): readonly number[][] {
  const { index, work } = names;
  const found = { name: [] as number[], start: [] as number[], inner: [] as number[] };
  for (const { entry, isWhole } of findSimilar(index, typed.bytes, work)) {
    const ranks = names.ranksOf(index.entryNames[entry] as number);
    if (index.entryOffsets[entry] !== 0) insertFirst(found.inner, ranks);
    else insertFirst(isWhole ? found.name : found.start, ranks);
  }
  return [found.name, found.start, found.inner];
}

/** Inserts the lowest TOP_COUNT of some ascending ranks; a list keeps no more than these. */
export function insertFirst(list: number[], ranks: ArrayLike<number>): void {
  for (let at = 0; at < ranks.length && at < TOP_COUNT; at++) insertRank(list, ranks[at] as number);
}
