/**
 * The names of places in other languages, which answers have in place of `name` on request: of the cities and the
 * first-level units of a country (section `names-by-language`) and of all countries (`country-names-by-language`, whose
 * places are numbers of countries). Places with the same names share a list. A lookup costs a look at a bit and, of a
 * place with names, a binary search among the places; the first of a list, one among its languages.
 *
 *   places          u32[p]    the places with names, ascending
 *   lists           u32[p]    the list of each of these places
 *   listStarts      u32[l+1]  start of each list among the entries
 *   entryLanguages  u16[e]    the language of each entry, ascending within a list
 *   entryNames      u32[e]    the name of each entry; SHOWN_NAME if it is the `name` of the place's answer
 *   nameStarts      u32[n+1]  start of each name
 *   names           u8[]      the names, each once, as JSON strings in UTF-8
 *   languages       u8[]      the tags of the languages, ascending, each with a line feed behind it
 *
 * Worked example, place 7 "München", which is "Munich" in English, with the languages "de\nen\n": places 7, lists 0,
 * listStarts 0 2, entryLanguages 0 1, entryNames ffffffff 0, nameStarts 0 8, names "Munich" with its quotes.
 */

import { oncePer } from '../../base/once-per.js';
import {
  arrayRangeAt,
  type Bundle,
  bufferOfArray,
  checkBundledLength,
  checkBundledOffsets,
  decodeBundle,
} from './array-bundle.js';
import { lowerBound } from './binary-search.js';
import { type ByteString, readByteString } from './byte-string.js';

export const NAMES_BY_LANGUAGE_SCHEMA = {
  places: 'u32',
  lists: 'u32',
  listStarts: 'u32',
  entryLanguages: 'u16',
  entryNames: 'u32',
  nameStarts: 'u32',
  names: 'u8',
  languages: 'u8',
} as const;

export type NamesByLanguage = Omit<Bundle<typeof NAMES_BY_LANGUAGE_SCHEMA>, 'names'> & {
  readonly names: Buffer;
  /** The number of all places, with or without names. */
  readonly placeCount: number;
};

/** Stands for the name that the answer has anyway: a language that has it must not give way to the next language. */
export const SHOWN_NAME = 0xffffffff;

/** Maximum length of a name in bytes: 200 UTF-16 units, all of them escaped, and the quotes. */
export const MAX_NAME_BYTES = 6 * 200 + 2;

export function decodeNamesByLanguage(bytes: Uint8Array, where: string, placeCount: number): NamesByLanguage {
  const names = decodeBundle(NAMES_BY_LANGUAGE_SCHEMA, bytes, where);
  checkBundledLength(`${where}.lists`, names.lists, names.places.length);
  checkBundledLength(`${where}.entryNames`, names.entryNames, names.entryLanguages.length);
  checkBundledOffsets(`${where}.listStarts`, names.listStarts, names.entryLanguages.length);
  checkBundledOffsets(`${where}.nameStarts`, names.nameStarts, names.names.length);
  return { ...names, names: bufferOfArray(names.names), placeCount };
}

/** The tags of the languages, in the order of their numbers. */
export const languagesOf = oncePer(({ languages }: NamesByLanguage): readonly string[] =>
  bufferOfArray(languages).toString('latin1').split('\n').slice(0, -1),
);

/** Marks the places with names, a bit for each: most places have none, and are so told without a search. */
const marksOf = oncePer(({ places, placeCount }: NamesByLanguage): Uint8Array => {
  const marks = new Uint8Array((placeCount >>> 3) + 1);
  // A write behind the end of the marks does nothing.
  for (const place of places) marks[place >>> 3] = (marks[place >>> 3] as number) | (1 << (place & 7));
  return marks;
});

/** Names with the languages in which they are wanted. */
export interface BoundNames {
  readonly names: NamesByLanguage;
  /** Numbers of languages, the preferred first: not empty. */
  readonly languages: readonly number[];
  readonly marks: Uint8Array;
  /** The name of each list that was looked at; null for the name that answers have anyway. */
  readonly known: (ByteString | null)[];
}

/** `tags` are languages, the preferred first. Undefined if no name is in one of them. */
export function bindNames(names: NamesByLanguage | undefined, tags: readonly string[]): BoundNames | undefined {
  if (names === undefined) return undefined;
  const all = languagesOf(names);
  const languages = tags.map((tag) => all.indexOf(tag)).filter((language) => language !== -1);
  return languages.length === 0 ? undefined : { names, languages, marks: marksOf(names), known: [] };
}

function hasNames(marks: Uint8Array, place: number): boolean {
  return ((marks[place >>> 3] as number) & (1 << (place & 7))) !== 0;
}

/** The name of a place in the first language that has one, a JSON string; undefined if its answer has it anyway. */
export function findOtherName(bound: BoundNames, place: number): ByteString | undefined {
  if (!hasNames(bound.marks, place)) return undefined;
  const { places } = bound.names;
  const at = lowerBound(0, places.length, (one) => (places[one] as number) < place);
  return places[at] === place ? nameOf(bound, at) : undefined;
}

/** The names of a place that its answer does not have anyway, JSON strings by the tags of their languages, which ascend. */
export function listOtherNames(
  names: NamesByLanguage,
  place: number,
): readonly (readonly [tag: string, name: ByteString])[] {
  const bound = { names, marks: marksOf(names) };
  if (!hasNames(bound.marks, place)) return [];
  return languagesOf(names).flatMap((tag, language) => {
    const name = findOtherName({ ...bound, languages: [language], known: [] }, place);
    return name === undefined ? [] : [[tag, name] as const];
  });
}

/** Calls `take` for each place from `start` up to but not including `end` that findOtherName finds a name of. */
export function forEachOtherName(
  bound: BoundNames,
  start: number,
  end: number,
  take: (place: number, name: ByteString) => void,
): void {
  const { places } = bound.names;
  let next = start;
  for (let at = lowerBound(0, places.length, (one) => (places[one] as number) < start); at < places.length; at++) {
    const place = places[at] as number;
    // In a damaged file places may not ascend.
    if (place < next || place >= end) return;
    next = place + 1;
    const name = nameOf(bound, at);
    if (name !== undefined) take(place, name);
  }
}

/** The name of the place at a position of `places`. */
function nameOf(bound: BoundNames, at: number): ByteString | undefined {
  const { lists, listStarts } = bound.names;
  const list = lists[at] as number;
  // In a damaged file a list can have any number.
  if (list >= listStarts.length - 1) return undefined;
  let name = bound.known[list];
  if (name === undefined) {
    name = nameInList(bound, list) ?? null;
    bound.known[list] = name;
  }
  return name ?? undefined;
}

function nameInList({ names, languages }: BoundNames, list: number): ByteString | undefined {
  const { listStarts, entryLanguages, entryNames, nameStarts } = names;
  const { start, end } = arrayRangeAt(listStarts, list, entryLanguages.length);
  for (const language of languages) {
    const entry = lowerBound(start, end, (one) => (entryLanguages[one] as number) < language);
    if (entry === end || entryLanguages[entry] !== language) continue;
    const name = entryNames[entry] as number;
    // SHOWN_NAME, or a number that only a damaged file has.
    if (name >= nameStarts.length - 1) return undefined;
    return readByteString(names.names, nameStarts[name] as number, nameStarts[name + 1] as number, MAX_NAME_BYTES);
  }
  return undefined;
}
