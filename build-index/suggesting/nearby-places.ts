/**
 * Finds places within SAME_NAME_KM of each other. Places are kept in cubic cells of that width around the earth, so a
 * search reads 27 cells anywhere on it, at the poles and the antimeridian too.
 */

import { kmBetween } from '../../src/core/snapshot/sphere.js';
import { appendToGroup } from '../ordering/grouping.js';

/**
 * Maximum distance of two places of the same name that are one suggestion, in km: about a suburb's width. Farther apart,
 * villages of one name are two villages.
 */
export const SAME_NAME_KM = 5;
const EARTH_RADIUS_KM = 6371;
const DEGREES = Math.PI / 180;
/** Number of places, of which nearly all names have fewer, that are compared without cells. */
const FEW = 16;
/** Cells on each side of the earth's centre, and one more for neighbours. */
const HALF_CELLS = Math.ceil(EARTH_RADIUS_KM / SAME_NAME_KM) + 1;
const CELLS = 2 * HALF_CELLS + 1;

interface Positions {
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
}

export class NearbyPlaces {
  private readonly added: number[] = [];
  private readonly cells = new Map<number, number[]>();

  constructor(private readonly positions: Positions) {}

  add(place: number): void {
    this.added.push(place);
    if (this.added.length <= FEW) return;
    // The first time, the few places before this one get their cells too.
    for (const one of this.cells.size === 0 ? this.added : [place]) {
      appendToGroup(this.cells, cellNumber(this.cellOf(one)), one);
    }
  }

  /** The nearest added place within SAME_NAME_KM; of places at the same distance the one with the lowest number. */
  nearest(place: number): number | undefined {
    let [nearest, least]: [number | undefined, number] = [undefined, SAME_NAME_KM];
    for (const other of this.added.length <= FEW ? this.added : this.listAround(place)) {
      const km = this.kmBetween(place, other);
      if (km > least || (km === least && nearest !== undefined && other > nearest)) continue;
      [nearest, least] = [other, km];
    }
    return nearest;
  }

  /** The added places in the cell of a place and in its neighbours. */
  private listAround(place: number): readonly number[] {
    const [x, y, z] = this.cellOf(place);
    const around: number[] = [];
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) {
        for (let dz = -1; dz <= 1; dz++) around.push(...(this.cells.get(cellNumber([x + dx, y + dy, z + dz])) ?? []));
      }
    }
    return around;
  }

  private kmBetween(place: number, other: number): number {
    const { latitudes, longitudes } = this.positions;
    return kmBetween(
      latitudes[place] as number,
      longitudes[place] as number,
      latitudes[other] as number,
      longitudes[other] as number,
    );
  }

  private cellOf(place: number): readonly [number, number, number] {
    const latitude = (this.positions.latitudes[place] as number) * DEGREES;
    const longitude = (this.positions.longitudes[place] as number) * DEGREES;
    const cellAt = (part: number): number => Math.floor((part * EARTH_RADIUS_KM) / SAME_NAME_KM) + HALF_CELLS;
    return [
      cellAt(Math.cos(latitude) * Math.cos(longitude)),
      cellAt(Math.cos(latitude) * Math.sin(longitude)),
      cellAt(Math.sin(latitude)),
    ];
  }
}

function cellNumber([x, y, z]: readonly [number, number, number]): number {
  return (x * CELLS + y) * CELLS + z;
}
