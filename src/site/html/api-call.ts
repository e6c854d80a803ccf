/** Texts with a copy button: coordinates, and the API call for the data of a page. Scripts add the button. */
import type { SiteAddresses } from '../page.js';
import type { SiteSnapshot } from '../site-snapshot.js';
import { type Html, html } from './html.js';

/** A text that one click selects; the script copy.js puts a button behind it. */
export function copyable(text: string): Html {
  return html`<code class="copy">${text}</code>`;
}

/** `targets` are the paths and queries of calls. */
export function apiCall(site: SiteAddresses, targets: readonly string[]): Html {
  return html`<section class="call" aria-labelledby="json">
<h2 id="json">This page as JSON</h2>
${targets.map((target) => apiCallBlock(site, target))}
<p class="note">The <a href="/docs">documentation</a> has every call.</p>
</section>`;
}

export function apiCallBlock({ apiUrl }: SiteAddresses, target: string): Html {
  return html`<pre tabindex="0"><code class="copy">${curlCommand(apiUrl, target)}</code></pre>`;
}

/** A first call that this release answers, a path and query: a code of Berlin, where the release has Germany. */
export function firstCall(data: SiteSnapshot): string {
  const hasExample = data.countryBySlug('germany')?.structures !== undefined;
  return hasExample ? '/v1/countries/DE/postcodes/10115' : '/v1/countries?hasPostcodes=true';
}

export const KEY_TO_PUT_IN = 'YOUR_KEY';

/** `body` is the JSON that the call sends, if any. */
export function curlCommand(apiUrl: string, target: string, isKeyed = true, body?: string): string {
  const header = isKeyed ? ` -H 'x-api-key: ${KEY_TO_PUT_IN}'` : '';
  const sent = body === undefined ? '' : ` -H 'content-type: application/json' -d '${body.replaceAll("'", '\\u0027')}'`;
  return `curl${header}${sent} '${apiUrl}${target.replaceAll("'", '%27')}'`;
}
