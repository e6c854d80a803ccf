/** The small map of the country in a corner of a map, with the window, or where it is small a dot, on it. */
import type { CountryMap, MapSpot } from './country-map.js';
import type { LabelBox } from './dot-labels.js';
import type { MapWindow } from './map-window.js';

/** Of its longer side, and its distance to the edges of the map, in units. */
const SIZE = 84;
const MARGIN = 6;
/** A window of fewer cells of the country's map on its longer side is shown as a dot. */
const LEAST_CELLS = 5;
/** Of a linked dot, beside one that is not. */
const DOT_WEIGHT = 4;

export interface Locator {
  readonly box: LabelBox;
  readonly map: CountryMap;
  /** The window on the country's map, in its cells. */
  readonly mark: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/**
 * In the corner that hides the fewest dots; the lower left has the scale bar. Undefined where the country's map does not
 * show the middle of the window, or shows little more than the window.
 */
export function placeLocator(
  map: CountryMap,
  window: MapWindow,
  dots: readonly MapSpot[],
  others: readonly MapSpot[],
): Locator | undefined {
  const mark = markOf(map, window);
  if (mark === undefined) return undefined;
  const scale = SIZE / Math.max(map.width, map.height);
  const [width, height] = [map.width * scale, map.height * scale];
  const [right, bottom] = [window.width - MARGIN, window.height - MARGIN];
  const boxes = [
    { left: right - width, right, top: bottom - height, bottom },
    { left: right - width, right, top: MARGIN, bottom: MARGIN + height },
    { left: MARGIN, right: MARGIN + width, top: MARGIN, bottom: MARGIN + height },
  ];
  const hidden = boxes.map((box) => DOT_WEIGHT * countIn(box, dots) + countIn(box, others));
  return { box: boxes[hidden.indexOf(Math.min(...hidden))] as LabelBox, map, mark };
}

function countIn({ left, right, top, bottom }: LabelBox, spots: readonly MapSpot[]): number {
  let count = 0;
  for (const { x, y } of spots) if (x >= left && x <= right && y >= top && y <= bottom) count++;
  return count;
}

function markOf(map: CountryMap, window: MapWindow): Locator['mark'] | undefined {
  const { west, east, south, north } = window.bounds;
  const centre = map.locate({ latitude: (south + north) / 2, longitude: (west + east) / 2 });
  if (centre === undefined) return undefined;
  const { unitsPerDegree } = centre;
  const [width, height] = [(east - west) * unitsPerDegree.x, (north - south) * unitsPerDegree.y];
  if (width > map.width * 0.9 || height > map.height * 0.9) return undefined;
  return { x: centre.x - width / 2, y: centre.y - height / 2, width, height };
}

export function drawLocator({ box, map, mark }: Locator, href: string): string {
  const [x, y] = [Math.round(box.left), Math.round(box.top)];
  const [width, height] = [Math.round(box.right - box.left), Math.round(box.bottom - box.top)];
  const round = (value: number): number => Math.round(value * 10) / 10;
  const isSmall = Math.max(mark.width, mark.height) < LEAST_CELLS;
  const [middleX, middleY] = [round(mark.x + mark.width / 2), round(mark.y + mark.height / 2)];
  const drawnMark = isSmall
    ? `<path class="spot" d="M${middleX} ${middleY}h0"/>`
    : `<rect class="view" x="${round(mark.x)}" y="${round(mark.y)}" width="${round(mark.width)}" height="${round(mark.height)}"/>`;
  return (
    `<svg x="${x}" y="${y}" width="${width}" height="${height}" viewBox="0 0 ${map.width} ${map.height}">` +
    `<rect class="corner" width="${map.width}" height="${map.height}"/>` +
    `<image href="${href}" width="${map.width}" height="${map.height}"/>${drawnMark}</svg>`
  );
}
