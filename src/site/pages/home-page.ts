/**
 * The home page: the search form, the world as a map of codes, a first call with its answer from the served data, ways
 * in for three kinds of readers, and the countries with their numbers of codes.
 */

import { apiCallBlock } from '../components/api-call.js';
import { firstTarget, servedFirstCall } from '../docs/first-call.js';
import { wholeJson } from '../docs/json-for-readers.js';
import { codeBlock } from '../html/code-block.js';
import { formatNumber } from '../html/formats.js';
import { type Html, html, joinHtml } from '../html/html.js';
import type { Page, PageContext } from '../html/page.js';
import { searchForm } from '../html/search-form.js';
import { section } from '../html/section.js';
import { drawWorldFigure } from '../map/light-figures.js';
import { coveredByName } from '../reading/covered-country.js';
import { countryPath } from '../reading/page-paths.js';

export function homePage(context: PageContext): Page {
  const { snapshot, site } = context;
  const covered = coveredByName(snapshot);
  const codeCount = covered.reduce((sum, { entry }) => sum + entry.distinctPostcodes, 0);
  const sentence = `${formatNumber(codeCount)} postal codes of ${formatNumber(covered.length)} countries and the places they belong to, as web pages and as JSON.`;
  const countries = covered.map(
    (country) =>
      html`<li><a href="${countryPath(country)}">${country.entry.name}</a> <span class="code">${formatNumber(country.entry.distinctPostcodes)}</span></li>`,
  );
  return {
    title: '',
    description: sentence,
    canonicalPath: '/',
    body: html`<div class="home">
<header><h1>Postal Places</h1>
<p class="lede">${sentence}</p>
${searchForm('')}
<div class="locate" hidden><button type="button">Where am I?</button> <span role="status"></span></div></header>
${drawWorldFigure(snapshot)}
${firstCall(context)}
<div class="doors">
${door('Call it', 'JSON over HTTP, for any language: codes, places, search, addresses.', [
  ['/docs/quickstart', 'Quickstart'],
  ['/docs/reference', 'All calls'],
  ...(site.hasAccounts ? [['/account', 'Get a key'] as const] : []),
])}
${door('Run it', 'One program and one file with all data, on your own machines.', [
  ['/docs/install', 'Install'],
  ['/docs/operations', 'Operate'],
])}
${door('Embed it', 'Addresses in your web page, or look-ups inside your program without a server.', [
  ['/docs/address-form', 'Address form'],
  ['/docs/in-your-program', 'Library'],
])}
</div>
${section('countries', 'Postal codes by country', [
  countries.length > 0 && html`<ul class="places brief counted">${countries}</ul>`,
  html`<p class="more"><a href="/coverage">What is included for each country</a></p>`,
])}
</div>`,
  };
}

function firstCall({ snapshot, site }: PageContext): Html {
  const answer = servedFirstCall(snapshot);
  return html`<section class="beside" aria-labelledby="first-call">
<div><h2 id="first-call">A first call</h2>
<p>What is at a postal code: its places, where each lies, and the units around it.</p>
${apiCallBlock(site, firstTarget(snapshot))}
<p class="note">Replace YOUR_KEY with ${site.hasAccounts ? html`<a href="/account">your API key</a>` : 'your API key'}.</p></div>
<div>${answer !== undefined && codeBlock(wholeJson({ statusCode: 200, data: answer.data }), 'json', true)}</div>
</section>`;
}

function door(name: string, text: string, links: readonly (readonly [path: string, text: string])[]): Html {
  const list = joinHtml(
    links.map(([path, label]) => html`<a href="${path}">${label}</a>`),
    ' · ',
  );
  return html`<section><h2>${name}</h2><p>${text}</p><p>${list}</p></section>`;
}
