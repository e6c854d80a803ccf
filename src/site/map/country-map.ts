/**
 * The map of a country as a file: its outline, faint, and its points as dots on a grid, one dot for each cell that has a
 * point. Its parts far out, such as Alaska and Hawaii, stand in frames of their own below, each in its own scale. All
 * is one grey that is seen on light and on dark pages, so browsers keep one image for all pages of a country: 1 to 20 kB
 * before compression. There are no tiles and no lines between countries.
 */

import type { PointTier } from '../../core/snapshot/point-index.js';
import type { Position } from '../../core/snapshot/sphere.js';
import { type Bounds, eastOf, hasLand, landPath, type Projection, project, type Ring } from './land.js';

/*
 * The parts of a country, each with a map of its own: the part with the most points, and up to four that lie far from
 * it, such as Alaska, Hawaii or the Azores. Points belong together where the way between them has no gap of more than
 * LINK degrees; a group joins the main part unless that would make the main map mostly empty. Costs a millisecond for
 * the first map of a country.
 */

/** Maximum distance of two cells of a degree that belong together, in degrees of latitude: Alaska is 7 from Seattle. */
const LINK = 4;
/** Maximum area of the main map with a group of points that joins it, as a multiple of its area without. */
const GROWTH = 1.6;
/** Maximum number of parts beside the main one: more would be too small to see. */
const MAX_FAR_PARTS = 4;
/** Number of points from which a far group is no mistake in the data, wherever it lies. */
const SURE_COUNT = 10;
const COLUMNS = 360;
const ROWS = 181;

interface Group extends Bounds {
  readonly count: number;
}

/**
 * The bounds of the parts, the main one first. `coords` are longitude and latitude of each point, and `rings` the
 * outline of the country. A far group of a few points counts only if land lies in its bounds: elsewhere their
 * coordinates are mistakes.
 */
export function findParts(coords: Float64Array, rings: readonly Ring[]): readonly Bounds[] {
  const [first, ...others] = groupsOf(coords).sort((a, b) => b.count - a.count);
  if (first === undefined) return [];
  let main: Bounds = first;
  const far: Bounds[] = [];
  for (const group of others) {
    if (group.count < SURE_COUNT && !hasLand(rings, group)) continue;
    const joined = join(main, group);
    if (areaOf(joined) <= GROWTH * areaOf(first)) main = joined;
    else if (far.length < MAX_FAR_PARTS) far.push(group);
  }
  return [main, ...far].map((part) => withLand(part, rings));
}

/** Islands and coasts without a point are on the map too, unless that would leave it mostly empty. */
function withLand(part: Bounds, rings: readonly Ring[]): Bounds {
  let bounds = part;
  for (const ring of rings) {
    const joined = hasLand([ring], part) ? join(bounds, ring) : bounds;
    if (areaOf(joined) <= GROWTH * areaOf(part)) bounds = joined;
  }
  return bounds;
}

/** Groups of points without a wide gap, with their bounds. */
function groupsOf(coords: Float64Array): Group[] {
  const groupOfCell = new Int32Array(COLUMNS * ROWS).fill(-1);
  const cells: number[] = [];
  for (let at = 0; at < coords.length; at += 2) {
    const cell = cellOf(coords[at] as number, coords[at + 1] as number);
    if (cell === undefined || groupOfCell[cell] !== -1) continue;
    groupOfCell[cell] = 0;
    cells.push(cell);
  }
  // Cells with points have the number 0 until their group is known.
  let groupCount = 0;
  for (const cell of cells) if (groupOfCell[cell] === 0) spread(groupOfCell, cell, ++groupCount);
  return boundsOfGroups(coords, groupOfCell, groupCount);
}

/** In a damaged file a coordinate can be any number. */
function cellOf(longitude: number, latitude: number): number | undefined {
  const row = Math.floor(latitude + 90);
  if (!(row >= 0 && row < ROWS && Math.abs(longitude) <= 360)) return undefined;
  return row * COLUMNS + (Math.floor(eastOf(longitude, -180)) % COLUMNS);
}

/** Gives the number of a group to a cell and to all that belong to it. */
function spread(groupOfCell: Int32Array, first: number, group: number): void {
  groupOfCell[first] = group;
  const waiting = [first];
  for (let cell = waiting.pop(); cell !== undefined; cell = waiting.pop()) {
    const [row, column] = [Math.floor(cell / COLUMNS), cell % COLUMNS];
    const across = Math.min(COLUMNS / 2, Math.ceil(LINK / Math.max(0.05, Math.cos(((row - 90) * Math.PI) / 180))));
    for (let nextRow = Math.max(0, row - LINK); nextRow <= Math.min(ROWS - 1, row + LINK); nextRow++) {
      for (let step = -across; step <= across; step++) {
        const next = nextRow * COLUMNS + ((column + step + COLUMNS) % COLUMNS);
        if (groupOfCell[next] !== 0) continue;
        groupOfCell[next] = group;
        waiting.push(next);
      }
    }
  }
}

function boundsOfGroups(coords: Float64Array, groupOfCell: Int32Array, groupCount: number): Group[] {
  const edges = westernEdges(groupOfCell, groupCount);
  const groups = edges.map(() => ({ west: Infinity, east: -Infinity, south: Infinity, north: -Infinity, count: 0 }));
  for (let at = 0; at < coords.length; at += 2) {
    const [longitude, latitude] = [coords[at] as number, coords[at + 1] as number];
    const cell = cellOf(longitude, latitude);
    const number = cell === undefined ? -1 : (groupOfCell[cell] as number) - 1;
    const [group, edge] = [groups[number], edges[number]];
    if (group === undefined || edge === undefined) continue;
    const east = edge + eastOf(longitude, edge);
    group.west = Math.min(group.west, east);
    group.east = Math.max(group.east, east);
    group.south = Math.min(group.south, latitude);
    group.north = Math.max(group.north, latitude);
    group.count++;
  }
  return groups;
}

/** For each group the longitude at which the widest stretch of cells without a point ends. */
function westernEdges(groupOfCell: Int32Array, groupCount: number): number[] {
  const columns = Array.from({ length: groupCount }, () => new Uint8Array(COLUMNS));
  for (let cell = 0; cell < groupOfCell.length; cell++) {
    const group = groupOfCell[cell] as number;
    if (group > 0) (columns[group - 1] as Uint8Array)[cell % COLUMNS] = 1;
  }
  return columns.map((filled) => {
    let [edge, widest, gap] = [0, 0, 0];
    // Twice around, so that a stretch across the start is seen whole.
    for (let step = 0; step < 2 * COLUMNS; step++) {
      const column = step % COLUMNS;
      if (filled[column] === 1) {
        if (gap > widest) [edge, widest] = [column, gap];
        gap = 0;
      } else gap++;
    }
    return edge - 180;
  });
}

/** The least bounds of both. */
function join(a: Bounds, b: Bounds): Bounds {
  const turn = 360 * Math.round((a.west + a.east - b.west - b.east) / 720);
  return {
    west: Math.min(a.west, b.west + turn),
    east: Math.max(a.east, b.east + turn),
    south: Math.min(a.south, b.south),
    north: Math.max(a.north, b.north),
  };
}

/** In square degrees at the equator. A degree more on each side keeps a single point from having none. */
function areaOf({ west, east, south, north }: Bounds): number {
  const shrink = Math.max(0.05, Math.cos((((south + north) / 2) * Math.PI) / 180));
  return ((east - west) * shrink + 1) * (north - south + 1);
}

/*
 * The outline of a country behind the map of a place, as a file of its own: the world is divided into square cells at
 * each of LEVEL_COUNT levels, each level's half as wide as the level's before, beginning every half cell. So each window
 * lies within a cell that is at most four times as wide: a map loads one file, and browsers keep it for the maps around.
 * A file has at most 28 kB.
 */

/** Cells of the last level are 1.4 degrees wide, for windows of 0.7 degrees and less. */
const LEVEL_COUNT = 9;
/** Of a file, in units: a window has a quarter of them at least. */
const UNITS = 800;
/** Seen on light and on dark pages. */
export const GREY = '#8b93a1';
/** Faint on light and on dark pages. The holes of a country, such as Lesotho in South Africa, are rings as well. */
export const LAND_STYLE = `fill="${GREY}" fill-opacity=".22" fill-rule="evenodd"`;

export interface LandCell {
  /** As part of an address: level, column and row. */
  readonly name: string;
  readonly bounds: Bounds;
}

/** The smallest cell that contains the window; undefined for a window wider than any, or if nothing is drawn in it. */
export function findLandCell(window: Bounds, rings: readonly Ring[]): LandCell | undefined {
  const extent = Math.max(window.east - window.west, window.north - window.south);
  const level = Math.min(LEVEL_COUNT - 1, Math.floor(Math.log2(180 / extent)));
  if (!(level >= 0) || !hasLand(rings, window)) return undefined;
  const step = stepOf(level);
  const columns = 360 / step;
  const column = Math.floor((window.west + 180) / step);
  const cell = cellAt(level, ((column % columns) + columns) % columns, Math.floor((90 - window.north) / step));
  const turns = 360 * Math.round((window.west - cell.bounds.west) / 360);
  const { west, east, south, north } = cell.bounds;
  return { name: cell.name, bounds: { west: west + turns, east: east + turns, south, north } };
}

/** The cell of this name; undefined if there is none. */
export function parseLandCell(name: string): LandCell | undefined {
  const [, level, column, row] = (/^(\d)-(\d{1,4})-(\d{1,4})$/.exec(name) ?? []).map(Number);
  if (level === undefined || column === undefined || row === undefined || level >= LEVEL_COUNT) return undefined;
  const step = stepOf(level);
  return column < 360 / step && row < 180 / step ? cellAt(level, column, row) : undefined;
}

export function drawLandCell({ bounds }: LandCell, rings: readonly Ring[]): string {
  const path = landPath(rings, bounds, UNITS, UNITS);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${UNITS} ${UNITS}" preserveAspectRatio="none"><path ${LAND_STYLE} d="${path}"/></svg>`;
}

/** Half of the width of a cell, in degrees. */
function stepOf(level: number): number {
  return 180 / 2 ** level;
}

function cellAt(level: number, column: number, row: number): LandCell {
  const step = stepOf(level);
  const [west, north] = [column * step - 180, 90 - row * step];
  return { name: `${level}-${column}-${row}`, bounds: { west, east: west + 2 * step, south: north - 2 * step, north } };
}

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
