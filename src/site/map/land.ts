/**
 * The land of all countries in a window, with lines between them, as one path of the page: 1 to 8 kB before compression.
 * Rings are cut at the edge of the window (Sutherland and Hodgman's algorithm), so a straight border runs where it
 * should although its ends are far outside. Costs 1 to 4 ms.
 */

import type { MapWindow } from './map-window.js';
import { outlinePath, overlapsOutline, packagedOutlines } from './outlines.js';

/** Distance behind the edge of the window at which rings are cut, in units: lines along the cut are not visible. */
const BEYOND = 4;

export function drawLand({ width, height, bounds, unitsX, unitsY }: MapWindow): string {
  const outlines = packagedOutlines();
  const pieces: { coords: Float64Array }[] = [];
  for (const code of outlines.codes) {
    for (const ring of outlines.ringsOf(code)) {
      // A window of half of the world can show Siberia on its right, and again on its left.
      for (const turn of [-360, 0, 360]) {
        const [west, east] = [ring.west + turn, ring.east + turn];
        if (!overlapsOutline({ ...ring, west, east }, bounds)) continue;
        const drawn = ring.coords.map((value, at) =>
          at % 2 === 0 ? (value + turn - bounds.west) * unitsX : (bounds.north - value) * unitsY,
        );
        const across = cut(cut(drawn, 0, -BEYOND, 1), 0, width + BEYOND, -1);
        pieces.push({ coords: cut(cut(across, 1, -BEYOND, 1), 1, height + BEYOND, -1) });
      }
    }
  }
  return `<path class="land" d="${outlinePath(pieces, (x, y) => ({ x, y }))}"/>`;
}

/** The part of a ring above a limit of its x (axis 0) or y (axis 1), or, with the sign -1, below. */
function cut(coords: Float64Array, axis: 0 | 1, limit: number, sign: 1 | -1): Float64Array {
  const kept: number[] = [];
  for (let at = 0; at < coords.length; at += 2) {
    const before = (at === 0 ? coords.length : at) - 2;
    const [x, y, lastX, lastY] = [coords[at], coords[at + 1], coords[before], coords[before + 1]] as Quad;
    const inside = ((axis === 0 ? x : y) - limit) * sign;
    const lastInside = ((axis === 0 ? lastX : lastY) - limit) * sign;
    if (inside >= 0 !== lastInside >= 0) {
      const share = lastInside / (lastInside - inside);
      kept.push(lastX + (x - lastX) * share, lastY + (y - lastY) * share);
    }
    if (inside >= 0) kept.push(x, y);
  }
  return Float64Array.from(kept);
}

type Quad = [number, number, number, number];
