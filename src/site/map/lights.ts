/**
 * Postal codes as light on a dark map: a grid of square cells, each the brighter the more codes lie in it. The steps of
 * brightness are shares of the cells with light, so that a country with a hundred codes and one with a hundred thousand
 * both have darkness and bright cities. The colours are the same on light and dark pages.
 */

import { POINT_TIERS, pointTier } from '../../core/snapshot/point-index.js';
import type { Position } from '../../core/snapshot/sphere.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import type { MapSpot } from './map-window.js';

export const SEA = '#0d151f';
export const LAND = '#1b2836';
export const FOREIGN_LAND = '#141e29';
export const SHORE = '#2b3a4a';
export const FRAME = '#46566a';
/** Least share of the cells with light that have fewer codes than a cell of each step, and the colour of the step. */
const STEPS: readonly (readonly [share: number, colour: string])[] = [
  [0, '#6b4a2b'],
  [0.45, '#a06f36'],
  [0.7, '#d49a47'],
  [0.87, '#f4c979'],
  [0.96, '#fff3d6'],
];
/** Number of the steps, from the brightest, whose cells shine on their neighbours. */
const GLOWING_STEPS = 3;

/** The light of bright cells on their neighbours, once in a drawing. */
export const GLOW =
  '<filter id="glow" filterUnits="userSpaceOnUse"><feGaussianBlur stdDeviation="1.6"/>' +
  '<feComponentTransfer result="g"><feFuncA type="linear" slope=".8"/></feComponentTransfer>' +
  '<feMerge><feMergeNode in="SourceGraphic"/><feMergeNode in="g"/></feMerge></filter>';

/** Points of codes. `light` is that of each point; the lights of a code's points are 1 together. */
export interface Lights {
  /** Longitude and latitude of each point. */
  readonly coords: Float64Array;
  readonly light: Float64Array;
}

/** The points of the first tier that has any: those of recipients only where a country has no locality. */
export function lightsOf({ structures: { points, postcodes } }: CoveredCountry): Lights {
  const tiers = POINT_TIERS.map((_, tier) => pointTier(points, tier));
  const { places, coords, codeStarts, codes } = tiers.find((tier) => tier.places.length > 0) ?? points;
  const pointCounts = new Uint32Array(postcodes.codeCount);
  const end = codeStarts[places.length] as number;
  for (let at = codeStarts[0] as number; at < end; at++) addTo(pointCounts, codes[at] as number, 1);
  const light = new Float64Array(places.length);
  for (let point = 0; point < light.length; point++) {
    const end = codeStarts[point + 1] as number;
    for (let at = codeStarts[point] as number; at < end; at++) {
      addTo(light, point, 1 / (pointCounts[codes[at] as number] as number));
    }
  }
  return { coords, light };
}

function addTo(sums: Float64Array | Uint32Array, at: number, value: number): void {
  sums[at] = (sums[at] as number) + value;
}

/** Squares of the side `cell` on a drawing of this size, in its units, and the light of each. */
export class LightGrid {
  readonly #columns: number;
  readonly #light: Float64Array;

  constructor(
    readonly width: number,
    readonly height: number,
    readonly cell: number,
  ) {
    this.#columns = Math.ceil(width / cell);
    this.#light = new Float64Array(this.#columns * Math.ceil(height / cell));
  }

  /** Adds lights; those outside of the drawing, and of a damaged file those without a position, are left out. */
  add({ coords, light }: Lights, locate: (point: Position) => MapSpot): this {
    for (let point = 0; point < light.length; point++) {
      const { x, y } = locate({ longitude: coords[2 * point] as number, latitude: coords[2 * point + 1] as number });
      if (!(x >= 0 && x < this.width && y >= 0 && y < this.height)) continue;
      const at = Math.floor(y / this.cell) * this.#columns + Math.floor(x / this.cell);
      addTo(this.#light, at, light[point] as number);
    }
    return this;
  }

  /** An element with the cells, for a drawing that has GLOW. */
  draw(): string {
    const sorted = this.#light.filter((light) => light > 0).sort();
    const brightest = sorted.at(-1) ?? 0;
    const leasts = STEPS.map(([share]) => (share === 0 ? 0 : (sorted[Math.floor(share * sorted.length)] as number)));
    // Of steps with equal cells one is drawn, and the brightest always: a single code is a bright light.
    const distinct = leasts.filter((least, at) => least !== leasts[at - 1] && least < brightest);
    const steps = STEPS.slice(STEPS.length - distinct.length);
    const paths = steps.map(([, colour], at) => `<path stroke="${colour}" d="${this.#runs(distinct[at] as number)}"/>`);
    const glowing = Math.max(0, paths.length - GLOWING_STEPS);
    return (
      `<g transform="scale(${this.cell})translate(0 .5)" fill="none">${paths.slice(0, glowing).join('')}` +
      `<g filter="url(#glow)">${paths.slice(glowing).join('')}</g></g>`
    );
  }

  /** A line for each run of cells in a row with more light than `least`. Moves are relative, and so alike. */
  #runs(least: number): string {
    const [light, columns] = [this.#light, this.#columns];
    let [path, x, y] = ['', 0, 0];
    for (let cell = 0; cell < light.length; cell++) {
      if (!((light[cell] as number) > least)) continue;
      const [column, row, start] = [cell % columns, Math.floor(cell / columns), cell];
      while ((light[cell + 1] as number) > least && (cell + 1) % columns !== 0) cell++;
      path += `m${column - x}${row < y ? '' : ' '}${row - y}h${cell + 1 - start}`;
      [x, y] = [column + cell + 1 - start, row];
    }
    return path;
  }
}
