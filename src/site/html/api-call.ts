/** Texts with a copy button: coordinates, and the API calls for the data of a page. Scripts add the button. */
import type { SiteAddresses } from '../page.js';
import { type Html, html } from './html.js';

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
