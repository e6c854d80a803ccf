/** Parts that several kinds of pages show: the way down to a place, lists of places, codes, numbers. */

import { postcodePath } from '../addresses.js';
import type { CodeSummary } from '../reading/code-groups.js';
import type { CoveredCountry } from '../site-snapshot.js';
import { type Content, type Html, html } from './html.js';
import type { SiteAddresses } from './layout.js';

export interface Crumb {
  readonly name: string;
  readonly path: string;
  /** What the place is, where the one before has the same name. */
  readonly kind?: string | undefined;
}

export function trail(crumbs: readonly Crumb[]): Html {
  return html`<nav class="trail" aria-label="Breadcrumb"><ol>${crumbs.map(
    ({ name, path, kind }) =>
      html`<li><a href="${path}" dir="auto">${name}</a>${kind !== undefined && html` <span class="note">${kind}</span>`}</li>`,
  )}</ol></nav>`;
}

/** A section with a heading; nothing without content. */
export function section(id: string, heading: string, content: Content): Content {
  return (
    content !== undefined &&
    content !== false &&
    html`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${content}
</section>`
  );
}

/** One fact of a list of facts; nothing if it is unknown. */
export function fact(name: string, value: Content): Content {
  return value !== undefined && value !== false && value !== '' && html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

export function count(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`;
}

const GROUPS = /\B(?=(?:\d{3})+$)/g;

/** With commas: 1,201,340. */
export function formatNumber(value: number): string {
  return value < 1000 ? String(value) : String(value).replace(GROUPS, ',');
}

export function formatKm(km: number): string {
  if (km >= 9.95) return `${Math.round(km)} km`;
  // `toFixed` takes five times as long, and pages have dozens of distances.
  const tenths = Math.round(km * 10);
  return tenths === 0 ? 'here' : `${Math.floor(tenths / 10)}.${tenths % 10} km`;
}

/** The same for points that are right to some metres: "40 m". */
export function formatMetres(km: number): string {
  const metres = Math.round(km * 100) * 10;
  return metres === 0 || metres >= 1000 ? formatKm(km) : `${metres} m`;
}

/* Postal codes on a page: as links, in natural order, and in a few words. */

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
  return html`<p class="answer"><b>${text}</b> · ${count(codeCount, 'postal code')}${
    hasGaps && html` <span class="note">Other places have codes in between.</span>`
  }</p>`;
}

/** Maximum length of the codes of a city in a list, in characters: what fits beside the shortest names. */
const MAX_LISTED_LENGTH = 20;

/** The codes of a city in a list of cities, or their number where they are many runs. */
export function codesInList({ count: codeCount, text, hasGaps }: CodeSummary): Content {
  return html` <span class="code">${hasGaps || (codeCount > 1 && text.length > MAX_LISTED_LENGTH) ? count(codeCount, 'code') : text}</span>`;
}

/** Maximum number of names: a page stays under 40 kB. */
const MAX_NAMES = 24;
/** Maximum number of languages that are named behind a name. */
const MAX_LANGUAGES = 3;
/** The languages with most readers: a name that several languages have is shown, and read out, as that of the first. */
const FIRST_LANGUAGES = 'en es fr de pt it nl pl ru uk ar fa zh ja ko tr'.split(' ');
const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** `names` are those of a place in other languages, by their tags. A name of several languages is there once. */
export function alsoCalled(names: ReadonlyMap<string, string>): Content {
  const tags = new Set([...FIRST_LANGUAGES.filter((tag) => names.has(tag)), ...names.keys()]);
  const tagsOf = new Map<string, string[]>();
  for (const tag of tags) {
    const name = names.get(tag) as string;
    if (languageNames.of(tag) !== undefined) tagsOf.set(name, [...(tagsOf.get(name) ?? []), tag]);
  }
  const items = [...tagsOf].slice(0, MAX_NAMES).map(([name, tags]) => {
    const languages = tags.slice(0, MAX_LANGUAGES).map((tag) => languageNames.of(tag));
    const others = tags.length - languages.length;
    const text = `${languages.join(', ')}${others > 0 ? ` and ${count(others, 'more language')}` : ''}`;
    return html`<li><bdi lang="${tags[0]}">${name}</bdi> <small>${text}</small></li>`;
  });
  return section('names', 'Also called', items.length > 0 && html`<ul class="names">${items}</ul>`);
}

/* Texts with a copy button: coordinates, and the API calls for the data of a page. Scripts add the button. */

/** A text that one click selects; the script copying.js puts a button behind it, which copies `copied`. */
export function copyable(text: string, copied?: string): Html {
  return html`<code class="copy"${copied !== undefined && html` data-copied="${copied}"`}>${text}</code>`;
}

/** `targets` are the paths and queries of calls, which fit on a phone; what is copied is the whole command. */
export function apiCall(site: SiteAddresses, targets: readonly string[]): Html {
  return html`<section class="call" aria-labelledby="json">
<h2 id="json">This page as JSON</h2>
<ul>${targets.map((target) => html`<li>${copyable(target, curlCommand(site.apiUrl, target))}</li>`)}</ul>
<p class="note">At <code>${site.apiUrl}</code>, with a key. The <a href="/docs">documentation</a> has every call.</p>
</section>`;
}

export function apiCallBlock({ apiUrl }: SiteAddresses, target: string): Html {
  return html`<pre tabindex="0"><code class="copy">${curlCommand(apiUrl, target)}</code></pre>`;
}

export const KEY_TO_PUT_IN = 'YOUR_KEY';

/** `body` is the JSON that the call sends, if any. */
export function curlCommand(apiUrl: string, target: string, isKeyed = true, body?: string): string {
  const header = isKeyed ? ` -H 'x-api-key: ${KEY_TO_PUT_IN}'` : '';
  const sent = body === undefined ? '' : ` -H 'content-type: application/json' -d '${body.replaceAll("'", '\\u0027')}'`;
  return `curl${header}${sent} '${apiUrl}${target.replaceAll("'", '%27')}'`;
}
