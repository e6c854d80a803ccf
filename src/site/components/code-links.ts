/** Postal codes on a page: as links, in natural order, and in one line. */

import { formatCounted } from '../html/formats.js';
import { type Content, type Html, html } from '../html/html.js';
import type { CodeSummary } from '../reading/code-summary.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import { postcodePath } from '../reading/page-paths.js';

export function codeLink(country: CoveredCountry, code: string): Html {
  return html`<a href="${postcodePath(country, code)}">${code}</a>`;
}

export function codeLinks(country: CoveredCountry, codes: readonly string[]): Html {
  const items = codes.map((code) => html`<li><a href="${postcodePath(country, code)}">${code}</a></li>`);
  return html`<ul class="codes">${items}</ul>`;
}

/** The answer of a page in one line: "80331–81929 · 74 postal codes". */
export function codeLine(country: CoveredCountry, { count: codeCount, text, hasGaps }: CodeSummary): Html {
  if (codeCount === 1) return html`<p class="answer">Postal code ${codeLink(country, text)}</p>`;
  return html`<p class="answer"><b>${text}</b> · ${formatCounted(codeCount, 'postal code')}${
    hasGaps && html` <span class="note">Codes in between belong to other places.</span>`
  }</p>`;
}

/** Maximum length of the codes of a city in a list of cities, in characters: as many fit beside the shortest names. */
const MAX_LISTED_LENGTH = 20;

/** The codes of a city in a list of cities; their number alone where their text would be long or has gaps. */
export function codesInList({ count: codeCount, text, hasGaps }: CodeSummary): Content {
  return html` <span class="code">${hasGaps || (codeCount > 1 && text.length > MAX_LISTED_LENGTH) ? formatCounted(codeCount, 'code') : text}</span>`;
}
