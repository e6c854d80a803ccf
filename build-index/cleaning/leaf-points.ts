/**
 * The distinct points of a country's leaves: finds the points of a unit or of codes, and the points nearest to another.
 * The order of the codes and the spatial index are built on first use, since few countries need them.
 */

import { around } from 'geokdbush';
import KDBush from 'kdbush';
import { lowerBound } from '../../src/core/snapshot/binary-search.js';
import { isLeafType, LOCALITY_TYPE } from '../../src/core/snapshot/place-type.js';
import { appendToGroup } from '../ordering/grouping.js';
import { type CollectedPlaces, NO_UNIT } from '../tree/collected-places.js';

/** Leaves, ascending by code, with their codes. */
export interface LeavesByCode {
  readonly leaves: readonly number[];
  readonly codes: readonly string[];
}

/** The leaves whose code starts with `prefix`. */
export function listOfPrefix({ leaves, codes }: LeavesByCode, prefix: string): readonly number[] {
  const start = lowerBound(0, codes.length, (at) => (codes[at] as string) < prefix);
  let end = start;
  while (end < codes.length && (codes[end] as string).startsWith(prefix)) end++;
  return leaves.slice(start, end);
}

/** A code, the code without its last two characters, and its first half: the longest prefix first. */
export function prefixesOf(code: string): string[] {
  const lengths = new Set([code.length, Math.max(2, code.length - 2), Math.ceil(code.length / 2)]);
  return [...lengths].map((length) => code.slice(0, length)).sort((a, b) => b.length - a.length);
}

export function widestPrefixOf(code: string): string {
  return prefixesOf(code).at(-1) as string;
}

export class LeafPoints {
  readonly latitudes: number[] = [];
  readonly longitudes: number[] = [];
  /** The point of each leaf. */
  readonly points: Int32Array;
  private readonly codes: string[] = [];
  private referenceLeaves: LeavesByCode | undefined;
  private index: KDBush | undefined;
  private leavesByPoint: number[][] | undefined;

  constructor(private readonly places: CollectedPlaces) {
    const { types, latitudes, longitudes } = places;
    this.points = new Int32Array(types.length).fill(-1);
    const known = new Map<number, Map<number, number>>();
    for (let leaf = 0; leaf < types.length; leaf++) {
      if (!isLeafType(types[leaf])) continue;
      const [latitude, longitude] = [latitudes[leaf] as number, longitudes[leaf] as number];
      let onMeridian = known.get(longitude);
      if (onMeridian === undefined) {
        onMeridian = new Map();
        known.set(longitude, onMeridian);
      }
      let point = onMeridian.get(latitude);
      if (point === undefined) {
        point = this.latitudes.length;
        onMeridian.set(latitude, point);
        this.latitudes.push(latitude);
        this.longitudes.push(longitude);
      }
      this.points[leaf] = point;
    }
  }

  /** Whether other leaves are checked against this leaf: a locality whose coordinates are not an estimate. */
  isReference(leaf: number): boolean {
    return this.places.types[leaf] === LOCALITY_TYPE && this.places.placedBy[leaf] !== 'estimate';
  }

  /** The units above a place, from the inside out. */
  *unitsAbove(place: number): Generator<number> {
    const { parents } = this.places;
    for (let at = parents[place] as number; at !== NO_UNIT; at = parents[at] as number) yield at;
  }

  /** The reference leaves below each unit, at any depth. */
  referenceLeavesByUnit(): ReadonlyMap<number, readonly number[]> {
    const byUnit = new Map<number, number[]>();
    for (let leaf = 0; leaf < this.points.length; leaf++) {
      if (!this.isReference(leaf)) continue;
      for (const unit of this.unitsAbove(leaf)) appendToGroup(byUnit, unit, leaf);
    }
    return byUnit;
  }

  /** The postal code of a leaf, without spaces and hyphens. */
  codeOf(leaf: number): string {
    let code = this.codes[leaf];
    if (code === undefined) {
      code = (this.places.postalCodes[leaf] as string).replace(/[ -]/g, '');
      this.codes[leaf] = code;
    }
    return code;
  }

  byCode(leaves: readonly number[]): LeavesByCode {
    const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
    const sorted = leaves.toSorted((a, b) => compare(this.codeOf(a), this.codeOf(b)) || a - b);
    return { leaves: sorted, codes: sorted.map((leaf) => this.codeOf(leaf)) };
  }

  /** The reference leaves whose code starts with `prefix`. */
  referenceLeavesOfCode(prefix: string): readonly number[] {
    this.referenceLeaves ??= this.byCode([...this.points.keys()].filter((leaf) => this.isReference(leaf)));
    return listOfPrefix(this.referenceLeaves, prefix);
  }

  /** Each of the leaves' points once. */
  pointsOf(leaves: Iterable<number>): number[] {
    const distinct = new Set<number>();
    for (const leaf of leaves) distinct.add(this.points[leaf] as number);
    return [...distinct];
  }

  /** The `count` points nearest to a point, without the point itself. */
  nearestPoints(point: number, count: number): readonly number[] {
    if (this.index === undefined) {
      this.index = new KDBush(this.latitudes.length);
      for (const [at, latitude] of this.latitudes.entries()) this.index.add(this.longitudes[at] as number, latitude);
      this.index.finish();
    }
    const [longitude, latitude] = [this.longitudes[point] as number, this.latitudes[point] as number];
    return around(this.index, longitude, latitude, count + 1).filter((other) => other !== point);
  }

  /** The localities at a point. */
  leavesAt(point: number): readonly number[] {
    if (this.leavesByPoint === undefined) {
      this.leavesByPoint = this.latitudes.map(() => []);
      this.points.forEach((at, leaf) => {
        if (this.places.types[leaf] === LOCALITY_TYPE) this.leavesByPoint?.[at]?.push(leaf);
      });
    }
    return this.leavesByPoint[point] as number[];
  }
}
