/** The page of search results, and the page of an unknown address, which searches for the words of the address. */
import type { Country } from '../../store/snapshot.js';
import { countryPath, findMissingCode } from '../addresses.js';
import { atSentenceStart, inSentence } from '../html/country-name.js';
import { type Content, type Html, html } from '../html/html.js';
import { searchForm } from '../html/search-form.js';
import type { Page, PageContext } from '../page.js';
import { type Hit, type SearchResults, search } from '../reading/find-hits.js';

const SEARCH_LIMIT = 25;
const NOT_FOUND_LIMIT = 8;

export function searchPage({ data }: PageContext, query: string): Page {
  const results = search(data, query, SEARCH_LIMIT);
  const isEmpty = query.trim() === '';
  const heading = isEmpty ? 'Search' : html`Search: <span dir="auto">${query}</span>`;
  return {
    title: isEmpty ? 'Search' : `Search: ${query}`,
    description: 'Places and postal codes of the world, by name or code.',
    canonicalPath: undefined,
    query,
    body: html`<h1>${heading}</h1>
${isEmpty ? html`<p>Type the name of a place, or a postal code.</p>` : resultList(results, query)}`,
  };
}

/** `path` is the path that was asked for, as it was sent. */
export function notFoundPage({ data }: PageContext, path: string): Page {
  const words = wordsOf(path);
  const { hits } = search(data, words, NOT_FOUND_LIMIT);
  const missing = findMissingCode(data, path);
  return {
    title: 'Not found',
    description: 'There is no page at this address.',
    canonicalPath: undefined,
    status: 404,
    query: words,
    body: html`<h1>${missing === undefined ? 'There is no page at this address' : headingOf(missing)}</h1>
${missing !== undefined && html`<p>See all postal codes in <a href="${countryPath(missing.country)}">${inSentence(missing.country.entry.name)}</a>.</p>`}
${hits.length > 0 ? html`<p>Did you mean one of these?</p>${hitList(hits, words)}` : searchForm(words)}`,
  };
}

function headingOf({ country, code }: { readonly country: Country; readonly code: string }): Content {
  return html`No postal code <span dir="auto">${code}</span> in ${inSentence(country.entry.name)}`;
}

/** The last segment as words. */
function wordsOf(path: string): string {
  const segment = path.split('/').findLast((part) => part !== '') ?? '';
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch (error) {
    // A bad escape is searched for as it stands.
    if (!(error instanceof URIError)) throw error;
  }
  return text.replace(/[-_:+\s]+/g, ' ').trim();
}

function resultList({ hits, absent }: SearchResults, query: string): Html {
  return html`${absent !== undefined && html`<p>${atSentenceStart(absent.entry.name)} is not in this release.</p>`}
${hitList(hits, query)}`;
}

function hitList(hits: readonly Hit[], query: string): Html {
  if (hits.length === 0)
    return html`<p>No results for “<span dir="auto">${query.trim()}</span>”. Try fewer letters or another spelling.</p>`;
  return html`<ol class="hits">${hits.map(
    ({ name, where, path }) =>
      html`<li><a href="${path}" dir="auto">${name}</a> <span class="where" dir="auto">${where}</span></li>`,
  )}</ol>`;
}
