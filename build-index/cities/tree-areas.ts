/** Geometry of a tree's admin units: containment, the distance from a unit to a point, and a unit's centre. */

import { lowerBound } from '../../src/core/snapshot/binary-search.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { isLeafType, LOCALITY_TYPE } from '../../src/core/snapshot/place-type.js';
import { kmBetween, type Position } from '../../src/core/snapshot/sphere.js';
import { sortByKeys } from '../ordering/sort-keys.js';
import type { CountryTree } from '../tree/country-tree.js';

/** Kilometres per degree of latitude, rounded down so that a distance in degrees is never too small. */
export const KM_PER_DEGREE = 111;

/** Radius around a place, in km, in which isAtHome counts leaves. */
const HOME_KM = 30;
/** Minimum share of these leaves in the place's own root unit: below it the place's position is wrong. */
const HOME_SHARE = 0.1;

interface LeavesByLatitude {
  readonly leaves: Uint32Array;
  readonly leafLatitudes: Float64Array;
}

export class TreeAreas {
  private readonly middles = new Map<number, Position>();
  private sorted: LeavesByLatitude | undefined;

  constructor(private readonly tree: CountryTree) {}

  isLeaf(place: number): boolean {
    return isLeafType(this.tree.types[place]);
  }

  pathOf(place: number): string {
    return this.tree.paths[place] as string;
  }

  /** The outermost unit around a place, except units of which the release has only a code. */
  rootOf(place: number): number {
    const { parents, codeOnly } = this.tree;
    let root = place;
    for (let at = parents[root] as number; at !== NO_PARENT && !codeOnly.has(at); at = parents[at] as number) root = at;
    return root;
  }

  /** Whether `place` lies somewhere below `unit`. */
  isWithin(place: number, unit: number): boolean {
    const { parents } = this.tree;
    // A place's number is greater than its ancestors' numbers.
    for (let at = place; at > unit; ) {
      const parent = parents[at] as number;
      if (parent === unit) return true;
      if (parent === NO_PARENT) return false;
      at = parent;
    }
    return false;
  }

  /** The leaves below a unit; for a leaf, the leaf itself. */
  *leavesOf(place: number): Generator<number> {
    const { childStarts } = this.tree;
    // Numbers are breadth first, so the children of a range of places are a range too.
    for (let [start, end] = [place, place + 1]; start < end; ) {
      for (let at = start; at < end; at++) if (this.isLeaf(at)) yield at;
      [start, end] = [childStarts[start] as number, childStarts[end] as number];
    }
  }

  private countLeaves(place: number): number {
    let count = 0;
    for (const _ of this.leavesOf(place)) count++;
    return count;
  }

  /** From a point to a leaf, or to the nearest leaf of a unit, in km. */
  kmTo(latitude: number, longitude: number, place: number): number {
    const { latitudes, longitudes } = this.tree;
    const kmToLeaf = (leaf: number): number =>
      kmBetween(latitude, longitude, latitudes[leaf] as number, longitudes[leaf] as number);
    if (this.isLeaf(place)) return kmToLeaf(place);
    let nearest = Number.POSITIVE_INFINITY;
    for (const leaf of this.leavesOf(place)) nearest = Math.min(nearest, kmToLeaf(leaf));
    return nearest;
  }

  /** The share of a place's leaves that lie within `radiusKm` of a point. */
  shareWithin(place: number, { latitude, longitude }: Position, radiusKm: number): number {
    const { latitudes, longitudes } = this.tree;
    let [inside, count] = [0, 0];
    for (const leaf of this.leavesOf(place)) {
      count++;
      const km = kmBetween(latitude, longitude, latitudes[leaf] as number, longitudes[leaf] as number);
      if (km <= radiusKm) inside++;
    }
    return inside / count;
  }

  /** The localities within `radiusKm` of a point, ascending. */
  leavesAround(latitude: number, longitude: number, radiusKm: number): number[] {
    const { latitudes, longitudes } = this.tree;
    const { leaves, leafLatitudes } = this.byLatitude();
    const degrees = radiusKm / KM_PER_DEGREE;
    const start = lowerBound(0, leaves.length, (at) => (leafLatitudes[at] as number) < latitude - degrees);
    // Degrees of longitude are the shortest at the latitude of the circle that is nearest to a pole.
    const shrinking = Math.max(0, Math.cos(((Math.abs(latitude) + degrees) * Math.PI) / 180));
    const found: number[] = [];
    for (let at = start; at < leaves.length; at++) {
      const leaf = leaves[at] as number;
      if ((leafLatitudes[at] as number) > latitude + degrees) break;
      const east = Math.abs((longitudes[leaf] as number) - longitude);
      if (Math.min(east, 360 - east) * shrinking > degrees) continue;
      const km = kmBetween(latitude, longitude, latitudes[leaf] as number, longitudes[leaf] as number);
      if (km <= radiusKm) found.push(leaf);
    }
    return found.sort((a, b) => a - b);
  }

  /**
   * The nearest locality within `radiusKm` of a point, of several the first one; undefined where there is none. Looks north
   * and south of the point, no farther than the nearest one so far.
   */
  nearestLeaf(latitude: number, longitude: number, radiusKm: number): number | undefined {
    const { longitudes } = this.tree;
    const { leaves, leafLatitudes } = this.byLatitude();
    let [nearest, leastKm]: [number | undefined, number] = [undefined, radiusKm];
    const isNear = (at: number): boolean => {
      const [leaf, leafLatitude] = [leaves[at], leafLatitudes[at] as number];
      if (leaf === undefined || Math.abs(leafLatitude - latitude) * KM_PER_DEGREE > leastKm) return false;
      const km = kmBetween(latitude, longitude, leafLatitude, longitudes[leaf] as number);
      if (km < leastKm || (km === leastKm && leaf < (nearest ?? Number.POSITIVE_INFINITY)))
        [nearest, leastKm] = [leaf, km];
      return true;
    };
    const middle = lowerBound(0, leaves.length, (at) => (leafLatitudes[at] as number) < latitude);
    for (let [step, isNorth, isSouth] = [0, true, true]; isNorth || isSouth; step++) {
      isNorth &&= isNear(middle + step);
      isSouth &&= isNear(middle - 1 - step);
    }
    return nearest;
  }

  /** All localities from south to north. */
  private byLatitude(): LeavesByLatitude {
    if (this.sorted !== undefined) return this.sorted;
    const { parents, latitudes } = this.tree;
    const ascending = parents.map((_, place) => place).filter((place) => this.tree.types[place] === LOCALITY_TYPE);
    const latitudeOf = (place: number | undefined): number => latitudes[place as number] as number;
    // From the south pole, in parts of a degree that hardly two latitudes share.
    const keys = Float64Array.from(ascending, (place) => Math.floor((latitudeOf(place) + 90) * 2 ** 40));
    const order = sortByKeys(keys, (a, b) => latitudeOf(ascending[a]) - latitudeOf(ascending[b]) || a - b);
    const leaves = order.map((at) => ascending[at] as number);
    this.sorted = { leaves, leafLatitudes: Float64Array.from(leaves, latitudeOf) };
    return this.sorted;
  }

  /**
   * Whether a place lies among leaves of its own root unit. If almost none of the leaves around is in that unit, the
   * release has the position of a place of the same name elsewhere.
   */
  isAtHome(place: number): boolean {
    const { latitudes, longitudes } = this.tree;
    const root = this.rootOf(place);
    let [atHome, count] = [0, 0];
    for (const leaf of this.leavesAround(latitudes[place] as number, longitudes[place] as number, HOME_KM)) {
      if (leaf === place) continue;
      count++;
      if (this.rootOf(leaf) === root) atHome++;
    }
    // A place of a small region is at home if half of the region's leaves are around, even if other leaves outnumber
    // them.
    return atHome >= HOME_SHARE * count || 2 * atHome >= this.countLeaves(root) - 1;
  }

  /** The units that hold `share` of `places` or more, the largest first. */
  unitsAround(places: readonly number[], share: number): number[] {
    const { parents } = this.tree;
    const counts = new Map<number, number>();
    for (const place of places) {
      for (let unit = parents[place] as number; unit !== NO_PARENT; unit = parents[unit] as number) {
        counts.set(unit, (counts.get(unit) ?? 0) + 1);
      }
    }
    const units = [...counts].flatMap(([unit, count]) => (count >= share * places.length ? [unit] : []));
    // If the share is over a half, these units are ancestors of each other: a child's number is the greater one.
    return units.sort((a, b) => a - b);
  }

  /** The median position of a unit's leaves, which a few wrong positions don't change. */
  middleOf(unit: number): Position {
    let middle = this.middles.get(unit);
    if (middle === undefined) {
      const leaves = [...this.leavesOf(unit)];
      const medianOf = (values: Float64Array): number =>
        Float64Array.from(leaves, (leaf) => values[leaf] as number).sort()[leaves.length >> 1] as number;
      middle = { latitude: medianOf(this.tree.latitudes), longitude: medianOf(this.tree.longitudes) };
      this.middles.set(unit, middle);
    }
    return middle;
  }
}
