/** What can be copied: coordinates, and the call to the API that gives what a page shows. Scripts add a button. */
import type { SiteAddresses } from '../page.js';
import { type Html, html } from './html.js';

/** A text that one click selects; the script copy.js puts a button behind it. */
export function copyable(text: string): Html {
  return html`<code class="copy">${text}</code>`;
}

/** `target` is the path and query of the call. */
export function apiCall(site: SiteAddresses, target: string): Html {
  return html`<section class="call" aria-labelledby="json">
<h2 id="json">This page as JSON</h2>
${apiCallBlock(site, target)}
<p class="note">The <a href="/docs">documentation</a> has every call.</p>
</section>`;
}

export function apiCallBlock({ apiUrl }: SiteAddresses, target: string): Html {
  return html`<pre tabindex="0"><code class="copy">${curl(apiUrl, target)}</code></pre>`;
}

function curl(apiUrl: string, target: string): string {
  return `curl -H 'x-api-key: YOUR_KEY' '${apiUrl}${target.replaceAll("'", '%27')}'`;
}
