/** The coordinates of a page's subject, to copy, and a link to the spot in OpenStreetMap. */

import type { Position } from '../../core/snapshot/sphere.js';
import { copyable } from '../html/copyable.js';
import { type Html, html } from '../html/html.js';

/** OpenStreetMap's zooms: streets for a code, a town with its surroundings, and a unit as far as a screen shows it. */
const ZOOMS = { code: 15, town: 13, unit: 9 };

/** `text` has the decimals of the subject. */
export function coordinates({ latitude, longitude }: Position, subject: keyof typeof ZOOMS, text: string): Html {
  const spot = `mlat=${latitude}&mlon=${longitude}#map=${ZOOMS[subject]}/${latitude}/${longitude}`;
  return html`${copyable(text)} <a class="whole" href="https://www.openstreetmap.org/?${spot}">OpenStreetMap</a>`;
}
