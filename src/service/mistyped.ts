/** What somebody may have mistyped: for each of the reasons with edits (see suggest.ts) the ranks of places, best first. */
import { insertRank, TOP_COUNT } from '../format/name-index.js';
import { findMistypedCityNames } from '../store/mistyped-cities.js';
import { correctOnce, findSimilar } from '../store/name-corrections.js';
import { nameOf, ranksOfName, splitRanksOfName } from '../store/name-index.js';
import type { NameLookup } from './name-lookup.js';
import type { TypedText } from './name-splits.js';

/** Words behind a mistyped name. */
export const MAX_CONTEXT_WORDS_OF_EDITS = 2;

/** The ranks of big cities by their own names and by other names, best first. */
export interface MistypedCities {
  readonly own: readonly number[];
  readonly other: readonly number[];
}

/**
 * For one edit: bigName and bigOther, of `cities` (those of cityEdit) too; then name, other, nameWithin or nameNear, start,
 * wordStart.
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
  // Fewer words of context come first, so the lengths of names ascend from the last.
  const splits = typed.splits
    .filter(({ isBehind, contextWordCount }) => isBehind && contextWordCount <= MAX_CONTEXT_WORDS_OF_EDITS)
    .reverse();
  const lengths = [...splits.map(({ name }) => name.length), typed.bytes.length];
  const corrections = correctOnce(index, typed.bytes, lengths, work);
  const ofAll = corrections.at(-1) ?? [];
  for (const { text, entries } of ofAll) {
    const name = nameOf(index, entries, text);
    if (name === undefined) continue;
    const { own, other } = splitRanksOfName(index, name);
    insertFirst(found.name, own);
    insertFirst(found.other, other);
  }
  splits.forEach((split, which) => {
    for (const { text, entries } of corrections[which] ?? []) {
      const name = nameOf(index, entries, text);
      if (name !== undefined) names.visitWithin(split, name, (rank) => insertRank(found.within, rank));
    }
  });
  for (const { entries } of ofAll) {
    const { starting, inner } = names.bestRanks(entries);
    insertFirst(found.start, starting);
    insertFirst(found.inner, inner);
  }
  const ofBig = (ranks: number[]): number[] => ranks.filter((rank) => rank < bigEnd);
  const [bigNames, bigOthers] = [ofBig(found.name), ofBig(found.other)];
  insertFirst(bigNames, cities.own);
  insertFirst(bigOthers, cities.other);
  return [bigNames, bigOthers, found.name, found.other, found.within, found.start, found.inner];
}

/** The big cities whose own names, and of which other names, are one edit among the first letters from what was typed. */
export function findMistypedCities({ index, work }: NameLookup, typed: TypedText): MistypedCities {
  const found = { own: [] as number[], other: [] as number[] };
  const bigEnd = index.cityEnds[0] as number;
  for (const name of findMistypedCityNames(index, typed.bytes, work)) {
    const { own, other } = splitRanksOfName(index, name);
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

/** For two edits: name, start, wordStart. */
export function findWithTwoEdits({ index, work }: NameLookup, typed: TypedText): readonly number[][] {
  const found = { name: [] as number[], start: [] as number[], inner: [] as number[] };
  for (const { entry, isWhole } of findSimilar(index, typed.bytes, work)) {
    const ranks = ranksOfName(index, index.entryNames[entry] as number);
    if (index.entryOffsets[entry] !== 0) insertFirst(found.inner, ranks);
    else insertFirst(isWhole ? found.name : found.start, ranks);
  }
  return [found.name, found.start, found.inner];
}

/** Inserts the lowest of some ascending ranks: no more than those can be among the lowest of all. */
export function insertFirst(list: number[], ranks: ArrayLike<number>): void {
  for (let at = 0; at < ranks.length && at < TOP_COUNT; at++) insertRank(list, ranks[at] as number);
}
