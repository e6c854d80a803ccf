/** A text to copy, such as coordinates: one click selects it, and the script site.js adds a button. */

import { type Html, html } from './html.js';

/** A text that one click selects; the script copying.js puts a button behind it, which copies `copied`. */
export function copyable(text: string, copied?: string): Html {
  return html`<code class="copy"${copied !== undefined && html` data-copied="${copied}"`}>${text}</code>`;
}
