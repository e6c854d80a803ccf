/** Shared parts of the documentation pages: addresses, tables of contents, and tables that a keyboard can scroll. */
import { type Content, type Html, html } from './html.js';

export const DOCS = { name: 'Docs', path: '/docs' };

export function contents(items: readonly { readonly href: string; readonly text: string }[]): Html {
  return html`<nav class="contents" aria-label="On this page"><ul>${items.map(
    ({ href, text }) => html`<li><a href="${href}">${text}</a></li>`,
  )}</ul></nav>`;
}

export function table(label: string, heads: readonly string[], rows: readonly (readonly Content[])[]): Content {
  return (
    rows.length > 0 &&
    html`<div class="wide" tabindex="0" role="group" aria-label="${label}"><table><thead><tr>${heads.map((head) =>
      head === '' ? html`<td></td>` : html`<th scope="col">${head}</th>`,
    )}</tr></thead><tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`
  );
}
