/** Parts that several kinds of pages show: the way down to a place, lists of places, codes, numbers. */

import { type Content, type Html, html } from './html.js';

export interface Crumb {
  readonly name: string;
  readonly path: string;
  /** What the place is, where the one before has the same name. */
  readonly kind?: string | undefined;
}

export function trail(crumbs: readonly Crumb[]): Html {
  return html`<nav class="trail" aria-label="Breadcrumb"><ol>${crumbs.map(
    ({ name, path, kind }) =>
      html`<li><a href="${path}" dir="auto">${name}</a>${kind !== undefined && html` <span class="note">${kind}</span>`}</li>`,
  )}</ol></nav>`;
}

/** A section with a heading; nothing without content. */
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

/** One fact of a list of facts; nothing if it is unknown. */
export function fact(name: string, value: Content): Content {
  return value !== undefined && value !== false && value !== '' && html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

export function count(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`;
}

const GROUPS = /\B(?=(?:\d{3})+$)/g;

/** With commas: 1,201,340. */
export function formatNumber(value: number): string {
  return value < 1000 ? String(value) : String(value).replace(GROUPS, ',');
}

export function formatKm(km: number): string {
  if (km >= 9.95) return `${Math.round(km)} km`;
  // `toFixed` takes five times as long, and pages have dozens of distances.
  const tenths = Math.round(km * 10);
  return tenths === 0 ? 'here' : `${Math.floor(tenths / 10)}.${tenths % 10} km`;
}
