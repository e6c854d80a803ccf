/** Computes the extent of each admin unit from its leaves, and chooses the units whose extent should contain a leaf. */

import { kmBetween, type Position } from '../../src/core/snapshot/sphere.js';
import type { CollectedPlaces } from '../tree/collected-places.js';
import type { LeafPoints } from './leaf-points.js';
import { groupOf, type PointGroup } from './point-groups.js';

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
interface ReferenceUnits {
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
export function unitExtentKm({ radiusKm }: PointGroup, ratio: number): number {
  return Math.max(MIN_KM, ratio * radiusKm);
}
