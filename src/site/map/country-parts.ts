/**
 * The parts of a country, each with a map of its own: the part with the most points, and up to four that lie far from
 * it, such as Alaska, Hawaii or the Azores. Points belong together where the way between them has no gap of more than
 * LINK degrees; a group joins the main part unless that would make the main map mostly empty. Costs a millisecond for
 * the first map of a country.
 */
import { type Bounds, hasLand } from './land.js';
import type { Ring } from './outlines.js';
import { eastOf } from './projection.js';

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
