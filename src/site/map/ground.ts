/**
 * The ground of a map without cells: the land of all countries in view, with borders where they are far enough apart, and
 * waters. 2 to 8 kB compressed, in 1 to 3 ms.
 */

import { clippedRings, STEPS } from './clipped-paths.js';
import type { MapWindow } from './map-window.js';
import { drawFeatures, MOST_BORDERS_KM } from './mosaic.js';
import { packagedOutlines, type Ring } from './outlines.js';

/** Least distance of points of outlines along an axis in degrees, by the width of a map in km: wide maps need few. */
const OUTLINE_STEPS: readonly (readonly [number, number])[] = [
  [2_500, 0],
  [MOST_BORDERS_KM, 0.1],
  [Infinity, 0.8],
];
const ringsByStep = new Map<number, readonly Ring[]>();

export function drawGround(window: MapWindow): string {
  const land = window.widthKm > MOST_BORDERS_KM ? 'continents' : 'ground';
  return (
    `<g class="mosaic" transform="scale(${1 / STEPS})"><path class="${land}" d="${clippedRings(ringsFor(window), window)}"/>` +
    `${drawFeatures(window)}</g>`
  );
}

function ringsFor({ widthKm }: MapWindow): readonly Ring[] {
  // In a damaged file a width can be no number, which is not greater than any.
  const [, step] = OUTLINE_STEPS.find(([km]) => !(widthKm > km)) as readonly [number, number];
  let rings = ringsByStep.get(step);
  if (rings === undefined) {
    const outlines = packagedOutlines();
    rings = [...outlines.codes].flatMap((code) => outlines.ringsOf(code)).flatMap((ring) => thinRing(ring, step));
    ringsByStep.set(step, rings);
  }
  return rings;
}

/** Without points that lie close to the one before. A ring that is a speck is left out. */
function thinRing(ring: Ring, step: number): Ring | [] {
  const { coords, west, east, south, north } = ring;
  if (step === 0) return ring;
  if (Math.max(east - west, north - south) < 2 * step) return [];
  const kept: number[] = [];
  for (let at = 0; at < coords.length; at += 2) {
    const [x, y] = [coords[at] as number, coords[at + 1] as number];
    const [lastX = Infinity, lastY = Infinity] = kept.slice(-2);
    if (Math.abs(x - lastX) >= step || Math.abs(y - lastY) >= step) kept.push(x, y);
  }
  return { ...ring, coords: Float64Array.from(kept) };
}
