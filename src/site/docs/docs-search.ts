/**
 * The search of the documents: a FlexSearch index of the words of passages. A passage answers a query if no other has
 * more of its words, as a whole or as their start. Words of the term count most, then those of the headings, then those
 * of the text. The index is made at the start, in some 100 ms.
 */

import FlexSearch from 'flexsearch';
import type { Passage } from './passages.js';

export interface FoundPassages {
  readonly passages: readonly Passage[];
  /** The words that were searched for, as `splitAtWords` takes them. */
  readonly words: readonly string[];
}

export interface DocsIndex {
  search(query: string, limit: number): FoundPassages;
}

const WORD = /[\p{L}\p{N}]+(?:[-_./:]+[\p{L}\p{N}]+)*/gu;
const PART_BORDER = /[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u;
/** Words of questions and sentences that say nothing about their subject. */
const EMPTY_WORDS = new Set(
  'a an and are at be by can do does for from get how i in is it my of on or the to what when where which why with'.split(
    ' ',
  ),
);
const MAX_QUERY_CHARACTERS = 100;
const MAX_QUERY_WORDS = 8;

/** A word without its case and the s of a plural. */
function foldWord(word: string): string {
  const lower = word.toLowerCase();
  return lower.length > 3 && lower.endsWith('s') && !lower.endsWith('ss') ? lower.slice(0, -1) : lower;
}

/** A word as a whole, then its parts: x-api-key and x, api, key; radiusKm and radius, km. */
function spellings(word: string): string[] {
  const parts = word.split(PART_BORDER);
  return (parts.length === 1 ? parts : [word, ...parts]).map(foldWord);
}

function isEmptyWord(word: string): boolean {
  return EMPTY_WORDS.has(word.toLowerCase());
}

function wordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).filter((word) => !isEmptyWord(word));
}

/** How much a word is worth as a whole, and as the start of another word. */
type Worths = readonly [whole: number, start: number];
const IN_TERM: Worths = [16, 3];
const IN_HEADINGS: Worths = [8, 2];
const IN_TEXT: Worths = [4, 1];
/** Maximum length of a term in characters; a longer one is worth as much as headings. */
const TERM_CHARACTERS = 40;
/** Added to a passage whose term is the whole query. */
const DEFINITION_WORTH = 40;

/** The query cut to its maximum length. */
export function searchedText(query: string): string {
  return query.slice(0, MAX_QUERY_CHARACTERS);
}

export function createDocsIndex(all: readonly Passage[]): DocsIndex {
  // Most words occur several times: folding each word once halves the time.
  const known = new Map<string, readonly string[]>();
  const encode = (text: string): string[] => {
    const encoded: string[] = [];
    for (const word of text.match(WORD) ?? []) {
      let spelled = known.get(word);
      if (spelled === undefined) {
        spelled = isEmptyWord(word) ? [] : spellings(word);
        known.set(word, spelled);
      }
      encoded.push(...spelled);
    }
    return encoded;
  };
  const index = new FlexSearch.Index({ resolution: 1, encode });
  /** Fields by their ids in the index: how much a word in the field is worth, to which passages. */
  const fields: { readonly worths: Worths; readonly passages: number[] }[] = [];
  const add = (text: string, worths: Worths, passages: number[]): void => {
    index.add(fields.length, text);
    fields.push({ worths, passages });
  };
  const passagesBelow = new Map<readonly string[], number[]>();
  all.forEach(({ term, headings, text }, at) => {
    if (term !== '') add(term, term.length > TERM_CHARACTERS ? IN_HEADINGS : IN_TERM, [at]);
    add(text, IN_TEXT, [at]);
    const below = passagesBelow.get(headings);
    if (below !== undefined) below.push(at);
    else passagesBelow.set(headings, [at]);
  });
  for (const [headings, below] of passagesBelow) add(headings.join(' '), IN_HEADINGS, below);
  const words = new Set([...known.values()].flat());
  /** How much the word is worth to each passage that has it. */
  const find = (word: string): Map<number, number> => {
    const worths = new Map<number, number>();
    for (const one of words) {
      if (!one.startsWith(word)) continue;
      for (const id of index.search(one, { limit: fields.length }) as number[]) {
        const field = fields[id];
        const worth = field?.worths[one === word ? 0 : 1] ?? 0;
        for (const at of field?.passages ?? []) worths.set(at, Math.max(worths.get(at) ?? 0, worth));
      }
    }
    return worths;
  };
  return {
    search(query, limit) {
      const text = searchedText(query);
      const searched = wordsOf(text)
        .slice(0, MAX_QUERY_WORDS)
        .flatMap((word) => {
          const [whole = '', ...parts] = spellings(word);
          return parts.length === 0 || find(whole).size > 0 ? [whole] : parts;
        });
      const found = all.map((passage) => ({ passage, wordCount: 0, worth: 0 }));
      for (const worths of searched.map(find)) {
        for (const [at, worth] of worths) {
          const one = found[at];
          if (one === undefined) continue;
          one.wordCount++;
          one.worth += worth;
        }
      }
      const most = found.reduce((count, { wordCount }) => Math.max(count, wordCount), 1);
      const best = found.filter(({ wordCount }) => wordCount === most);
      const key = keyOf(text);
      for (const one of best) if (keyOf(one.passage.term) === key) one.worth += DEFINITION_WORTH;
      // Sections come before the fields of the reference that they explain.
      const isField = ({ passage }: (typeof best)[number]): number => Number(passage.isField === true);
      best.sort((a, b) => b.worth - a.worth || isField(a) - isField(b));
      // An address is listed once, with the best of its passages, and so is a field that many calls have.
      const listed = new Set<string>();
      const passages = best.flatMap(({ passage }) => {
        const keys = [passage.path, ...(passage.isField ? [`field ${passage.term}`] : [])];
        if (keys.some((one) => listed.has(one))) return [];
        for (const one of keys) listed.add(one);
        return [passage];
      });
      return { passages: passages.slice(0, limit), words: searched };
    },
  };
}

/** Equal for a term, without the <values> in it, and for a query that consists of the term alone. */
function keyOf(text: string): string {
  return wordsOf(text.replace(/<[^>]*>/g, ''))
    .map(foldWord)
    .join(' ');
}

/** Splits a text into pieces; every second piece is a word that was searched for. */
export function splitAtWords(text: string, words: readonly string[]): string[] {
  const pieces = [''];
  let from = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!spellings(word).some((spelling) => words.some((one) => spelling.startsWith(one)))) continue;
    pieces[pieces.length - 1] += text.slice(from, index);
    pieces.push(word, '');
    from = index + word.length;
  }
  pieces[pieces.length - 1] += text.slice(from);
  return pieces;
}
