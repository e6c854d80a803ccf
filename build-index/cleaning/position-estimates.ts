/** Estimates the positions of wrong rows from the valid rows of their code and unit, if these lie close together. */

import { kmBetween, type Position } from '../../src/core/snapshot/sphere.js';
import { type LeafPoints, type LeavesByCode, listOfPrefix, prefixesOf } from './leaf-points.js';
import type { PointGroup } from './point-groups.js';
import {
  FAR_RATIO,
  MIN_UNIT_POINTS,
  type ReferenceUnit,
  type ReferenceUnitFinder,
  unitExtentKm,
} from './unit-extents.js';

/** Minimum number of points of a leaf's code in its unit to estimate from. */
const MIN_OF_CODE = 2;
/** Minimum number of points of a code prefix in the unit, which need more evidence. */
const MIN_OF_PREFIX = 3;
/** Maximum radius of a group to estimate from, in km: a wider group would give a misleading position. */
const NARROW_KM = 25;

export class PositionEstimator {
  readonly #validByUnit = new Map<number, LeavesByCode>();
  /** By code prefix and unit. */
  readonly #groups = new Map<string, PointGroup | undefined>();

  constructor(
    private readonly leafPoints: LeafPoints,
    private readonly finder: ReferenceUnitFinder,
    private readonly wrong: ReadonlySet<number>,
  ) {}

  /**
   * The centre of the valid rows with the leaf's code in its unit or, if these are too few, with its code's prefixes,
   * or of the whole unit; undefined if every group is too wide, or far from the reference unit.
   */
  estimate(leaf: number): Position | undefined {
    const { group: home } = this.finder.referencesOf(leaf).inner as ReferenceUnit;
    const units = [...this.leafPoints.unitsAbove(leaf)];
    const [inner, outer] = [units[0], units.at(-1)] as [number, number];
    const code = this.leafPoints.codeOf(leaf);
    const tried = prefixesOf(code).flatMap((prefix) => [
      { prefix, unit: inner },
      { prefix, unit: outer },
    ]);
    for (const { prefix, unit } of [...tried, { prefix: '', unit: inner }]) {
      const minCount = prefix === code ? MIN_OF_CODE : prefix === '' ? MIN_UNIT_POINTS : MIN_OF_PREFIX;
      const group = this.#validGroup(prefix, unit, minCount);
      if (group === undefined || group.radiusKm > NARROW_KM) continue;
      const km = kmBetween(group.latitude, group.longitude, home.latitude, home.longitude);
      if (km <= unitExtentKm(home, FAR_RATIO)) return group;
    }
    return undefined;
  }

  /** The valid rows of a unit, by code. */
  #validOf(unit: number): LeavesByCode {
    let valid = this.#validByUnit.get(unit);
    if (valid === undefined) {
      valid = this.leafPoints.byCode(
        (this.finder.referenceLeaves.get(unit) ?? []).filter((leaf) => !this.wrong.has(leaf)),
      );
      this.#validByUnit.set(unit, valid);
    }
    return valid;
  }

  /** The group of the valid rows of a unit whose codes start with `prefix`. */
  #validGroup(prefix: string, unit: number, minCount: number): PointGroup | undefined {
    const key = `${prefix} ${unit}`;
    if (!this.#groups.has(key)) {
      this.#groups.set(key, this.finder.groupFrom(listOfPrefix(this.#validOf(unit), prefix), minCount));
    }
    return this.#groups.get(key);
  }
}
