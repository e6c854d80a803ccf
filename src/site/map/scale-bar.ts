/** The scale bar of a map: a length of 1, 2 or 5 with zeros, in the lower left corner. */
import type { LabelBox } from './dot-labels.js';
import type { MapWindow } from './map-window.js';

/** Its greatest length, and its distance to the corner, in units. */
const MAX_LENGTH = 90;
const MARGIN = 10;

export function scaleBarBox(height: number): LabelBox {
  return { left: 0, right: MARGIN + MAX_LENGTH, top: height - 30, bottom: height };
}

export function drawScaleBar({ kmPerUnit, height }: MapWindow): string {
  const km = roundLength(MAX_LENGTH * kmPerUnit);
  const [length, y] = [Math.round(km / kmPerUnit), height - MARGIN];
  return (
    `<path class="scale" d="M${MARGIN} ${y - 5}v5h${length}v-5"/>` +
    `<text class="unit" x="${MARGIN + 4}" y="${y - 6}">${km < 1 ? `${Math.round(km * 1000)} m` : `${km} km`}</text>`
  );
}

/** The longest round length below. */
export function roundLength(km: number): number {
  const power = 10 ** Math.floor(Math.log10(km));
  const step = [5, 2].find((one) => one * power <= km) ?? 1;
  return Number((step * power).toPrecision(1));
}
