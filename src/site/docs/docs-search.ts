/**
 * The search of the documents: passages of the guides and of the reference, and a FlexSearch index of their words. A
 * passage has an address, the headings that it stands under, a term if it defines one (a heading is its own term, as are
 * the first cell of a row and the bold text that a paragraph begins with), and its text. A passage answers a
 * query if no other has more of its words, as a whole or as their start. Words of the term count most, then those of
 * the headings, then those of the text. The index is made at the start, in some 100 ms.
 */

import FlexSearch from 'flexsearch';
import type { Token, Tokens } from 'marked';

export interface Passage {
  /** With the anchor of its row or else of its heading. */
  readonly path: string;
  /** The title of the document and the headings, the outermost first. */
  readonly headings: readonly string[];
  /** Empty if it defines nothing. */
  readonly term: string;
  readonly text: string;
}

export interface FoundPassages {
  readonly passages: readonly Passage[];
  /** The words that were searched for, as `markWords` takes them. */
  readonly words: readonly string[];
}

export interface DocsIndex {
  search(query: string, limit: number): FoundPassages;
}

/* Passages of a text in Markdown. */

/** As GitHub makes it, so that a link to a heading leads to it there and here. */
export function headingId(text: string): string {
  return plainText(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Markdown of one line without its signs. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The bold text at the start of a paragraph: "**Quota.**". */
const LEADING_TERM = /^\*\*[^*]+\*\*/;
/** Also the code at the start of an item of a list: "`list`, `show <key>` and `usage <key>`". */
const LEADING_NAMES = /^(?:(?:`[^`]+`|\*\*[^*]+\*\*)(?:, | and )?)+/;
/** A first cell that is one piece of code or one word. */
const NAMED_ROW = /^(?:`[^`()]{1,40}`|[\w-]+)$/;

/** The ids of rows of tables that define a name, such as that of a setting. */
export type RowIds = Map<readonly Tokens.TableCell[], string>;

/** `rowIds` gets the ids that the rows have to be rendered with; without it rows have none. */
export function listPassages(
  tokens: readonly Token[],
  start: Pick<Passage, 'path' | 'headings'>,
  rowIds?: RowIds,
): Passage[] {
  const passages: Passage[] = [];
  const [document] = start.path.split('#');
  const ids = new Set(tokens.map((token) => (token.type === 'heading' ? headingId(token.text) : '')));
  let [path, headings] = [start.path, start.headings];
  const add = (markdown: string, term: string | undefined = '', id?: string): void => {
    const text = plainText(markdown);
    const last = passages.at(-1);
    // A heading is found with the paragraph below it.
    if (last?.text === '' && last.path === path && id === undefined) passages.splice(-1, 1, { ...last, text });
    else passages.push({ path: id === undefined ? path : `${document}#${id}`, headings, term: plainText(term), text });
  };
  for (const token of tokens as readonly (Tokens.Heading | Tokens.Paragraph | Tokens.List | Tokens.Table)[]) {
    if (token.type === 'heading') {
      const title = plainText(token.text);
      path = token.depth === 1 ? start.path : `${document}#${headingId(token.text)}`;
      headings = [...headings.slice(0, start.headings.length + token.depth - 1), title];
      passages.push({ path, headings, term: title, text: '' });
    } else if (token.type === 'paragraph') add(token.text, LEADING_TERM.exec(token.text)?.[0]);
    else if (token.type === 'list') for (const { text } of token.items) add(text, LEADING_NAMES.exec(text)?.[0]);
    else if (token.type === 'table') {
      for (const row of token.rows) {
        const [first = '', ...others] = row.map(({ text }) => text);
        const id = NAMED_ROW.test(first) ? headingId(first) : '';
        const isOwn = rowIds !== undefined && id !== '' && !ids.has(id);
        if (isOwn) rowIds.set(row, id);
        ids.add(id);
        add(others.filter((text) => text !== '').join(' · '), first, isOwn ? id : undefined);
      }
    }
  }
  return passages;
}

/* Words, and the index of them. */

const WORD = /[\p{L}\p{N}]+(?:[-_./:]+[\p{L}\p{N}]+)*/gu;
const PART_BORDER = /[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u;
/** Words of questions and sentences that say nothing of their subject. */
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

/** What a word is worth as a whole, and as the start of another word. */
type Worths = readonly [whole: number, start: number];
const IN_TERM: Worths = [16, 3];
const IN_HEADINGS: Worths = [8, 2];
const IN_TEXT: Worths = [4, 1];
/** Maximum length of a term, in characters; a longer one describes, and is worth as much as headings. */
const TERM_CHARACTERS = 40;
/** Added where the query is the term. */
const DEFINITION_WORTH = 40;

/** The part of a query that is searched for. */
export function searchedText(query: string): string {
  return query.slice(0, MAX_QUERY_CHARACTERS);
}

export function indexPassages(all: readonly Passage[]): DocsIndex {
  // Most words come several times: folding each of these once makes the index in half the time.
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
  /** By their ids in the index, the fields: what words in them are worth, and to which passages. */
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
  /** What the word is worth to each passage that has it. */
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
      best.sort((a, b) => b.worth - a.worth);
      // One address is listed once, with the best of its passages.
      const byPath = new Map<string, Passage>();
      for (const { passage } of best) if (!byPath.has(passage.path)) byPath.set(passage.path, passage);
      return { passages: [...byPath.values()].slice(0, limit), words: searched };
    },
  };
}

/** What is the same for a term, but for the <values> in it, and for a query that is nothing but the term. */
function keyOf(text: string): string {
  return wordsOf(text.replace(/<[^>]*>/g, ''))
    .map(foldWord)
    .join(' ');
}

/** A text in pieces, of which every second one is a word that was searched for. */
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
