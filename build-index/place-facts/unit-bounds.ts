/**
 * The bounds of the units of a country: the smallest box around the reliable positions of their localities. A pole is no
 * such position: a release puts the code of Santa Claus there, and Quebec doesn't reach it.
 */

import { DEGREE_PARTS } from '../../src/core/snapshot/place-facts.js';
import { isCoarsePositionAt } from '../../src/core/snapshot/place-positions.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { LOCALITY_TYPE } from '../../src/core/snapshot/place-type.js';
import { appendToGroup } from '../ordering/grouping.js';

/** Latitude of a pole in degrees, north or south. */
const POLE = 90;

interface PlacedLeaves {
  readonly parents: Uint32Array;
  /** Indexes into PLACE_TYPES. */
  readonly types: ArrayLike<number>;
  /** Indexes into POSITION_SOURCES. */
  readonly sources: Uint8Array;
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
}

/** `units` ascend; `bounds` has four numbers for each, see src/core/snapshot/place-facts.ts. */
interface UnitBounds {
  readonly units: Uint32Array;
  readonly bounds: Int32Array;
}

export function findBounds({ parents, types, sources, latitudes, longitudes }: PlacedLeaves): UnitBounds {
  const boxes = new Map<number, Box>();
  const eachSureLeaf = (visit: (unit: number, longitude: number, latitude: number) => void): void => {
    for (let leaf = 0; leaf < parents.length; leaf++) {
      const latitude = latitudes[leaf] as number;
      if (types[leaf] !== LOCALITY_TYPE || isCoarsePositionAt(sources, leaf) || Math.abs(latitude) === POLE) continue;
      for (let unit = parents[leaf] as number; unit !== NO_PARENT; unit = parents[unit] as number) {
        visit(unit, longitudes[leaf] as number, latitude);
      }
    }
  };
  eachSureLeaf((unit, longitude, latitude) => {
    const box = boxes.get(unit);
    if (box === undefined) boxes.set(unit, { west: longitude, south: latitude, east: longitude, north: latitude });
    else extend(box, longitude, latitude);
  });
  const wide = new Map<number, number[]>();
  const isWide = ({ west, east }: Box): boolean => east - west > 180;
  if ([...boxes.values()].some(isWide)) {
    eachSureLeaf((unit, longitude) => {
      if (isWide(boxes.get(unit) as Box)) appendToGroup(wide, unit, longitude);
    });
  }
  for (const [unit, all] of wide) Object.assign(boxes.get(unit) as Box, acrossAntimeridian(all));
  const units = Uint32Array.from(boxes.keys()).sort();
  return { units, bounds: Int32Array.from(Array.from(units, (unit) => partsOf(boxes.get(unit) as Box)).flat()) };
}

interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}

function extend(box: Box, longitude: number, latitude: number): void {
  if (longitude < box.west) box.west = longitude;
  if (longitude > box.east) box.east = longitude;
  if (latitude < box.south) box.south = latitude;
  if (latitude > box.north) box.north = latitude;
}

/** The shortest arc with all longitudes, which span more than 180 degrees: all but the widest gap between two. */
function acrossAntimeridian(longitudes: readonly number[]): Pick<Box, 'west' | 'east'> {
  const sorted = Float64Array.from(longitudes).sort();
  const last = sorted.length - 1;
  let arc = { west: sorted[0] as number, east: sorted[last] as number };
  let widest = 360 - (arc.east - arc.west);
  for (let at = 1; at <= last; at++) {
    const [before, after] = [sorted[at - 1] as number, sorted[at] as number];
    if (after - before <= widest) continue;
    widest = after - before;
    arc = { west: after, east: before };
  }
  return arc;
}

/** Rounded outwards where the release has more decimals. */
function partsOf({ west, south, east, north }: Box): number[] {
  const round = (degrees: number, outwards: (value: number) => number): number => {
    const nearest = Math.round(degrees * DEGREE_PARTS);
    return nearest / DEGREE_PARTS === degrees ? nearest : outwards(degrees * DEGREE_PARTS);
  };
  return [round(west, Math.floor), round(south, Math.floor), round(east, Math.ceil), round(north, Math.ceil)];
}
