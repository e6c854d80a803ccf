/** Postal codes on a page: as links, in natural order, folded up where they are many, and in one line. */

import { formatCounted, formatNumber } from '../html/formats.js';
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

/** Maximum number of codes that are not folded up: some lines. */
const MAX_UNFOLDED = 30;

/** The script site.js adds a field that filters folded codes. */
export function foldedCodes(country: CoveredCountry, codes: readonly string[]): Html {
  const list = codeLinks(country, codes);
  if (codes.length <= MAX_UNFOLDED) return list;
  return html`<details class="filtered"><summary>All ${formatCounted(codes.length, 'postal code')}</summary>${list}</details>`;
}

/** The answer of a page in one line: "80331–81929 and 1 more · 76 postal codes". */
export function codeLine(country: CoveredCountry, { count: codeCount, text, otherCount }: CodeSummary): Html {
  if (codeCount === 1) return html`<p class="answer">Postal code ${codeLink(country, text)}</p>`;
  const others = otherCount > 0 && ` and ${formatNumber(otherCount)} more`;
  return html`<p class="answer"><b>${text}</b>${others} · <span class="whole">${formatCounted(codeCount, 'postal code')}</span></p>`;
}

/** Maximum length of the codes of a city in a list of cities, in characters: as many fit beside the shortest names. */
const MAX_LISTED_LENGTH = 20;

/** The codes of a city in a list of cities; their number alone where their text would be long. */
export function codesInList({ count: codeCount, text, otherCount }: CodeSummary): Content {
  const short = otherCount > 0 ? `${text}\u00a0…` : text;
  return html` <span class="code">${codeCount > 1 && short.length > MAX_LISTED_LENGTH ? formatCounted(codeCount, 'code') : short}</span>`;
}
