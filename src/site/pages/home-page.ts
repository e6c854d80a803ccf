/** The home page: an introduction, the search form, and a first call to the API. */

import { apiCallBlock } from '../components/api-call.js';
import { firstTarget } from '../docs/first-call.js';
import { formatNumber } from '../html/formats.js';
import { html } from '../html/html.js';
import type { Page, PageContext } from '../html/page.js';
import { searchForm } from '../html/search-form.js';
import { drawWorldFigure } from '../map/light-figures.js';
import { isCovered } from '../reading/covered-country.js';

export function homePage({ snapshot, site }: PageContext): Page {
  const covered = snapshot.countries.filter(isCovered);
  const codeCount = covered.reduce((sum, { entry }) => sum + entry.distinctPostcodes, 0);
  const sentence = `${formatNumber(codeCount)} postal codes in ${formatNumber(covered.length)} countries and the places they belong to, as web pages and as JSON.`;
  return {
    title: '',
    description: sentence,
    canonicalPath: '/',
    body: html`<div class="home">
<h1>Postal Places</h1>
<p class="lede">${sentence}</p>
${searchForm('')}
<div class="locate" hidden><button type="button">Where am I?</button> <span role="status"></span></div>
${drawWorldFigure(snapshot)}
<section aria-labelledby="first-call"><h2 id="first-call">A first call</h2>
${apiCallBlock(site, firstTarget(snapshot))}
<p class="note">Replace YOUR_KEY with ${site.hasAccounts ? html`<a href="/account">your API key</a>` : 'your API key'}. The response is JSON.</p></section>
<nav class="doors" aria-label="Where to go">
<a href="/coverage"><b>Coverage</b> what is included for each country</a>
<a href="/docs"><b>Documentation</b> every call, and how to run it yourself</a>
${
  site.hasAccounts
    ? html`<a href="/account"><b>Get a key</b> and see how much it is used</a>`
    : html`<a href="/search"><b>Search</b> places and postal codes by name</a>`
}
</nav>
</div>`,
  };
}
