/** Where wrong rows are placed: by the rows of their code and unit that are not wrong, where these agree. */
import { kmBetween } from '../tree/distance.js';
import type { Position } from '../tree/spherical-mean.js';
import { FAR_RATIO, type Home, type HomeFinder, LEAST_UNIT_POINTS, reachKm } from './homes.js';
import { type LeafPoints, type LeavesByCode, listOfPrefix, prefixesOf } from './leaf-points.js';
import type { PointGroup } from './point-group.js';

/** Of rows in one unit, with one code and with codes that begin alike. */
const LEAST_OF_CODE = 2;
const LEAST_OF_PREFIX = 3;
/** A group as narrow as this says where a row of it lies. */
const NARROW_KM = 25;

export class Placing {
  readonly #soundByUnit = new Map<number, LeavesByCode>();
  /** By code prefix and unit. */
  readonly #groups = new Map<string, PointGroup | undefined>();

  constructor(
    private readonly leafPoints: LeafPoints,
    private readonly homes: HomeFinder,
    private readonly wrong: ReadonlySet<number>,
  ) {}

  /**
   * Where the rows that are not wrong of a leaf's code lie or, where these are too few, those of codes that begin alike in
   * its unit, or all of its unit; undefined where none of these groups is narrow, or it is itself far from the unit.
   */
  positionOf(leaf: number): Position | undefined {
    const { group: home } = this.homes.homesOf(leaf).inner as Home;
    const units = [...this.leafPoints.unitsAbove(leaf)];
    const [inner, outer] = [units[0], units.at(-1)] as [number, number];
    const code = this.leafPoints.codeOf(leaf);
    const tried = prefixesOf(code).flatMap((prefix) => [
      { prefix, unit: inner },
      { prefix, unit: outer },
    ]);
    for (const { prefix, unit } of [...tried, { prefix: '', unit: inner }]) {
      const least = prefix === code ? LEAST_OF_CODE : prefix === '' ? LEAST_UNIT_POINTS : LEAST_OF_PREFIX;
      const group = this.#soundGroup(prefix, unit, least);
      if (group === undefined || group.radiusKm > NARROW_KM) continue;
      const km = kmBetween(group.latitude, group.longitude, home.latitude, home.longitude);
      if (km <= reachKm(home, FAR_RATIO)) return group;
    }
    return undefined;
  }

  /** The rows of a unit that are not wrong, by code. */
  #soundOf(unit: number): LeavesByCode {
    let sound = this.#soundByUnit.get(unit);
    if (sound === undefined) {
      sound = this.leafPoints.byCode((this.homes.witnesses.get(unit) ?? []).filter((leaf) => !this.wrong.has(leaf)));
      this.#soundByUnit.set(unit, sound);
    }
    return sound;
  }

  /** The rows of a unit that are not wrong and whose codes start with `prefix`. */
  #soundGroup(prefix: string, unit: number, least: number): PointGroup | undefined {
    const key = `${prefix} ${unit}`;
    if (!this.#groups.has(key)) {
      this.#groups.set(key, this.homes.groupFrom(listOfPrefix(this.#soundOf(unit), prefix), least));
    }
    return this.#groups.get(key);
  }
}
