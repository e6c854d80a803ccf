/** The page of an unknown address, which searches for the words of the address. */

import type { Country } from '../../core/snapshot/snapshot.js';
import { inSentence } from '../html/country-in-sentence.js';
import { type Content, html } from '../html/html.js';
import type { Page, PageContext } from '../html/page.js';
import { searchForm } from '../html/search-form.js';
import { countryPath } from '../reading/page-paths.js';
import { search } from '../reading/place-search.js';
import { findMissingCodeInPath } from '../reading/resolve-path.js';
import { searchHitList } from './search-page.js';

const NOT_FOUND_LIMIT = 8;

/** `path` is the requested path, as it was sent. */
export function notFoundPage({ snapshot }: PageContext, path: string): Page {
  const words = wordsOf(path);
  const { hits } = search(snapshot, words, NOT_FOUND_LIMIT);
  const missing = findMissingCodeInPath(snapshot, path);
  return {
    title: 'Not found',
    description: 'There is no page at this address.',
    canonicalPath: undefined,
    path,
    status: 404,
    query: words,
    body: html`<h1>${missing === undefined ? 'There is no page at this address' : headingOf(missing)}</h1>
${missing !== undefined && html`<p>See all postal codes in <a href="${countryPath(missing.country)}">${inSentence(missing.country.entry.name)}</a>.</p>`}
${hits.length > 0 ? html`<p>Did you mean one of these?</p>${searchHitList(hits, words)}` : searchForm(words, path)}`,
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
