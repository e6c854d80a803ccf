/** The calls of the API that give the data of a page. */

import { curlCommand } from '../docs/calls-in-languages.js';
import { codeBlock } from '../html/code-block.js';
import { copyable } from '../html/copyable.js';
import { type Html, html } from '../html/html.js';
import type { SiteAddresses } from '../html/page.js';

/** `targets` are paths with queries, which fit on a phone; the button copies the whole command. */
export function apiCall(site: SiteAddresses, targets: readonly string[]): Html {
  return html`<section class="call" aria-labelledby="json">
<h2 id="json">This page as JSON</h2>
<ul>${targets.map((target) => html`<li>${copyable(target, curlCommand(site.apiUrl, target))}</li>`)}</ul>
<p class="note">At <code>${site.apiUrl}</code>, with a key. The <a href="/docs">documentation</a> has every call.</p>
</section>`;
}

export function apiCallBlock({ apiUrl }: SiteAddresses, target: string): Html {
  return codeBlock(curlCommand(apiUrl, target), 'curl');
}
