/** The frame of all pages: head, search form, and the footer that names sources, licences and the release. */

import type { Source } from '../../core/snapshot/manifest.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { inSentence } from './country-in-sentence.js';
import { type Html, html } from './html.js';
import { jsonLd } from './json-ld.js';
import type { Page, PageContext } from './page.js';
import { searchForm } from './search-form.js';

const NAME = 'Postal Places';

/** The whole document. `assetsPath` is the path below which this process serves the assets. */
export function renderInLayout(page: Page, context: PageContext, assetsPath: string): string {
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

/** The credit of a further source than GeoNames. */
function creditOf(snapshot: Snapshot, { name, url, license, attribution, fullCodesOf }: Source): Html {
  const countries = fullCodesOf.map((code) => inSentence(snapshot.countryByCode.get(code)?.entry.name ?? code));
  const subject = countries.length > 0 && `Full postal codes of ${countries.join(', ')}: `;
  return html`
<p>${subject}<a href="${url}">${name}</a>, under <a href="${license.url}" rel="license">${license.name}</a>. ${attribution}</p>`;
}
