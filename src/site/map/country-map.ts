/**
 * The map of a country as a file: its outline, faint, and its points as dots on a grid, one dot for each cell that has
 * a point. Parts far out, such as Alaska and Hawaii, stand below in frames of their own, each in its own scale.
 * Everything is in one grey, visible on light and dark pages, so browsers keep one image for all pages of a country: 1
 * to 20 kB before compression. There are no tiles and no lines between countries.
 *
 * Within a country longitudes are counted within 180 degrees of the middle of its largest piece of land, so that Fiji
 * and Russia are in one piece.
 */

import { oncePer } from '../../base/once-per.js';
import { POINT_TIERS, type PointTier, pointTier } from '../../core/snapshot/point-index.js';
import type { Position } from '../../core/snapshot/sphere.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import { type MapSpot, MapWindow, shrinkAt, turn } from './map-window.js';
import {
  type Bounds,
  drawOutlineRings,
  GREY,
  joinOutlineBounds,
  middleOf,
  overlapsOutline,
  packagedOutlines,
  type Ring,
} from './outlines.js';

/** Maximum gap between points that belong together, in degrees of latitude: Alaska is 7 from Seattle. */
const LINK = 4;
/** Maximum growth of the main map's area by a group of points that joins it: a factor. */
const GROWTH = 1.6;
/** Maximum number of parts beside the main one: more would be too small to see. */
const MAX_FAR_PARTS = 4;
/** Number of points from which on a far group counts wherever it lies; fewer could be mistakes in the data. */
const SURE_COUNT = 10;
const COLUMNS = 360;

/** Points and their bounds, which grow. */
interface Group {
  west: number;
  south: number;
  east: number;
  north: number;
  count: number;
}

/**
 * The bounds of the parts of a country, each with a map of its own: the part with the most points, and up to four that
 * lie far from it. `coords` are longitude and latitude of each point, and `rings` the outline of the country. Points
 * belong together where the way between them has no gap of more than LINK degrees; a group joins the main part unless
 * that would make the main map mostly empty. A far group of a few points counts only if land lies in its bounds:
 * elsewhere their coordinates are mistakes. Costs a millisecond for the first map of a country.
 */
export function findCountryMapParts(coords: Float64Array, rings: readonly Ring[]): readonly Bounds[] {
  const middle = rings.length > 0 ? middleOf(rings) : (coords[0] ?? 0);
  const [first, ...others] = groupsOf(cellsOf(coords, middle)).sort((a, b) => b.count - a.count);
  if (first === undefined) return [];
  let main: Bounds = first;
  const far: Bounds[] = [];
  for (const group of others) {
    if (group.count < SURE_COUNT && !rings.some((ring) => overlapsOutline(ring, group))) continue;
    const joined = joinOutlineBounds(main, group);
    if (areaOf(joined) <= GROWTH * areaOf(first)) main = joined;
    else if (far.length < MAX_FAR_PARTS) far.push(group);
  }
  return [main, ...far].map((part) => withLand(part, rings));
}

/** Islands and coasts without a point are on the map too, unless that would leave it mostly empty. */
function withLand(part: Bounds, rings: readonly Ring[]): Bounds {
  let bounds = part;
  for (const ring of rings) {
    const joined = overlapsOutline(ring, part) ? joinOutlineBounds(bounds, ring) : bounds;
    if (areaOf(joined) <= GROWTH * areaOf(part)) bounds = joined;
  }
  return bounds;
}

/** The points in each cell of a degree, by its number. In a damaged file a coordinate can be any number. */
function cellsOf(coords: Float64Array, middle: number): Map<number, Group> {
  const cells = new Map<number, Group>();
  for (let at = 0; at < coords.length; at += 2) {
    const [east, north] = [turn((coords[at] as number) - middle) + middle, coords[at + 1] as number];
    if (!(Math.abs(coords[at] as number) <= 360 && Math.abs(north) <= 90)) continue;
    const number = Math.floor(north + 90) * COLUMNS + Math.floor(east - middle + 180);
    const cell = cells.get(number);
    if (cell === undefined) cells.set(number, { west: east, east, south: north, north, count: 1 });
    else {
      cell.west = Math.min(cell.west, east);
      cell.east = Math.max(cell.east, east);
      cell.south = Math.min(cell.south, north);
      cell.north = Math.max(cell.north, north);
      cell.count++;
    }
  }
  return cells;
}

/** Joins the cells without a wide gap between them. */
function groupsOf(cells: Map<number, Group>): Group[] {
  const groups: Group[] = [];
  for (const [first, cell] of cells) {
    let group = cell;
    cells.delete(first);
    const waiting = [first];
    for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
      const [row, column] = [Math.floor(number / COLUMNS), number % COLUMNS];
      const across = Math.min(COLUMNS, Math.ceil(LINK / shrinkAt(row - 90)));
      for (let nextRow = row - LINK; nextRow <= row + LINK; nextRow++) {
        const start = nextRow * COLUMNS;
        const [from, to] = [Math.max(0, column - across), Math.min(COLUMNS - 1, column + across)];
        for (let next = start + from; next <= start + to; next++) {
          const near = cells.get(next);
          if (near === undefined) continue;
          group = { ...joinOutlineBounds(group, near), count: group.count + near.count };
          cells.delete(next);
          waiting.push(next);
        }
      }
    }
    groups.push(group);
  }
  return groups;
}

/** Area in square degrees at the equator. One degree is added to each side, so a single point has an area too. */
function areaOf({ west, east, south, north }: Bounds): number {
  return ((east - west) * shrinkAt((south + north) / 2) + 1) * (north - south + 1);
}

/** A part of a country, and where it stands on the drawing, in cells. */
interface Panel extends MapSpot {
  readonly window: MapWindow;
  /** Space to the right and below that stays free, in cells. */
  readonly edge: number;
}

export interface CountryMap {
  /** In cells. */
  readonly width: number;
  readonly height: number;
  /** The map as a file. */
  readonly svg: string;
  /** Where a point is on the drawing, and units per degree there; undefined where it is on none of the parts. */
  find(point: Position): (MapSpot & { readonly unitsX: number; readonly unitsY: number }) | undefined;
}

/** The longer side of the main map, in cells, and the space around its outermost points. */
const MAIN_ROOM = { longest: 84, margin: 1.5 };
const PART_ROOM = { longest: 25, margin: 2 };
/** Height of the map of a single point, in degrees of latitude. */
const LEAST_SPAN = 0.05;
/** Distance between parts, in cells. */
const GAP = 2;
/** Distance of the frames of parts from the edge of the drawing, in cells: pages round off its corners. */
const EDGE = 1;
/** Number of steps of the outline in a cell. */
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
/** Least height of a map with an outline, in degrees, about 40 km: outlines are too coarse for smaller maps. */
const LEAST_OUTLINED = 0.4;

/** A country's map, drawn at its first use in up to 10 ms (prepare-snapshot.ts uses it before requests do). */
export const countryMapOf = oncePer(
  (country: CoveredCountry): CountryMap =>
    drawCountryMap(pointsToDraw(country), packagedOutlines().ringsOf(country.entry.code)),
);

/** The points of localities with reliable coordinates; all points, where a country has no such locality. */
function pointsToDraw({ structures: { points } }: CoveredCountry): Pick<PointTier, 'coords'> {
  const sure = pointTier(points, POINT_TIERS.indexOf('sure'));
  return sure.places.length > 0 ? sure : points;
}

/** `coords` are the points of the country, and `rings` its outline. */
export function drawCountryMap({ coords }: Pick<PointTier, 'coords'>, rings: readonly Ring[]): CountryMap {
  const panels = placePanels(findCountryMapParts(coords, rings));
  const width = Math.max(...panels.map(({ x, window, edge }) => x + window.width + edge));
  const height = Math.max(...panels.map(({ y, window, edge }) => y + window.height + edge));
  const cells = panels.map(({ window }) => cellsWithPoints(window, coords));
  const dotCount = cells.reduce((sum, filled) => sum + filled.reduce((inPanel, one) => inPanel + one, 0), 0);
  const [, dotStyle] = DOT_STYLES.find(([most]) => dotCount <= most) as readonly [number, string];
  const drawings = panels.map((panel, at) => drawPanel(panel, at > 0, rings, cells[at] as Uint8Array, dotStyle));
  return {
    width,
    height,
    svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${drawings.join('')}</svg>`,
    find(point) {
      for (const { x, y, window } of panels) {
        const spot = window.find(point);
        const { unitsX, unitsY } = window;
        if (spot !== undefined) return { x: x + spot.x, y: y + spot.y, unitsX, unitsY };
      }
      return undefined;
    },
  };
}

/** The main part, and the far parts side by side below it. The map of a damaged file without points is empty. */
function placePanels([main = { west: 0, east: 0, south: 0, north: 0 }, ...parts]: readonly Bounds[]): readonly Panel[] {
  const first = windowOn(main, MAIN_ROOM);
  const panels: Panel[] = [{ window: first, x: 0, y: 0, edge: 0 }];
  const rowWidth = Math.max(first.width, MAIN_ROOM.longest);
  let [x, y, rowHeight] = [EDGE, first.height + GAP, 0];
  for (const part of parts) {
    const window = windowOn(part, PART_ROOM);
    if (x + window.width + EDGE > rowWidth) [x, y, rowHeight] = [EDGE, y + rowHeight + GAP, 0];
    panels.push({ window, x, y, edge: EDGE });
    x += window.width + GAP;
    rowHeight = Math.max(rowHeight, window.height);
  }
  return panels;
}

/** A window on these bounds in cells; its shorter side is half of the longer one at least. */
function windowOn({ west, east, south, north }: Bounds, { longest, margin }: typeof MAIN_ROOM): MapWindow {
  const centre = { latitude: (south + north) / 2, longitude: (west + east) / 2 };
  const [spanX, spanY] = [(east - west) * shrinkAt(centre.latitude), north - south];
  const scale = (longest - 2 * margin) / Math.max(spanX, spanY, LEAST_SPAN);
  const sideOf = (span: number): number => Math.round(Math.max(longest / 2, Math.ceil(span * scale + 2 * margin)));
  return new MapWindow(sideOf(spanX), sideOf(spanY), centre, scale);
}

/** 1 for each cell that has a point. */
function cellsWithPoints(window: MapWindow, coords: Float64Array): Uint8Array {
  const { width, height } = window;
  const filled = new Uint8Array(width * height);
  for (let at = 0; at < coords.length; at += 2) {
    const { x, y } = window.locate({ longitude: coords[at] as number, latitude: coords[at + 1] as number });
    if (x >= 0 && x < width && y >= 0 && y < height) filled[Math.floor(y) * width + Math.floor(x)] = 1;
  }
  return filled;
}

function drawPanel(
  { x, y, window }: Panel,
  isFramed: boolean,
  rings: readonly Ring[],
  filled: Uint8Array,
  dotStyle: string,
): string {
  const { width, height, bounds } = window;
  const isOutlined = bounds.north - bounds.south >= LEAST_OUTLINED;
  const within = isOutlined ? rings.filter((ring) => overlapsOutline(ring, bounds)) : [];
  const land = drawOutlineRings(within, bounds, window.unitsX * FINENESS, window.unitsY * FINENESS);
  const frame = `<rect width="${width}" height="${height}" rx="1" fill="none" stroke="${GREY}" stroke-width=".25"/>`;
  // An element `svg` clips what goes beyond it.
  return (
    `<g transform="translate(${x} ${y})">${isFramed ? frame : ''}` +
    (land &&
      `<svg width="${width}" height="${height}" viewBox="0 0 ${width * FINENESS} ${height * FINENESS}">${land}</svg>`) +
    `<path fill="none" stroke="${GREY}" stroke-linecap="round" stroke-dasharray="0 1" ${dotStyle} d="${dotsPath(filled, width)}"/></g>`
  );
}

/**
 * A line for each run of filled cells in a row, which dashes of no length with round ends make dots. It ends a little
 * behind its last dot, so that no rounding loses this one.
 */
function dotsPath(filled: Uint8Array, width: number): string {
  let path = '';
  for (let cell = 0; cell < filled.length; cell++) {
    if (filled[cell] === 0) continue;
    const [column, row] = [cell % width, Math.floor(cell / width)];
    const start = cell;
    while (filled[cell + 1] === 1 && (cell + 1) % width !== 0) cell++;
    path += `M${column + 0.5} ${row + 0.5}h${cell - start}.1`;
  }
  return path;
}
