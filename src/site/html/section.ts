/** A section of a page, under a heading; nothing without content. */

import { type Content, html } from './html.js';

export function section(id: string, heading: string, content: Content): Content {
  return (
    content !== undefined &&
    content !== false &&
    html`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${content}
</section>`
  );
}
