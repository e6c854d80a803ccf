/**
 * The pages of the documents: their contents, a guide (that about the clients ends with their files), and the address
 * form; and what these pages and the reference share: where a document stands, tables of contents, and lists of fields.
 */

import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { CLIENTS_PATH } from '../addresses.js';
import type { Assets, ClientPackage } from '../assets.js';
import type { DocsLibrary } from '../docs/docs-library.js';
import { type Passage, searchedText, splitAtWords } from '../docs/docs-search.js';
import { describedFirstCall, servedFirstCall } from '../docs/example-calls.js';
import { type Content, type Html, html, wideTable } from '../html/html.js';
import type { Page, PageContext, SiteAddresses } from '../html/layout.js';
import { formatNumber, trail } from '../html/place-parts.js';
import { isCovered } from '../site-snapshot.js';

const DOCS = { name: 'Docs', path: '/docs' };

/** The contents of all documents, and the section of this one. */
export function docsTrail({ sections }: DocsLibrary, path: string): Html {
  const section = sections.find(({ entries }) => entries.some((entry) => entry.path === path));
  return trail(section === undefined ? [DOCS] : [DOCS, { name: section.title, path: `/docs#${section.id}` }]);
}

/** All documents by section. */
export function docsNav({ sections }: DocsLibrary, path: string): Html {
  return html`<nav class="documents" aria-label="Documents">${sections.map(
    ({ id, title, entries }) => html`<h2><a href="/docs#${id}">${title}</a></h2>
<ul>${entries.map(
      (entry) =>
        html`<li><a href="${entry.path}"${entry.path === path && html` aria-current="page"`}>${entry.title}</a></li>`,
    )}</ul>`,
  )}</nav>`;
}

export interface ContentsItem {
  readonly href: string;
  readonly text: string;
}

export function contents(items: readonly ContentsItem[]): Html {
  return html`<nav class="contents" aria-label="On this page">${listOf(items)}</nav>`;
}

/** Groups without items are left out. */
export function groupedContents(
  groups: readonly { readonly title: string; readonly items: readonly ContentsItem[] }[],
): Html {
  return html`<nav class="contents" aria-label="On this page">${groups.map(
    ({ title, items }) => items.length > 0 && html`<div><p>${title}</p>${listOf(items)}</div>`,
  )}</nav>`;
}

function listOf(items: readonly ContentsItem[]): Html {
  return html`<ul>${items.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul>`;
}

export interface Field {
  readonly name: Html;
  /** What its value may be. */
  readonly shape?: Content;
  readonly description?: Content;
}

/** Nothing without fields. */
export function fieldList(fields: readonly Field[]): Content {
  return (
    fields.length > 0 &&
    html`<dl class="fields-of">${fields.map(
      ({ name, shape, description }) =>
        html`<div><dt>${name}${isThere(shape) && html` <span>${shape}</span>`}</dt>${
          isThere(description) && html`<dd>${description}</dd>`
        }</div>`,
    )}</dl>`
  );
}

function isThere(content: Content): boolean {
  return html`${content}`.text !== '';
}

export interface DocsContext extends PageContext {
  readonly docs: DocsLibrary;
}

export function docsPage({ sections }: DocsLibrary): Page {
  return {
    title: 'Documentation',
    description: 'Every call of the API, and how to run it yourself.',
    canonicalPath: '/docs',
    body: html`<h1>Documentation</h1>
<div class="columns">${sections.map(
      ({ id, title, entries }) => html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<ul class="guides">${entries.map(
        (entry) => html`<li><a href="${entry.path}">${entry.title}</a> <span>${entry.summary}</span></li>`,
      )}</ul></section>`,
    )}</div>`,
  };
}

/** The guide whose last section lists the files. */
const CLIENTS_GUIDE = 'clients';

export function guidePage(
  { docs, site, snapshot, assets }: DocsContext & { readonly assets: Pick<Assets, 'clients'> },
  name: string,
): Page | undefined {
  const guide = docs.findGuide(name);
  if (guide === undefined) return undefined;
  const { title, summary, path, sections } = guide;
  return {
    title,
    description: summary,
    canonicalPath: path,
    body: html`<div class="document"><article class="prose">${docsTrail(docs, path)}
<h1>${title}</h1>
${
  sections.length > 3 && contents(sections.map((section) => ({ href: `#${section.id}`, text: section.title })))
}${guide.introduction}${guide.body(site, describedFirstCall(docs.reference), servedFirstCall(snapshot))}${name === CLIENTS_GUIDE && clientFiles(assets.clients)}</article>
${docsNav(docs, path)}</div>`,
  };
}

function clientFiles(clients: readonly ClientPackage[]): Html {
  const rows = clients.map(
    ({ name, byteCount, sha256 }) => html`<tr><td><a href="/docs/clients/${name}">${name}</a></td>
<td>${byteCount.toLocaleString('en')}\u00a0bytes</td><td><code>${sha256}</code></td></tr>`,
  );
  const head = html`<thead><tr><th>File</th><th>Size</th><th>SHA-256</th></tr></thead>`;
  return wideTable('Files', html`<table>${head}<tbody>${rows}</tbody></table>`);
}

/* The search of the documents: the page of results, and suggestions for the search box. */

const RESULT_COUNT = 20;
/** Maximum length of the text of a result, and what stands in it before the first word that was searched for. */
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
    body: html`${trail([DOCS])}
<h1>${isEmpty ? 'Search docs' : html`Search docs: <span dir="auto">${query}</span>`}</h1>
${isEmpty ? html`<p>Type a word, the name of a call, a parameter, a setting, a command or an error.</p>` : results}`,
  };
}

function resultItem(passage: Passage, words: readonly string[]): Html {
  const { name, where } = placeOf(passage);
  const text = excerptOf(passage.text, words);
  return html`<li><a href="${passage.path}">${marked(name, words)}</a> <span class="where">${where}</span>${
    text !== '' && html`<p>${marked(text, words)}</p>`
  }</li>`;
}

/** What a passage is called, and the headings that it stands under. */
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

/** For the search box, in the form of the suggestions of places. */
export function suggestDocs({ index }: DocsLibrary, query: string, limit: number): object[] {
  return index.search(query, limit).passages.map((passage) => ({ ...placeOf(passage), path: passage.path }));
}

/*
 * The page of the address form: the form over the served data, countries to try, the snippet with the reader's own
 * publishable key, and below it the guide. Without a script it shows the plain fields that the form takes the place of.
 */

const GUIDE = 'address-form';
export const ADDRESS_FORM_PATH = `/docs/${GUIDE}`;

/** Number of countries to try. */
const TRIED_COUNTRIES = 10;
/**
 * A code of each country that shows something: several cities, a state, a code of which the data has a part, a code in a
 * block of codes. The first TRIED_COUNTRIES with data are offered.
 */
const TRIED_CODES: Readonly<Record<string, string>> = {
  ...{ DE: '10115', US: '90210', GB: 'OX1 3BG', FR: '75008', CH: '8001', IT: '00118', BR: '01310-100' },
  ...{ CA: 'K1A 0B1', AU: '2000', KR: '06236', NL: '1012 AB', IE: 'D02 AF30', AT: '1010', BE: '1000' },
  ...{ LU: '1648', AD: 'AD500', PR: '00901', IS: '101', LI: '9490', MC: '98000', FO: '100' },
};

/** Stands for a publishable key, until the page knows one. */
const KEY_TO_PUT_IN = 'pp_pub_…';

/** Undefined where the guide is missing. */
export function addressFormPage(
  context: DocsContext & { readonly assets: Pick<Assets, 'webModule'> },
): Page | undefined {
  const { docs, site, snapshot, assets } = context;
  const guide = docs.findGuide(GUIDE);
  if (guide === undefined) return undefined;
  return {
    title: guide.title,
    description: guide.summary,
    canonicalPath: ADDRESS_FORM_PATH,
    scripts: [assets.webModule.name, 'address-form.js'],
    body: html`<div class="document"><article class="prose">${docsTrail(docs, ADDRESS_FORM_PATH)}
<h1>${guide.title}</h1>
${guide.introduction}
${demo(site, snapshot)}
${snippet(site, assets.webModule)}
${guide.body(site)}</article>
${docsNav(docs, ADDRESS_FORM_PATH)}</div>`,
  };
}

function demo({ apiUrl, formKey }: SiteAddresses, snapshot: Snapshot): Html {
  const countries = triedCountries(snapshot);
  const [first] = countries;
  return html`<section class="demo" aria-labelledby="try-it">
<h2 id="try-it">Try it</h2>
<form class="fields" action="${ADDRESS_FORM_PATH}">
<postal-address-form api="${apiUrl}"${formKey != null && html` api-key="${formKey}"`} country="${first?.code ?? 'DE'}">
<label>Street address <input name="street" autocomplete="street-address"></label>
<label>Postal code <input name="postal-code" autocomplete="postal-code"></label>
<label>City <input name="city" autocomplete="address-level2"></label>
<label>State <input name="state" autocomplete="address-level1"></label>
<label>Country <input name="country" autocomplete="country"></label>
</postal-address-form>
<p><button class="main">Send</button></p>
</form>
<div class="tried" hidden><p>Try a code:</p><ul>${countries.map(
    ({ code, name, postcode }) =>
      html`<li><button type="button" data-country="${code}" data-code="${postcode}">${name} <b>${postcode}</b></button></li>`,
  )}</ul></div>
${formKey == null && html`<p class="note">This site has no key for its own form, so nothing is looked up here.</p>`}
<div class="sent" role="status" hidden></div>
</section>`;
}

interface TriedCountry {
  readonly code: string;
  readonly name: string;
  readonly postcode: string;
}

function triedCountries(snapshot: Snapshot): readonly TriedCountry[] {
  return Object.entries(TRIED_CODES)
    .flatMap(([code, postcode]) => {
      const country = snapshot.countryByCode.get(code);
      return country !== undefined && isCovered(country) ? [{ code, postcode, name: country.entry.name }] : [];
    })
    .slice(0, TRIED_COUNTRIES);
}

function snippet({ siteUrl, apiUrl, hasAccounts }: SiteAddresses, webModule: Assets['webModule']): Html {
  const { name, integrity, compressedByteCount, version } = webModule;
  const address = `${siteUrl}${CLIENTS_PATH}/${name}`;
  const code = `<form action="/order" method="post">
  <postal-address-form api="${apiUrl}" api-key="${KEY_TO_PUT_IN}" country="DE"></postal-address-form>
  <button>Order</button>
</form>
<script type="module" src="${address}"></script>`;
  return html`<h2 id="put-it-into-your-page">Put it into your page</h2>
<pre tabindex="0"><code class="copy snippet"${hasAccounts && html` data-accounts`}>${code}</code></pre>
<p class="whose">${
    hasAccounts
      ? html`<a href="/account">Create a key for web pages</a> and put it in place of <code>${KEY_TO_PUT_IN}</code>.`
      : html`Put a publishable key in place of <code>${KEY_TO_PUT_IN}</code>: ask the operator of this API for one, or make one as below.`
  }</p>
<p class="note">Version ${version}, ${formatNumber(compressedByteCount)}\u00a0bytes compressed. To pin these bytes, add
<code>integrity="${integrity}" crossorigin</code> to the script; see <a href="#pin-the-script">Pin the script</a>.</p>`;
}
