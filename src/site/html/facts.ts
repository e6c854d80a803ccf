/** Facts of a page's subject, as entries of a list: a name and a value. */

import { type Content, html } from './html.js';

/** Nothing if the value is unknown. */
export function fact(name: string, value: Content): Content {
  return value !== undefined && value !== false && value !== '' && html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}
