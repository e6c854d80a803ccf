/** Parts that several kinds of pages show: the way down to a place, lists of places, codes, maps, numbers. */

import { postcodePath } from '../addresses.js';
import { drawOnTop, isOn, type MapPoint } from '../map/country-map.js';
import type { CoveredCountry, SiteSnapshot } from '../site-snapshot.js';
import { type Content, type Html, html } from './html.js';

export interface Crumb {
  readonly name: string;
  readonly path: string;
}

export function trail(crumbs: readonly Crumb[]): Html {
  return html`<nav class="trail" aria-label="Breadcrumb"><ol>${crumbs.map(
    ({ name, path }) => html`<li><a href="${path}" dir="auto">${name}</a></li>`,
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

export function codeLinks(country: CoveredCountry, codes: readonly string[]): Html {
  return html`<ul class="codes">${codes.map(
    (code) => html`<li><a href="${postcodePath(country, code)}">${code}</a></li>`,
  )}</ul>`;
}

/** One fact of a list of facts; nothing if it is unknown. */
export function fact(name: string, value: Content): Content {
  return value !== undefined && value !== false && value !== '' && html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** The country's dots, with the page's own on top. */
export function mapFigure(
  data: SiteSnapshot,
  country: CoveredCountry,
  centre: MapPoint | undefined,
  around: readonly MapPoint[],
  caption: Content,
): Html {
  const { main, whole } = data.mapsOf(country);
  const map = centre === undefined || isOn(main, centre) ? main : whole;
  const { code, name } = country.entry;
  return html`<figure class="map">
<div class="drawing"><img src="${mapPath(data, map === main ? code : `${code}-whole`)}" width="${map.width * 5}" height="${map.height * 5}" \
alt="Map of ${name}, drawn from its places">${centre !== undefined && drawOnTop(map, centre, around)}</div>
<figcaption>${caption}</figcaption>
</figure>`;
}

/** The address of a country's dots: another one for each snapshot, so that browsers may keep it. */
export function mapPath({ snapshot }: SiteSnapshot, name: string): string {
  return `/maps/${snapshot.id}/${name}.svg`;
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
  return km < 0.05 ? 'here' : km < 9.95 ? `${km.toFixed(1)} km` : `${Math.round(km)} km`;
}
