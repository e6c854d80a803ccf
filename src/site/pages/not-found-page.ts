/** The page of an unknown address, which searches for the words of the address. */

import { resolveMissing } from '../../core/lookup/postcode-lookup.js';
import { readNameField } from '../../core/snapshot/place-fields.js';
import { normalizePostcode } from '../../core/snapshot/postcode-spelling.js';
import type { Country, Snapshot } from '../../core/snapshot/snapshot.js';
import { inSentence } from '../html/country-in-sentence.js';
import { type Content, html } from '../html/html.js';
import type { Page, PageContext } from '../html/page.js';
import { searchForm } from '../html/search-form.js';
import { isCovered } from '../reading/covered-country.js';
import { countryPath, placePath } from '../reading/page-paths.js';
import { search } from '../reading/place-search.js';
import { findMissingCodeInPath } from '../reading/resolve-path.js';
import { groupHits } from '../reading/search-groups.js';
import { hitList } from './search-page.js';

const NOT_FOUND_LIMIT = 8;

/** `path` is the requested path, as it was sent. */
export function notFoundPage({ snapshot }: PageContext, path: string): Page {
  const words = wordsOf(path);
  const missing = findMissingCodeInPath(snapshot, path);
  const known = missing === undefined ? '' : knownOf(snapshot, missing);
  const { hits } =
    missing === undefined
      ? search(snapshot, words, NOT_FOUND_LIMIT)
      : search(snapshot, missing.code, NOT_FOUND_LIMIT, { country: missing.country });
  return {
    title: 'Not found',
    description: 'There is no page at this address.',
    canonicalPath: undefined,
    path,
    status: 404,
    query: words,
    body: html`<h1>${missing === undefined ? 'There is no page at this address' : headingOf(missing)}</h1>
${known}
${missing !== undefined && html`<p>See all postal codes in <a href="${countryPath(missing.country)}">${inSentence(missing.country.entry.name)}</a>.</p>`}
${known === '' && hits.length > 0 ? html`<p>Did you mean one of these?</p>${hitList(groupHits(hits))}` : searchForm(words, path)}`,
  };
}

function headingOf({ country, code }: { readonly country: Country; readonly code: string }): Content {
  return html`No postal code <span dir="auto">${code}</span> in ${inSentence(country.entry.name)}`;
}

/** What is known of a code that the country does not have: the town of its block, or the release that came without it. */
function knownOf(snapshot: Snapshot, { country, code }: { readonly country: Country; readonly code: string }): Content {
  const resolution = resolveMissing(snapshot, country, normalizePostcode(code));
  if (resolution.match === 'withdrawn') {
    const { placeName, release } = resolution.withdrawn;
    return html`<p>The code is withdrawn: <span dir="auto">${placeName}</span> had it until release ${release}.</p>`;
  }
  if (resolution.match !== 'inferred' || !isCovered(country)) return '';
  const { place } = resolution.inferred;
  return html`<p>This release lacks the code. The codes around it belong to <a href="${placePath(country, place)}" dir="auto">${readNameField(country.structures, place)}</a>.</p>`;
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
