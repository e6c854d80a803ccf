/** Lists of the cities and of the postal codes nearest to a point, the nearest first. */

import { formatKm } from '../html/formats.js';
import { type Content, html } from '../html/html.js';
import type { NearEntry } from '../reading/near-cities-and-codes.js';

/** Maximum number of entries of a list; a map shows more. */
const LISTED_COUNT = 8;

/** Nothing if no city is near. */
export function nearCities(near: readonly NearEntry[]): Content {
  const items = near
    .slice(0, LISTED_COUNT)
    .map(
      ({ name, path, postalCode, abroad, distanceKm }) =>
        html`<li><a href="${path}" dir="auto">${name}</a> <span class="code">${postalCode}${abroad !== undefined && ` ${abroad}`}</span> <span class="km">${formatKm(distanceKm)}</span></li>`,
    );
  return items.length > 0 && html`<ul class="places near">${items}</ul>`;
}

/** Nothing if no code is near. */
export function nearCodes(near: readonly NearEntry[], format = formatKm): Content {
  const items = near
    .slice(0, LISTED_COUNT)
    .map(
      ({ name, path, postalCode, abroad, distanceKm }) =>
        html`<li><a href="${path}">${postalCode}</a> <span class="where" dir="auto">${name}${abroad !== undefined && `, ${abroad}`}</span> <span class="km">${format(distanceKm)}</span></li>`,
    );
  return items.length > 0 && html`<ul class="places near">${items}</ul>`;
}
