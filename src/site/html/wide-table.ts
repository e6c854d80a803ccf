/** The frame of every table: it scrolls by itself where the table is wider than the page, also with a keyboard. */

import { type Html, html } from './html.js';

/** `label` names the table for screen readers. */
export function wideTable(label: string, table: Html): Html {
  return html`<div class="wide" tabindex="0" role="group" aria-label="${label}">${table}</div>
`;
}
