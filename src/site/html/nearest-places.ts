/** The list of the places nearest to a point, in any country. */
import type { NearPlaceEntry } from '../reading/near-places.js';
import { type Content, html } from './html.js';
import { formatKm } from './place-parts.js';

const NEAREST_COUNT = 8;

/** Nothing if no place is near. */
export function nearestPlaces(near: readonly NearPlaceEntry[]): Content {
  const items = near
    .slice(0, NEAREST_COUNT)
    .map(
      ({ name, path, postalCode, abroad, distanceKm }) =>
        html`<li><a href="${path}" dir="auto">${name}</a> <span class="code">${postalCode ?? ''}</span>${
          abroad !== undefined && html` <span class="code">${abroad}</span>`
        } <span class="km">${formatKm(distanceKm)}</span></li>`,
    );
  return items.length > 0 && html`<ul class="places near">${items}</ul>`;
}
