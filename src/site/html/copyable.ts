/** A text to copy, such as coordinates: one click selects it, and the script site.js adds a button. */

import { type Html, html } from './html.js';

/** The button copies `copied`, by default the text itself. */
export function copyable(text: string, copied?: string): Html {
  return html`<code class="copy"${copied !== undefined && html` data-copied="${copied}"`}>${text}</code>`;
}
