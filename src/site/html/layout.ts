/** The frame of all pages: head, search box, and the footer that names source, licence and release. */

import type { Source } from '../../core/snapshot/manifest.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { type Html, html, inSentence, jsonLd } from './html.js';

/** A page before it is rendered: the contents of its head, and its body. */
export interface Page {
  /** Without the site's name. */
  readonly title: string;
  readonly description: string;
  /** The one address of the page, a path; undefined for pages that search engines should not keep. */
  readonly canonicalPath: string | undefined;
  /** The address that the page has, if it is not its canonical path. */
  readonly path?: string;
  readonly body: Html;
  /** Identifies other inputs of the page than snapshot and program, as a-z and 0-9; part of its entity tag. */
  readonly variant?: string;
  /** Default: 200. */
  readonly status?: number;
  /** The path of a feed (Atom) about the same. */
  readonly feed?: string;
  /** Whether its address is private: its links send no Referer. */
  readonly isPrivate?: boolean;
  /** Objects of linked data. */
  readonly linkedData?: readonly object[];
  /** The text in the search box. */
  readonly query?: string;
  /** Names of further scripts among the assets; they are modules. */
  readonly scripts?: readonly string[];
}

/** The inputs of every page, read once per request. */
export interface PageContext {
  readonly site: SiteAddresses;
  readonly snapshot: Snapshot;
}

/** The public addresses: origins without a slash at the end. */
export interface SiteAddresses {
  readonly siteUrl: string;
  readonly apiUrl: string;
  /** Whether people can sign in. */
  readonly hasAccounts: boolean;
  /** The publishable key for pages of this site, if there is one. */
  readonly formKey?: string | null;
}

/*
 * The search box: for documents on their pages, elsewhere for places. Without a script it is a form; the script site.js
 * makes a combobox of it, whose list is the element behind the field.
 */

const DOCUMENTS = /^\/docs(?:\/|$)/;

/** `path` is that of the page. */
export function searchForm(query: string, path = ''): Html {
  const [action, label] = DOCUMENTS.test(path) ? ['/docs/search', 'Search docs'] : ['/search', 'Place or postal code'];
  return html`<form class="search" action="${action}" role="search">
<input type="search" name="q" value="${query}" placeholder="${label}" aria-label="${label}" \
autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="100" required>
<button>Search</button>
<ul class="suggestions" role="listbox" aria-label="Suggestions" hidden></ul>
<p class="unseen" role="status"></p>
</form>`;
}

const NAME = 'Postal Places';

/** The whole document. `assetsPath` is the folder of the assets that this process serves, a path. */
export function renderDocument(page: Page, context: PageContext, assetsPath: string): string {
  const { title, description, canonicalPath, path = canonicalPath, body, linkedData = [], scripts = [], feed } = page;
  const asset = (name: string): string => `${assetsPath}/${name}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title === '' ? NAME : `${title} · ${NAME}`}</title>
<meta name="description" content="${description}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${
  canonicalPath === undefined
    ? html`<meta name="robots" content="noindex">`
    : html`<link rel="canonical" href="${context.site.siteUrl}${canonicalPath}">`
}
${
  feed !== undefined &&
  html`<link rel="alternate" type="application/atom+xml" title="${NAME}: releases" href="${feed}">
`
}<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${asset('site.css')}">
${['site.js', ...scripts].map((name) => html`<script type="module" src="${asset(name)}"></script>`)}
${linkedData.map(jsonLd)}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="/">${NAME}</a>
${canonicalPath !== '/' && searchForm(page.query ?? '', path)}
<nav aria-label="Site"><a href="/coverage">Coverage</a> <a href="/docs">Docs</a>${
    context.site.hasAccounts && html` <a href="/account">Account</a>`
  }</nav>
</header>
<main id="main">${body}</main>
${footer(context)}
</body>
</html>
`.text;
}

function footer({ snapshot }: PageContext): Html {
  const { release, manifest } = snapshot;
  const date = manifest.sourceDate?.slice(0, 10) ?? release;
  return html`<footer>
<p>Place data: <a href="https://www.geonames.org/">GeoNames</a>, under
<a href="https://creativecommons.org/licenses/by/4.0/" rel="license">CC BY 4.0</a>, adapted.
Release <a href="/coverage">${release}</a>${date !== release && html`, with data from ${date}`}.</p>${manifest.sources.slice(1).map((source) => creditOf(snapshot, source))}
</footer>`;
}

/** The credit of a source beside GeoNames. */
function creditOf(snapshot: Snapshot, { name, url, license, attribution, fullCodesOf }: Source): Html {
  const countries = fullCodesOf.map((code) => inSentence(snapshot.countryByCode.get(code)?.entry.name ?? code));
  const subject = countries.length > 0 && `Full postal codes of ${countries.join(', ')}: `;
  return html`
<p>${subject}<a href="${url}">${name}</a>, under <a href="${license.url}" rel="license">${license.name}</a>. ${attribution}</p>`;
}
