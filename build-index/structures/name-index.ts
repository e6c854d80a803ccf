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
import { comparePlaceIds, ID_BYTES } from '../../src/format/place-id.js';
import { levelOf, NO_PARENT } from '../../src/format/place-tree.js';
import { LEAF_TYPE } from '../tree/collecting.js';
import type { CountryTree } from '../tree/country-tree.js';
import { compareCodePoints } from '../tree/name-order.js';
import { type NameEntries, sortEntries, wordStarts } from './name-entries.js';
import { listRanksByName } from './ranks-by-name.js';
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

/** The places that can be suggested, as parallel lists. */
interface Candidates {
  readonly places: number[];
  readonly importances: number[];
  /** Numbers of folded names: of the name that decides the order, and of the local spelling (the same where it has none). */
  readonly nameNumbers: number[];
  readonly localNumbers: number[];
}

/** `orderedPlaces` is every place of the country by name then id. */
export function buildNameIndex(
  tree: CountryTree,
  orderedPlaces: Uint32Array,
): { chunks: Uint8Array[]; keys: RankKeys } {
  const folded = foldNames(tree);
  const { names } = folded;
  const { places, importances, nameNumbers, localNumbers } = findCandidates(tree, orderedPlaces, folded);
  const levelAt = (candidate: number): number => levelOf(tree, places[candidate] as number);
  const order = places
    .map((_, candidate) => candidate)
    .sort(
      (a, b) =>
        (importances[b] as number) - (importances[a] as number) ||
        levelAt(a) - levelAt(b) ||
        (nameNumbers[a] as number) - (nameNumbers[b] as number) ||
        comparePlaceIds(tree.ids, places[a] as number, places[b] as number),
    );
  const byRank = (list: readonly number[]): Uint32Array =>
    Uint32Array.from(order, (candidate) => list[candidate] as number);
  const idsByRank = new Uint8Array(order.length * ID_BYTES);
  order.forEach((candidate, rank) => {
    const start = (places[candidate] as number) * ID_BYTES;
    idsByRank.set(tree.ids.subarray(start, start + ID_BYTES), rank * ID_BYTES);
  });
  const rankNames = byRank(nameNumbers);
  const rankLocals = byRank(localNumbers);
  const ranked: RankedPlaces = {
    names,
    ...listRanksByName(names.length, (visit) => {
      for (let rank = 0; rank < rankNames.length; rank++) {
        visit(rankNames[rank] as number, rank);
        if (rankLocals[rank] !== rankNames[rank]) visit(rankLocals[rank] as number, rank);
      }
    }),
    places: byRank(places),
    countries: new Uint16Array(0),
  };
  return {
    chunks: encodeNameIndex(ranked, listEntries(names)),
    keys: {
      importances: byRank(importances),
      levels: Uint8Array.from(order, levelAt),
      nameNumbers: rankNames,
      ids: idsByRank,
    },
  };
}

function listEntries(names: readonly string[]): NameEntries {
  const entryNames: number[] = [];
  const entryOffsets: number[] = [];
  names.forEach((name, number) => {
    for (const start of wordStarts(name)) {
      entryNames.push(number);
      entryOffsets.push(start);
    }
  });
  return sortEntries(names, Uint32Array.from(entryNames), Uint8Array.from(entryOffsets));
}

/** The distinct folded names of a country, ascending, and the number that each name and local name has among them. */
interface FoldedNames {
  readonly names: readonly string[];
  /** The number of the folded form of a name; undefined where it has neither letters nor digits. */
  numberOf(name: string): number | undefined;
}

function foldNames(tree: CountryTree): FoldedNames {
  const foldedByName = new Map<string, string>();
  for (const list of [tree.names, tree.localNames]) {
    for (const name of list) if (!foldedByName.has(name)) foldedByName.set(name, foldText(name));
  }
  const distinct = new Set(foldedByName.values());
  distinct.delete('');
  const names = [...distinct].sort();
  const numbers = new Map(names.map((name, number) => [name, number]));
  return { names, numberOf: (name) => numbers.get(foldedByName.get(name) as string) };
}

export function encodeNameIndex(ranked: RankedPlaces, entries: NameEntries): Uint8Array[] {
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
 * tell apart in a list, the one with the lowest code. A place without letters and digits in any spelling cannot be.
 */
function findCandidates(tree: CountryTree, orderedPlaces: Uint32Array, folded: FoldedNames): Candidates {
  const unitImportances = countPostcodes(tree);
  const candidates: Candidates = { places: [], importances: [], nameNumbers: [], localNumbers: [] };
  const add = (place: number, importance: number): void => {
    const name = folded.numberOf(tree.names[place] as string);
    const local = folded.numberOf(tree.localNames[place] as string);
    const number = name ?? local;
    if (number === undefined) return;
    candidates.places.push(place);
    candidates.importances.push(importance);
    candidates.nameNumbers.push(number);
    candidates.localNumbers.push(local ?? number);
  };
  // Leaves of one name stand together in the order of places, and only those can belong together.
  let end = 0;
  for (let start = 0; start < orderedPlaces.length; start = end) {
    const name = tree.names[orderedPlaces[start] as number];
    const groups = new Map<string, { place: number; codes: Set<string> }>();
    for (end = start; end < orderedPlaces.length && tree.names[orderedPlaces[end] as number] === name; end++) {
      const place = orderedPlaces[end] as number;
      if (tree.types[place] !== LEAF_TYPE) add(place, unitImportances[place] as number);
      else addToGroup(tree, groups, place);
    }
    for (const { place, codes } of groups.values()) add(place, codes.size);
  }
  return candidates;
}

function addToGroup(
  tree: CountryTree,
  groups: Map<string, { place: number; codes: Set<string> }>,
  place: number,
): void {
  const code = tree.postalCodes[place] as string;
  const key = `${tree.parents[place]}\t${tree.localNames[place]}`;
  const group = groups.get(key);
  if (group === undefined) {
    groups.set(key, { place, codes: new Set([code]) });
    return;
  }
  group.codes.add(code);
  if (compareCodePoints(code, tree.postalCodes[group.place] as string) < 0) group.place = place;
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
