/**
 * The ground of a map without cells: the land of all countries in view, with borders where they are far enough apart, and
 * waters. 2 to 10 kB compressed, in 1 to 6 ms.
 */

import { clippedRings, STEPS } from './clipped-paths.js';
import type { MapWindow } from './map-window.js';
import { drawFeatures, MOST_BORDERS_KM } from './mosaic.js';
import { packagedOutlines } from './outlines.js';

/** Least distance of two points of an outline along one axis on a map without borders, in steps. */
const WIDE_STEP = 4;

export function drawGround(window: MapWindow): string {
  const [land, leastStep] = window.widthKm > MOST_BORDERS_KM ? ['continents', WIDE_STEP] : ['ground'];
  const rings = packagedOutlines().ringsBeside();
  return (
    `<g class="mosaic" transform="scale(${1 / STEPS})">` +
    `<path class="${land}" d="${clippedRings(rings, window, leastStep)}"/>${drawFeatures(window)}</g>`
  );
}
