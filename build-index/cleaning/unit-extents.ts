/** Computes the extent of each admin unit from its leaves, and chooses the units whose extent should contain a leaf. */

import { around } from 'geokdbush';
import KDBush from 'kdbush';
import { lowerBound } from '../../src/core/snapshot/binary-search.js';
import { isLeafType, LOCALITY_TYPE } from '../../src/core/snapshot/place-type.js';
import { type Position, roundDegrees } from '../../src/core/snapshot/sphere.js';
import { appendTo } from '../reading/grouping.js';
import { type CollectedPlaces, NO_UNIT } from '../tree/collecting.js';
import { kmBetween } from '../tree/name-order.js';

/*
 * The distinct points of a country's leaves: finds the points of a unit or of codes, and the points nearest to another.
 * The order of the codes and the spatial index are built on first use, since few countries need them.
 */

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
      for (const unit of this.unitsAbove(leaf)) appendTo(byUnit, unit, leaf);
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

/* The centre and radius of a group of points, by medians, which a few wrong points don't change. */

export interface PointGroup {
  readonly latitude: number;
  readonly longitude: number;
  /** The median distance of the points from the centre. */
  readonly radiusKm: number;
}

interface Points {
  readonly latitudes: readonly number[];
  readonly longitudes: readonly number[];
}

/** The group of the points at `indexes`, which are distinct and at least one. */
export function groupOf({ latitudes, longitudes }: Points, indexes: readonly number[]): PointGroup {
  const latitude = medianOf(indexes.map((index) => latitudes[index] as number));
  const longitude = middleLongitude(indexes.map((index) => longitudes[index] as number));
  const distances = indexes.map((index) =>
    kmBetween(latitude, longitude, latitudes[index] as number, longitudes[index] as number),
  );
  return {
    latitude: roundDegrees(latitude),
    longitude: roundDegrees(longitude),
    radiusKm: medianOf(distances),
  };
}

/** The median; for a group across the antimeridian, the median of the differences from the mean direction. */
function middleLongitude(longitudes: readonly number[]): number {
  let [least, most] = [180, -180];
  for (const longitude of longitudes) {
    least = Math.min(least, longitude);
    most = Math.max(most, longitude);
  }
  if (most - least < 180) return medianOf(longitudes);
  const from = meanLongitude(longitudes);
  return wrap(from + medianOf(longitudes.map((longitude) => wrap(longitude - from))));
}

/** The mean direction of the points from the earth's axis. Sorting makes it independent of their order. */
function meanLongitude(longitudes: readonly number[]): number {
  const radians = longitudes.toSorted((a, b) => a - b).map((degrees) => (degrees * Math.PI) / 180);
  const sum = (of: (angle: number) => number): number => radians.reduce((total, angle) => total + of(angle), 0);
  return (Math.atan2(sum(Math.sin), sum(Math.cos)) * 180) / Math.PI;
}

/** Degrees from -180 (included) to 180 (excluded). */
function wrap(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}

function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Minimum distance of a wrong position from a group's centre, in km: narrow groups have outlying villages. */
const MIN_KM = 40;
/**
 * Maximum difference on both axes, in degrees, that is surely within MIN_KM: a degree is at most 111.2 km, so the
 * diagonal is 39.4 km.
 */
const BESIDE_DEGREES = 0.25;
/** Maximum distance of a leaf from its unit's centre, in radii of the group. */
export const FAR_RATIO = 3.5;
/** The same for a first-level unit, whose leaves are spread more evenly. */
const FAR_RATIO_OF_REGION = 2.5;
/** Minimum number of points in a unit's group: the medians of fewer points are not reliable. */
export const MIN_UNIT_POINTS = 6;

/** A unit that should contain a leaf. */
export interface ReferenceUnit {
  readonly unit: number;
  readonly group: PointGroup;
  /** Maximum distance of a leaf from the group's centre, in radii of the group. */
  readonly maxRatio: number;
}

/** The reference units of the leaves directly below one unit. */
export interface ReferenceUnits {
  /** The innermost unit that has enough points and is no wider than the first-level unit. */
  readonly inner: ReferenceUnit | undefined;
  /** The first-level unit. */
  readonly region: ReferenceUnit | undefined;
}

export class ReferenceUnitFinder {
  /** The reference leaves (LeafPoints) below each unit, at any depth. */
  readonly referenceLeaves: ReadonlyMap<number, readonly number[]>;
  readonly #groups = new Map<number, PointGroup | undefined>();
  /** By the parent of the leaf. */
  readonly #references = new Map<number, ReferenceUnits>();

  constructor(
    private readonly places: CollectedPlaces,
    private readonly leafPoints: LeafPoints,
  ) {
    this.referenceLeaves = leafPoints.referenceLeavesByUnit();
  }

  referencesOf(leaf: number): ReferenceUnits {
    const parent = this.places.parents[leaf] as number;
    let references = this.#references.get(parent);
    if (references === undefined) {
      references = this.#findReferences([...this.leafPoints.unitsAbove(leaf)]);
      this.#references.set(parent, references);
    }
    return references;
  }

  unitGroup(unit: number): PointGroup | undefined {
    if (!this.#groups.has(unit)) {
      this.#groups.set(unit, this.groupFrom(this.referenceLeaves.get(unit) ?? [], MIN_UNIT_POINTS));
    }
    return this.#groups.get(unit);
  }

  /** The group of the leaves' points; undefined for fewer than `minCount` points. */
  groupFrom(leaves: readonly number[], minCount: number): PointGroup | undefined {
    const points = this.leafPoints.pointsOf(leaves);
    return points.length < minCount ? undefined : groupOf(this.leafPoints, points);
  }

  /** The distance from the release's coordinates of a leaf to a position, in km; 0 without a position. */
  kmOff(leaf: number, from: Position | undefined): number {
    const { latitudes, longitudes } = this.places;
    if (from === undefined) return 0;
    return kmBetween(from.latitude, from.longitude, latitudes[leaf] as number, longitudes[leaf] as number);
  }

  /** Whether the release's coordinates of a leaf lie within MIN_KM of a position. */
  isNear(leaf: number, from: Position): boolean {
    const { latitudes, longitudes } = this.places;
    // Decides most leaves without computing a distance.
    const isBeside =
      Math.abs((latitudes[leaf] as number) - from.latitude) < BESIDE_DEGREES &&
      Math.abs((longitudes[leaf] as number) - from.longitude) < BESIDE_DEGREES;
    return isBeside || this.kmOff(leaf, from) <= MIN_KM;
  }

  #findReferences(units: readonly number[]): ReferenceUnits {
    const references = units.flatMap((unit) => {
      const group = this.unitGroup(unit);
      return group === undefined ? [] : [{ unit, group }];
    });
    const outermost = references.at(-1);
    const region = outermost?.unit === units.at(-1) ? outermost : undefined;
    // A district wider than its region is scattered over other regions, so its extent proves nothing.
    const inner = references.find(
      ({ group }) => group.radiusKm <= (region?.group.radiusKm ?? Number.POSITIVE_INFINITY),
    );
    return {
      inner: inner && { ...inner, maxRatio: FAR_RATIO },
      region: region && { ...region, maxRatio: FAR_RATIO_OF_REGION },
    };
  }
}

/** The distance from a group's centre, in km, beyond which a leaf is not in the group. */
export function reachKm({ radiusKm }: PointGroup, ratio: number): number {
  return Math.max(MIN_KM, ratio * radiusKm);
}
