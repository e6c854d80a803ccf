/**
 * The map of a country as a file: its codes as light on its land, and the land of its neighbours. Parts far out, such as
 * Alaska and Hawaii, stand below in frames of their own, each in its own scale. Browsers keep one image for all pages of
 * a country: 1 to 14 kB compressed. There are no tiles.
 *
 * Within a country longitudes are counted within 180 degrees of the middle of its largest piece of land, so that Fiji
 * and Russia are in one piece.
 */

import { oncePer } from '../../base/once-per.js';
import type { Position } from '../../core/snapshot/sphere.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import { clippedRings, STEPS } from './clipped-paths.js';
import { FOREIGN_LAND, FRAME, GLOW, LAND, LightGrid, type Lights, lightsOf, SEA, SHORE } from './lights.js';
import { packagedMapFeatures } from './map-features.js';
import { type MapSpot, MapWindow, shrinkAt, turn } from './map-window.js';
import {
  type Bounds,
  joinOutlineBounds,
  middleOf,
  type Outlines,
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
/** Least height of a map with an outline, in degrees, about 22 km: outlines are too coarse for smaller maps. */
const LEAST_OUTLINED = 0.2;

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
  if (part.north - part.south < LEAST_OUTLINED) return part;
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

/** A part of a country, and where it stands on the drawing, in units. */
interface Panel extends MapSpot {
  readonly window: MapWindow;
}

export interface CountryMap {
  /** In units. */
  readonly width: number;
  readonly height: number;
  /** The map as a file. */
  readonly svg: string;
  /** Where a point is on the drawing, and units per degree there; undefined where it is on none of the parts. */
  find(point: Position): (MapSpot & { readonly unitsX: number; readonly unitsY: number }) | undefined;
}

/** Width of the drawing, and the least and most height of its main part, in units. */
const WIDTH = 400;
const LEAST_HEIGHT = 240;
const MOST_HEIGHT = 420;
/** The longer side of the map of a far part, in units. */
const PART_SIZE = 112;
/** Space around the outermost points: in the main map, and in that of a part. */
const MAIN_MARGIN = 16;
const PART_MARGIN = 10;
/** Height of the map of a single point, in degrees of latitude. */
const LEAST_SPAN = 0.05;
/** Distance of the frames of parts from each other and from the edge of the drawing, in units. */
const GAP = 8;
/** Side of a cell of light in units, by the number of points: a few must be large to be visible. */
const CELL_SIZES: readonly (readonly [pointCount: number, cell: number])[] = [
  [10, 16],
  [100, 10],
  [300, 6],
  [2_000, 4],
  [6_000, 3],
  [Infinity, 2.5],
];
/** Maximum rank of the lakes on a map: the IJsselmeer has 2. */
const LAKE_RANK = 3;

/** A country's map, drawn at its first use in up to 10 ms (prepare-snapshot.ts uses it before requests do). */
export const countryMapOf = oncePer(
  (country: CoveredCountry): CountryMap => drawCountryMap(lightsOf(country), packagedOutlines(), country.entry.code),
);

/** `lights` are those of the country with this code. */
export function drawCountryMap(lights: Lights, outlines: Outlines, code: string): CountryMap {
  const panels = placePanels(findCountryMapParts(lights.coords, outlines.ringsOf(code)));
  const { height } = (panels[0] as Panel).window;
  const [, cell] = CELL_SIZES.find(([most]) => lights.coords.length / 2 <= most) as readonly [number, number];
  const drawings = panels.map(({ x, y, window }, at) => {
    const size = `width="${window.width}" height="${window.height}"`;
    const frame = at === 0 ? '' : `<rect x="${x}" y="${y}" ${size} rx="4" fill="none" stroke="${FRAME}"/>`;
    // An element `svg` clips what goes beyond it.
    return (
      `<svg x="${x}" y="${y}" ${size}><rect ${size} fill="${SEA}"/>${drawLand(window, outlines, code)}` +
      `${new LightGrid(window.width, window.height, cell).add(lights, (point) => window.locate(point)).draw()}</svg>${frame}`
    );
  });
  return {
    width: WIDTH,
    height,
    svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}">${GLOW}${drawings.join('')}</svg>`,
    find(point) {
      for (const { x, y, window } of panels.toReversed()) {
        const spot = window.find(point);
        const { unitsX, unitsY } = window;
        if (spot !== undefined) return { x: x + spot.x, y: y + spot.y, unitsX, unitsY };
      }
      return undefined;
    },
  };
}

/**
 * The main part, which fills the drawing, and the far parts side by side on its lower end, which is free of points. The
 * map of a damaged file without points is empty.
 */
function placePanels([main = { west: 0, east: 0, south: 0, north: 0 }, ...far]: readonly Bounds[]): readonly Panel[] {
  const parts: Panel[] = [];
  let [x, y, rowHeight] = [GAP, 0, 0];
  for (const part of far) {
    const window = windowOn(part, PART_SIZE, PART_SIZE, PART_MARGIN);
    if (x + window.width + GAP > WIDTH) [x, y, rowHeight] = [GAP, y + rowHeight + GAP, 0];
    parts.push({ window, x, y });
    x += window.width + GAP;
    rowHeight = Math.max(rowHeight, window.height);
  }
  const rows = parts.length === 0 ? 0 : y + rowHeight + GAP;
  const { unitsY } = windowOn(main, WIDTH, MOST_HEIGHT, MAIN_MARGIN);
  const whole = windowOn({ ...main, south: main.south - rows / unitsY }, WIDTH, MOST_HEIGHT + rows, MAIN_MARGIN);
  const height = Math.max(LEAST_HEIGHT, whole.height);
  const window = new MapWindow(WIDTH, height, whole.centre, whole.unitsY);
  return [{ window, x: 0, y: 0 }, ...parts.map((part) => ({ ...part, y: height - rows + part.y }))];
}

/** The window on these bounds, as large as fits; its shorter side is half of the longer one at least. */
function windowOn({ west, east, south, north }: Bounds, width: number, height: number, margin: number): MapWindow {
  const centre = { latitude: (south + north) / 2, longitude: (west + east) / 2 };
  const [spanX, spanY] = [
    Math.max((east - west) * shrinkAt(centre.latitude), LEAST_SPAN),
    Math.max(north - south, LEAST_SPAN),
  ];
  const scale = Math.min((width - 2 * margin) / spanX, (height - 2 * margin) / spanY);
  const sideOf = (span: number): number => Math.round(Math.max(width / 2, span * scale + 2 * margin));
  return new MapWindow(sideOf(spanX), sideOf(spanY), centre, scale);
}

/** The land of the country and of others, with lines between them. */
function drawLand(window: MapWindow, outlines: Outlines, code: string): string {
  const { width, height, bounds } = window;
  if (bounds.north - bounds.south < LEAST_OUTLINED) return `<path fill="${LAND}" d="M0 0h${width}v${height}H0z"/>`;
  const lakes = packagedMapFeatures().lake.filter(({ rank }) => rank <= LAKE_RANK);
  return (
    `<g transform="scale(${1 / STEPS})" fill-rule="evenodd" stroke="${SHORE}"><path fill="${FOREIGN_LAND}" d="${clippedRings(outlines.ringsBeside(code), window)}"/>` +
    `<path fill="${LAND}" d="${clippedRings(outlines.ringsOf(code), window)}"/><path fill="${SEA}" stroke="none" d="${clippedRings(lakes, window)}"/></g>`
  );
}
