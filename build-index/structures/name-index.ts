/**
 * Builds the prefix index of one country (src/format/name-index.ts): which places can be suggested, how important each
 * is, and under which folded names it is found.
 *
 * The order in which places are suggested, everything else being equal, is decided here and nowhere else: the more
 * postal codes lie below, the earlier; then the higher level, the folded name, the id. (Releases know no population.)
 */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { foldText } from '../../src/format/fold-text.js';
import { NAME_INDEX_SCHEMA } from '../../src/format/name-index.js';
import { NO_PARENT } from '../../src/format/place-tree.js';
import { LEAF_TYPE } from '../tree/collecting.js';
import type { CountryTree } from '../tree/country-tree.js';
import { compareCodePoints } from '../tree/name-order.js';
import { type NameEntries, sortEntries, wordStarts } from './name-entries.js';
import { findTopRanks } from './top-ranks.js';

/** What decides the order of suggestions, by rank; for merging the ranks of countries into the world's. */
export interface RankKeys {
  /** Distinct postal codes below. */
  readonly importances: Uint32Array;
  readonly levels: Uint8Array;
  /** The number of the folded name, which stands for it in comparisons. */
  readonly nameNumbers: Uint32Array;
  /** 16 bytes each. */
  readonly ids: Uint8Array;
}

export interface RankedPlaces {
  /** Distinct folded names, ascending. */
  readonly names: readonly string[];
  readonly rankStarts: Uint32Array;
  readonly ranks: Uint32Array;
  readonly places: Uint32Array;
  readonly countries: Uint16Array;
}

interface Candidate {
  readonly place: number;
  readonly importance: number;
  /** The folded name first, then the other folded spellings under which the place is found. */
  readonly spellings: readonly string[];
}

/** `orderedPlaces` is every place of the country by name then id. */
export function buildNameIndex(
  tree: CountryTree,
  orderedPlaces: Uint32Array,
): { bytes: Uint8Array<ArrayBuffer>; keys: RankKeys } {
  const candidates = findCandidates(tree, orderedPlaces);
  const names = [...new Set(candidates.flatMap(({ spellings }) => spellings))].sort();
  const numberOf = new Map(names.map((name, number) => [name, number]));
  const levelOf = (place: number): number => (tree.paths[place] as string).split('/').length - 1;
  const sorted = candidates
    .map((candidate) => ({
      ...candidate,
      level: levelOf(candidate.place),
      nameNumbers: candidate.spellings.map((spelling) => numberOf.get(spelling) as number),
      idHex: tree.idHexes[candidate.place] as string,
    }))
    .sort(
      (a, b) =>
        b.importance - a.importance ||
        a.level - b.level ||
        (a.nameNumbers[0] as number) - (b.nameNumbers[0] as number) ||
        (a.idHex < b.idHex ? -1 : 1),
    );
  const rankLists: number[][] = names.map(() => []);
  sorted.forEach(({ nameNumbers }, rank) => {
    for (const number of nameNumbers) rankLists[number]?.push(rank);
  });
  const rankStarts = new Uint32Array(names.length + 1);
  rankLists.forEach((list, number) => {
    rankStarts[number + 1] = (rankStarts[number] as number) + list.length;
  });
  const ranked: RankedPlaces = {
    names,
    rankStarts,
    ranks: Uint32Array.from(rankLists.flat()),
    places: Uint32Array.from(sorted, ({ place }) => place),
    countries: new Uint16Array(0),
  };
  const unsorted = names.flatMap((name, number) => wordStarts(name).map((start) => [number, start] as const));
  const entries = sortEntries(
    names,
    Uint32Array.from(unsorted, ([number]) => number),
    Uint8Array.from(unsorted, ([, start]) => start),
  );
  return {
    bytes: encodeNameIndex(ranked, entries),
    keys: {
      importances: Uint32Array.from(sorted, ({ importance }) => importance),
      levels: Uint8Array.from(sorted, ({ level }) => level),
      nameNumbers: Uint32Array.from(sorted, ({ nameNumbers }) => nameNumbers[0] as number),
      ids: Buffer.from(sorted.map(({ idHex }) => idHex).join(''), 'hex'),
    },
  };
}

export function encodeNameIndex(ranked: RankedPlaces, entries: NameEntries): Uint8Array<ArrayBuffer> {
  const { names, rankStarts, ranks, places, countries } = ranked;
  const nameOffsets = new Uint32Array(names.length + 1);
  names.forEach((name, number) => {
    nameOffsets[number + 1] = (nameOffsets[number] as number) + name.length;
  });
  return encodeBundle(NAME_INDEX_SCHEMA, {
    nameOffsets,
    nameText: Buffer.from(names.join(''), 'latin1'),
    rankStarts,
    ranks,
    ...entries,
    places,
    countries,
    ...findTopRanks({ names, rankStarts, ranks, ...entries }),
  });
}

/**
 * The places that can be suggested: every admin unit, and of the leaves that share name and parent, which nobody can
 * tell apart in a list, the one with the lowest code.
 */
function findCandidates(tree: CountryTree, orderedPlaces: Uint32Array): Candidate[] {
  const importances = countPostcodes(tree);
  const groups = new Map<string, { place: number; codes: Set<string> }>();
  const candidates: Candidate[] = [];
  for (const place of orderedPlaces) {
    if (tree.types[place] !== LEAF_TYPE) {
      candidates.push({ place, importance: importances[place] as number, spellings: spellingsOf(tree, place) });
      continue;
    }
    const code = tree.postalCodes[place] as string;
    const key = `${tree.parents[place]}\t${tree.names[place]}\t${tree.localNames[place]}`;
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, { place, codes: new Set([code]) });
      continue;
    }
    group.codes.add(code);
    if (compareCodePoints(code, tree.postalCodes[group.place] as string) < 0) group.place = place;
  }
  for (const { place, codes } of groups.values()) {
    candidates.push({ place, importance: codes.size, spellings: spellingsOf(tree, place) });
  }
  return candidates.filter(({ spellings }) => spellings.length > 0);
}

/** The distinct folded spellings of a place; none where it has neither letters nor digits. */
function spellingsOf(tree: CountryTree, place: number): string[] {
  const name = tree.names[place] as string;
  const localName = tree.localNames[place] as string;
  const spellings = name === localName ? [foldText(name)] : [foldText(name), foldText(localName)];
  return [...new Set(spellings)].filter((spelling) => spelling !== '');
}

/** For each admin unit the number of distinct postal codes below it. */
function countPostcodes(tree: CountryTree): Uint32Array {
  const counts = new Uint32Array(tree.placeCount);
  const lastCode: (string | null)[] = new Array(tree.placeCount).fill(null);
  const leaves = [];
  for (let place = 0; place < tree.placeCount; place++) if (tree.types[place] === LEAF_TYPE) leaves.push(place);
  const codeOf = (place: number): string => tree.postalCodes[place] as string;
  leaves.sort((a, b) => compareCodePoints(codeOf(a), codeOf(b)));
  for (const leaf of leaves) {
    for (let at = tree.parents[leaf] as number; at !== NO_PARENT; at = tree.parents[at] as number) {
      // A unit that has counted this code has passed it on upwards too.
      if (lastCode[at] === codeOf(leaf)) break;
      lastCode[at] = codeOf(leaf);
      counts[at] = (counts[at] as number) + 1;
    }
  }
  return counts;
}
