/**
 * The map of a country as a file: its outline, faint, and its points as dots on a grid, one dot for each cell that has a
 * point. Its parts far out, such as Alaska and Hawaii, stand in frames of their own below, each in its own scale. All
 * is one grey that is seen on light and on dark pages, so browsers keep one image for all pages of a country: 1 to 20 kB
 * before compression. There are no tiles and no lines between countries.
 */
import type { PointTier } from '../../format/point-index.js';
import type { Position } from '../../format/spherical-mean.js';
import { findParts } from './country-parts.js';
import { landPath } from './land.js';
import { GREY, LAND_STYLE } from './land-cell.js';
import type { Ring } from './outlines.js';
import { type Projection, project } from './projection.js';

/** A place on the drawing, in cells. */
export interface MapSpot {
  readonly x: number;
  readonly y: number;
}

/** A part of a country with its own projection, and where it stands on the drawing, in cells. */
interface Panel extends MapSpot {
  readonly projection: Projection;
  /** Space to the right and below that stays free, in cells. */
  readonly edge: number;
}

export interface CountryMap {
  /** In cells. */
  readonly width: number;
  readonly height: number;
  /** The map as a file. */
  readonly svg: string;
  /** Where a point is on the drawing; undefined where it is on none of the parts. */
  locate(point: Position): PartSpot | undefined;
}

/** A place on a part of the drawing, and the scale of the part. */
export interface PartSpot extends MapSpot {
  readonly unitsPerDegree: MapSpot;
}

/** The longer side of the main map, in cells, and the space around its outermost points. */
const MAIN_ROOM = { longest: 84, margin: 1.5 };
const PART_ROOM = { longest: 25, margin: 2 };
/** Between parts, in cells. */
const GAP = 2;
/** Between the frames of parts and the edge of the drawing, in cells: pages round off the corners of a drawing. */
const EDGE = 1;
/** Steps of the outline in a cell. */
const FINENESS = 6;
/**
 * Width in cells and opacity of a dot, by the number of dots: a few must be large to be visible, and of many names must
 * be readable upon them.
 */
const DOT_STYLES: readonly (readonly [number, string])[] = [
  [60, 'stroke-width="1.8"'],
  [300, 'stroke-width="1.2"'],
  [Infinity, 'stroke-width=".72" stroke-opacity=".6"'],
];

/** A map is narrower than this many degrees where the outline is not precise enough for it: about 40 km. */
const LEAST_OUTLINED = 0.4;

/** `coords` are the points of the country, and `rings` its outline. */
export function drawCountryMap({ coords }: Pick<PointTier, 'coords'>, rings: readonly Ring[]): CountryMap {
  const panels = placePanels(findParts(coords, rings).map(projectPart));
  const width = Math.max(...panels.map(({ x, projection, edge }) => x + projection.width + edge));
  const height = Math.max(...panels.map(({ y, projection, edge }) => y + projection.height + edge));
  const drawings = panels.map((panel) => fillPanel(panel, coords));
  const dotCount = drawings.reduce((sum, filled) => sum + filled.reduce((inPanel, one) => inPanel + one, 0), 0);
  const [, dotStyle] = DOT_STYLES.find(([most]) => dotCount <= most) as readonly [number, string];
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">` +
    panels.map((panel, at) => drawPanel(panel, at > 0, rings, drawings[at] as Uint8Array, dotStyle)).join('') +
    '</svg>';
  return {
    width,
    height,
    svg,
    locate: (point) => {
      const panel = panels.find(({ projection }) => isOn(projection, point));
      if (panel === undefined) return undefined;
      const { projection, x, y } = panel;
      const { unitsPerDegree } = projection;
      return { x: x + projection.x(point.longitude), y: y + projection.y(point.latitude), unitsPerDegree };
    },
  };
}

function projectPart(bounds: Projection['bounds'], at: number): Projection {
  return project(bounds, at === 0 ? MAIN_ROOM : PART_ROOM);
}

/** The far parts side by side below the main one. */
function placePanels([main, ...parts]: readonly Projection[]): readonly Panel[] {
  // Without a point, which only a damaged file has, the map is empty.
  const first = main ?? project({ west: 0, east: 0, south: 0, north: 0 }, MAIN_ROOM);
  const panels: Panel[] = [{ projection: first, x: 0, y: 0, edge: 0 }];
  const rowWidth = Math.max(first.width, MAIN_ROOM.longest);
  let [x, y, rowHeight] = [EDGE, first.height + GAP, 0];
  for (const projection of parts) {
    if (x + projection.width + EDGE > rowWidth) [x, y, rowHeight] = [EDGE, y + rowHeight + GAP, 0];
    panels.push({ projection, x, y, edge: EDGE });
    x += projection.width + GAP;
    rowHeight = Math.max(rowHeight, projection.height);
  }
  return panels;
}

function isOn({ width, height, x, y }: Projection, { latitude, longitude }: Position): boolean {
  const [column, row] = [x(longitude), y(latitude)];
  return column >= 0 && column <= width && row >= 0 && row <= height;
}

/** The cells that have a point. In a damaged file a point can lie anywhere: outside of the map it fills nothing. */
function fillPanel({ projection: { width, height, x, y } }: Panel, coords: Float64Array): Uint8Array {
  const filled = new Uint8Array(width * height);
  for (let at = 0; at < coords.length; at += 2) {
    const [column, row] = [Math.floor(x(coords[at] as number)), Math.floor(y(coords[at + 1] as number))];
    if (column >= 0 && column < width && row >= 0 && row < height) filled[row * width + column] = 1;
  }
  return filled;
}

function drawPanel(
  { x, y, projection: { width, height, bounds } }: Panel,
  isFramed: boolean,
  rings: readonly Ring[],
  filled: Uint8Array,
  dotStyle: string,
): string {
  const isOutlined = bounds.north - bounds.south >= LEAST_OUTLINED;
  const land = isOutlined ? landPath(rings, bounds, width * FINENESS, height * FINENESS) : '';
  const frame = `<rect width="${width}" height="${height}" rx="1" fill="none" stroke="${GREY}" stroke-width=".25"/>`;
  return (
    `<g transform="translate(${x} ${y})">${isFramed ? frame : ''}` +
    (land === '' ? '' : `<path transform="scale(${1 / FINENESS})" ${LAND_STYLE} d="${land}"/>`) +
    `<path fill="none" stroke="${GREY}" stroke-linecap="round" stroke-dasharray="0 1" ${dotStyle} d="${dotsPath(filled, width)}"/></g>`
  );
}

/**
 * A line for each run of filled cells in a row, which dashes of no length with round ends make dots. It ends a little
 * behind its last dot, so that no rounding loses this one. Moves are relative, and so short.
 */
function dotsPath(filled: Uint8Array, width: number): string {
  let path = '';
  // Of the dot before.
  let [column, row] = [0, -1];
  for (let cell = 0; cell < filled.length; ) {
    const start = cell;
    const [startColumn, startRow] = [start % width, Math.floor(start / width)];
    const rowEnd = start - startColumn + width;
    while (cell < rowEnd && filled[cell] === 1) cell++;
    const dotCount = cell - start;
    if (dotCount === 0) {
      cell++;
      continue;
    }
    path += startRow === row ? `m${startColumn - column - 1}.9 0` : `M${startColumn + 0.5} ${startRow + 0.5}`;
    path += `h${dotCount - 1}.1`;
    [column, row] = [startColumn + dotCount - 1, startRow];
  }
  return path;
}
