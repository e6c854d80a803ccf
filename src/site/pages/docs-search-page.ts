/** The search of the documents: the page of results, and suggestions for the search form. */

import type { DocsLibrary } from '../docs/docs-library.js';
import { searchedText, splitAtWords } from '../docs/docs-search.js';
import type { Passage } from '../docs/passages.js';
import { breadcrumbTrail } from '../html/breadcrumbs.js';
import { type Content, type Html, html } from '../html/html.js';
import type { Page } from '../html/page.js';
import { DOCS, type DocsContext } from './docs-navigation.js';

const RESULT_COUNT = 20;
/**
 * Maximum length of the text of a result, and of the part before the first word that was searched for, in characters.
 */
const EXCERPT_CHARACTERS = 280;
const LEADING_CHARACTERS = 80;

export function docsSearchPage({ docs }: DocsContext, sent: string): Page {
  const query = searchedText(sent);
  const { passages, words } = docs.index.search(query, RESULT_COUNT);
  const isEmpty = query.trim() === '';
  const results =
    passages.length > 0
      ? html`<ol class="hits passages">${passages.map((passage) => resultItem(passage, words))}</ol>`
      : html`<p>No results for “<span dir="auto">${query.trim()}</span>”. Try other words, or see <a href="/docs">all documents</a>.</p>`;
  return {
    title: isEmpty ? 'Search docs' : `Search docs: ${query}`,
    description: 'Search the documents: calls, parameters, settings, commands and errors.',
    canonicalPath: undefined,
    path: '/docs/search',
    query,
    body: html`${breadcrumbTrail([DOCS])}
<h1>${isEmpty ? 'Search docs' : html`Search docs: <span dir="auto">${query}</span>`}</h1>
${isEmpty ? html`<p>Type a word, the name of a call, a parameter, a setting, a command or an error.</p>` : results}`,
  };
}

function resultItem(passage: Passage, words: readonly string[]): Html {
  const { name, where } = placeOf(passage);
  const text = excerptOf(passage.text, words);
  return html`<li><a href="${passage.path}">${marked(name, words)}</a>${where !== '' && html` <span class="where">${where}</span>`}${
    text !== '' && html`<p>${marked(text, words)}</p>`
  }</li>`;
}

/** The name of a passage, and the headings that it stands under. */
function placeOf({ headings, term }: Passage): { readonly name: string; readonly where: string } {
  const name = term.replace(/[.:]$/, '') || (headings.at(-1) ?? '');
  return { name, where: headings.filter((heading) => heading !== name).join(' › ') };
}

function marked(text: string, words: readonly string[]): Content {
  return splitAtWords(text, words).map((piece, at) => (at % 2 === 0 ? piece : html`<mark>${piece}</mark>`));
}

/** A part of the text, from a little before the first word that was searched for. */
function excerptOf(text: string, words: readonly string[]): string {
  const [before = ''] = splitAtWords(text, words);
  if (text.length <= EXCERPT_CHARACTERS) return text;
  const isFound = before.length < text.length;
  const start = isFound ? text.indexOf(' ', before.length - LEADING_CHARACTERS) + 1 : 0;
  const from = isFound && before.length > LEADING_CHARACTERS ? start : 0;
  const end = from + EXCERPT_CHARACTERS;
  const to = end < text.length ? text.lastIndexOf(' ', end) : text.length;
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`;
}

/** Suggestions for the search form, in the shape of the suggestions of places. */
export function suggestDocs({ index }: DocsLibrary, query: string, limit: number): object[] {
  return index.search(query, limit).passages.map((passage) => ({ ...placeOf(passage), path: passage.path }));
}
