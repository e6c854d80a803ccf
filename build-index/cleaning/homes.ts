/** Where the leaves of each admin unit lie, and which of the units around a leaf say where the leaf should lie. */
import type { CollectedPlaces } from '../tree/collecting.js';
import { kmBetween } from '../tree/distance.js';
import type { Position } from '../tree/spherical-mean.js';
import type { LeafPoints } from './leaf-points.js';
import { groupOf, type PointGroup } from './point-group.js';

/** What lies within this distance of a group's middle is not wrong. */
const LEAST_KM = 40;
/** What is no farther along both axes is within LEAST_KM: a degree is at most 111.2 km, and the diagonal 39.4 km. */
const BESIDE_DEGREES = 0.25;
/** So many times farther from the middle than half of the group is far. */
export const FAR_RATIO = 3.5;
const FAR_RATIO_OF_REGION = 2.5;
/** A group of fewer points says nothing. */
export const LEAST_UNIT_POINTS = 6;

/** A unit around a leaf, and how to judge by it. */
export interface Home {
  readonly unit: number;
  readonly group: PointGroup;
  /** So many times farther from the middle than half of the unit is elsewhere. */
  readonly farRatio: number;
}

/** The units by which the leaves directly below one unit are judged. */
export interface Homes {
  /** The innermost that has points enough, and is no wider than the first-level unit. */
  readonly inner: Home | undefined;
  /** The first-level unit. */
  readonly region: Home | undefined;
}

export class HomeFinder {
  /** By unit, the witnesses in it, at any depth. */
  readonly witnesses: ReadonlyMap<number, readonly number[]>;
  readonly #groups = new Map<number, PointGroup | undefined>();
  /** By the unit directly above. */
  readonly #homes = new Map<number, Homes>();

  constructor(
    private readonly places: CollectedPlaces,
    private readonly leafPoints: LeafPoints,
  ) {
    this.witnesses = leafPoints.witnessesByUnit();
  }

  homesOf(leaf: number): Homes {
    const parent = this.places.parents[leaf] as number;
    let homes = this.#homes.get(parent);
    if (homes === undefined) {
      homes = this.#findHomes([...this.leafPoints.unitsAbove(leaf)]);
      this.#homes.set(parent, homes);
    }
    return homes;
  }

  unitGroup(unit: number): PointGroup | undefined {
    if (!this.#groups.has(unit)) {
      this.#groups.set(unit, this.groupFrom(this.witnesses.get(unit) ?? [], LEAST_UNIT_POINTS));
    }
    return this.#groups.get(unit);
  }

  /** The group of the leaves' points; undefined where there are fewer than `least`. */
  groupFrom(leaves: readonly number[], least: number): PointGroup | undefined {
    const points = this.leafPoints.pointsOf(leaves);
    return points.length < least ? undefined : groupOf(this.leafPoints, points);
  }

  /** How far the release's coordinates of a leaf lie from a position; 0 where there is none. */
  kmOff(leaf: number, from: Position | undefined): number {
    const { latitudes, longitudes } = this.places;
    if (from === undefined) return 0;
    return kmBetween(from.latitude, from.longitude, latitudes[leaf] as number, longitudes[leaf] as number);
  }

  /** Whether the release's coordinates of a leaf lie within LEAST_KM of a position. */
  isNear(leaf: number, from: Position): boolean {
    const { latitudes, longitudes } = this.places;
    // Decides for most leaves, at a fraction of the cost of a distance.
    const isBeside =
      Math.abs((latitudes[leaf] as number) - from.latitude) < BESIDE_DEGREES &&
      Math.abs((longitudes[leaf] as number) - from.longitude) < BESIDE_DEGREES;
    return isBeside || this.kmOff(leaf, from) <= LEAST_KM;
  }

  #findHomes(units: readonly number[]): Homes {
    const homes = units.flatMap((unit) => {
      const group = this.unitGroup(unit);
      return group === undefined ? [] : [{ unit, group }];
    });
    const outermost = homes.at(-1);
    const region = outermost?.unit === units.at(-1) ? outermost : undefined;
    // A district that is wider than its region is scattered over others.
    const inner = homes.find(({ group }) => group.radiusKm <= (region?.group.radiusKm ?? Number.POSITIVE_INFINITY));
    return {
      inner: inner && { ...inner, farRatio: FAR_RATIO },
      region: region && { ...region, farRatio: FAR_RATIO_OF_REGION },
    };
  }
}

/** What lies farther from a group's middle, `ratio` times as far as half of the group, is not of the group. */
export function reachKm({ radiusKm }: PointGroup, ratio: number): number {
  return Math.max(LEAST_KM, ratio * radiusKm);
}
