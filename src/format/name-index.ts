/**
 * The prefix index of autocomplete, for one country or for the world. It knows the spellings of names (see
 * fold-text.ts) and, for each place under them, its rank: 0 is the place to suggest first. So "the best places whose
 * name, or a word in it, starts with q" is: the entries that start with q (two binary searches), and the lowest ranks
 * among them. Of places of one name that lie in each other, or beside each other, the one of the lowest rank stands for
 * them; the others, its namesakes, have the highest ranks of all.
 *
 *   nameOffsets   u32[k+1]  start of each distinct folded name in nameText; names ascend by bytes
 *   nameText      u8[]      a-z, 0-9 and single spaces
 *   rankStarts    u32[k+1]  start of each name's ranks
 *   ranks         u32[]     the ranks of the places of that name, ascending; then, with OTHER_NAME added, those of the
 *                           cities that have it as another name than the one shown
 *   entryNames    u32[e]    for each word of each name an entry: the name …
 *   entryOffsets  u8[e]     … and where the word starts in it. Entries ascend by the text from there to the name's
 *                           end, then by offset, so for equal text whole names come first
 *   places        u32[r]    the place of each rank
 *   cityEnds      u32[2]    the rank behind the cities of BIG_CITY people and more, and the rank behind all cities that
 *                           the gazetteer knows, without namesakes: cities have the lowest ranks, the most
 *                           important first
 *   cityNames     u32[c]    the names of more than LETTERS_OF_HEAD letters that cities of BIG_CITY people and more have,
 *                           by their text behind these letters, then by number
 *   firstNamesake u32[1]    the first rank of namesakes; r where there are none
 *   countries     u16[r]    its country's number in the manifest; empty in the index of one country
 *   topSlots      u32[]     hash table of the ranges of more than TOP_RANGE entries (hash: hashRange)
 *   topRanges     u32[2t]   first entry and end of each such range
 *   topRanks      u32[2t·TOP_COUNT]  for each such range the TOP_COUNT lowest ranks of names that start with q, then
 *                           of names that have q inside; filled up with NO_RANK
 *   entryRanks    u32[e]    the rank of the entry's name where it has just one, of a place whose own name it is; else
 *                           NO_RANK. So most of a range is looked through without a look elsewhere
 *   nameHeads     u32[]     the heads (text-heads.ts) of the names,
 *   entryHeads    u32[]     of the texts of the entries,
 *   cityHeads     u32[2c]   and of the texts of cityNames behind their first LETTERS_OF_HEAD letters, of each
 */
import { type Bundle, bufferOf, checkEnd, checkLength, decodeBundle } from './array-bundle.js';
import { checkSlotCount } from './hash.js';
import { HEAD_STEP, headsLengthFor } from './text-heads.js';

export const NAME_INDEX_SCHEMA = {
  nameOffsets: 'u32',
  nameText: 'u8',
  rankStarts: 'u32',
  ranks: 'u32',
  entryNames: 'u32',
  entryOffsets: 'u8',
  places: 'u32',
  cityEnds: 'u32',
  cityNames: 'u32',
  firstNamesake: 'u32',
  countries: 'u16',
  topSlots: 'u32',
  topRanges: 'u32',
  topRanks: 'u32',
  entryRanks: 'u32',
  nameHeads: 'u32',
  entryHeads: 'u32',
  cityHeads: 'u32',
} as const;

/** People from which the start of a city's name is worth more than the whole name of a place that is no city. */
export const BIG_CITY = 100_000;
/** Behind so many letters cities are looked for where these may be mistyped. */
export const LETTERS_OF_HEAD = 3;
/** Of these names, which are few and looked for often, each has a head. */
export const CITY_HEAD_STEP = 1;
export const TOP_RANGE = 256;
export const TOP_COUNT = 25;
export const NO_RANK = 0xffffffff;
export const OTHER_NAME = 0x8000_0000;

/** Words that start later than this in a folded name have no entry of their own. */
export const MAX_ENTRY_OFFSET = 0xff;

export type NameIndex = Bundle<typeof NAME_INDEX_SCHEMA> & {
  readonly nameCount: number;
  readonly entryCount: number;
  readonly rankCount: number;
  readonly topCount: number;
};

/** The hash of a range of entries. */
export function hashRange(start: number, end: number): number {
  const hash = Math.imul(start ^ Math.imul(end, 0x9e3779b1), 0x85ebca6b);
  return (hash ^ (hash >>> 15)) >>> 0;
}

export function decodeNameIndex(bytes: Uint8Array, where: string, scope: 'country' | 'world'): NameIndex {
  const index = decodeBundle(NAME_INDEX_SCHEMA, bytes, where);
  const nameCount = index.nameOffsets.length - 1;
  const entryCount = index.entryNames.length;
  const rankCount = index.places.length;
  const topCount = index.topRanges.length >>> 1;
  checkLength(`${where}.rankStarts`, index.rankStarts, nameCount + 1);
  checkLength(`${where}.entryOffsets`, index.entryOffsets, entryCount);
  checkEnd(`${where}.nameOffsets`, index.nameOffsets, index.nameText.length);
  checkEnd(`${where}.rankStarts`, index.rankStarts, index.ranks.length);
  checkLength(`${where}.cityEnds`, index.cityEnds, 2);
  checkLength(`${where}.firstNamesake`, index.firstNamesake, 1);
  checkLength(`${where}.countries`, index.countries, scope === 'world' ? rankCount : 0);
  checkLength(`${where}.topRanges`, index.topRanges, topCount * 2);
  checkSlotCount(index.topSlots, topCount, `${where}.topSlots`);
  checkLength(`${where}.topRanks`, index.topRanks, topCount * 2 * TOP_COUNT);
  checkLength(`${where}.entryRanks`, index.entryRanks, entryCount);
  checkLength(`${where}.nameHeads`, index.nameHeads, headsLengthFor(nameCount, HEAD_STEP));
  checkLength(`${where}.entryHeads`, index.entryHeads, headsLengthFor(entryCount, HEAD_STEP));
  checkLength(`${where}.cityHeads`, index.cityHeads, headsLengthFor(index.cityNames.length, CITY_HEAD_STEP));
  return { ...index, nameCount, entryCount, rankCount, topCount };
}

/** The rank at a position of `ranks`. */
export function rankAt({ ranks }: Pick<NameIndex, 'ranks'>, at: number): number {
  return (ranks[at] as number) & ~OTHER_NAME;
}

/** Whether the name is another name of the place whose rank is at a position of `ranks`. */
export function isOtherAt({ ranks }: Pick<NameIndex, 'ranks'>, at: number): boolean {
  return (ranks[at] as number) >= OTHER_NAME;
}

/** The folded names of an index, ascending. */
export function listNames({ nameText, nameOffsets, nameCount }: NameIndex): string[] {
  const text = bufferOf(nameText).toString('latin1');
  return Array.from({ length: nameCount }, (_, name) => text.slice(nameOffsets[name], nameOffsets[name + 1]));
}

/** Puts `rank` into an ascending list without repeats that keeps the TOP_COUNT lowest. */
export function insertRank(list: number[], rank: number): void {
  if (list.length === TOP_COUNT && rank >= (list[TOP_COUNT - 1] as number)) return;
  let position = list.length;
  while (position > 0 && (list[position - 1] as number) > rank) position--;
  if (list[position - 1] === rank) return;
  list.splice(position, 0, rank);
  if (list.length > TOP_COUNT) list.pop();
}

/** The lowest ranks of some entries: of the names they start, and of the names they are inside of or that are other names. */
export interface BestRanks {
  readonly starting: number[];
  readonly inner: number[];
}

/** The ready-made best ranks of every long range, in the order of the ranges. */
export function encodeTopRanks(bests: readonly BestRanks[]): Uint32Array {
  const topRanks = new Uint32Array(bests.length * 2 * TOP_COUNT).fill(NO_RANK);
  bests.forEach(({ starting, inner }, top) => {
    topRanks.set(starting, top * 2 * TOP_COUNT);
    topRanks.set(inner, (top * 2 + 1) * TOP_COUNT);
  });
  return topRanks;
}

/** The ready-made best ranks of long range number `top`. */
export function topRanksAt({ topRanks }: Pick<NameIndex, 'topRanks'>, top: number): BestRanks {
  return { starting: listRanks(topRanks, top * 2 * TOP_COUNT), inner: listRanks(topRanks, (top * 2 + 1) * TOP_COUNT) };
}

function listRanks(topRanks: Uint32Array, start: number): number[] {
  const list: number[] = [];
  for (let at = start; at < start + TOP_COUNT && topRanks[at] !== NO_RANK; at++) list.push(topRanks[at] as number);
  return list;
}

/** What is written of the index before the tops are found: enough to look through a range of entries. */
type RankedEntries = Pick<NameIndex, 'entryNames' | 'entryOffsets' | 'entryRanks' | 'rankStarts' | 'ranks'>;

/** The best ranks of the entries from `start` to, without, `end`, by looking at each. */
export function scanEntries(index: RankedEntries, start: number, end: number): BestRanks {
  const best: BestRanks = { starting: [], inner: [] };
  for (let entry = start; entry < end; entry++) {
    const list = index.entryOffsets[entry] === 0 ? best.starting : best.inner;
    const only = index.entryRanks[entry] as number;
    if (only !== NO_RANK) {
      insertRank(list, only);
      continue;
    }
    const name = index.entryNames[entry] as number;
    const from = index.rankStarts[name] as number;
    const to = index.rankStarts[name + 1] as number;
    const ownEnd = Math.min(to, from + TOP_COUNT);
    for (let at = from; at < ownEnd && !isOtherAt(index, at); at++) insertRank(list, rankAt(index, at));
    for (let at = to - 1; at >= from && isOtherAt(index, at); at--) insertRank(best.inner, rankAt(index, at));
  }
  return best;
}
