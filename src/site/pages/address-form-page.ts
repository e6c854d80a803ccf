/**
 * The page of the address form: the form over the served data, codes to try, the snippet with the reader's own
 * publishable key, and below it the guide. Without a script the page shows the plain fields that the form replaces.
 */

import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { formatNumber } from '../html/formats.js';
import { type Html, html } from '../html/html.js';
import type { Page, SiteAddresses } from '../html/page.js';
import type { Assets } from '../http/built-assets.js';
import { isCovered } from '../reading/covered-country.js';
import { CLIENTS_PATH } from '../reading/page-paths.js';
import { type DocsContext, docsNav, docsTrail } from './docs-navigation.js';

const GUIDE = 'address-form';
export const ADDRESS_FORM_PATH = `/docs/${GUIDE}`;

/** Number of countries to try. */
const TRIED_COUNTRIES = 10;
/**
 * A code of each country that demonstrates something: several cities, a state, a code of which the data has the first
 * part, a code within a block of codes. The codes of the first TRIED_COUNTRIES with data are offered.
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
