/**
 * Finds wrong coordinates. Some releases give a row the position of a place of the same name elsewhere (Kazan in the
 * region of Kirov), or give one point to all rows of unknown position (the centre of Tibet). A row is wrong if it lies
 * far from its admin unit, far from rows with similar codes, and among places of other units and codes. A row far from
 * its unit but without others around is an island or a remote valley, and stays. A wrong row moves to the centre of its
 * code and unit if these rows lie close together; otherwise it keeps its coordinates. Either way it becomes coarse.
 */

import { isCoarsePosition, type PositionSource } from '../../src/core/snapshot/place-positions.js';
import { LOCALITY_TYPE } from '../../src/core/snapshot/place-type.js';
import type { CollectedPlaces } from '../tree/collected-places.js';
import { LeafPoints, prefixesOf, widestPrefixOf } from './leaf-points.js';
import type { PointGroup } from './point-groups.js';
import { PositionEstimator } from './position-estimates.js';
import { FAR_RATIO, ReferenceUnitFinder, unitExtentKm } from './unit-extents.js';

interface PositionChange {
  readonly leaf: number;
  readonly change:
    | 'position: estimated from its code and unit'
    | 'position: coarse'
    | 'position: shared by a whole area';
  /** The distance of the release's coordinates from the centre of the row's reference unit, in km. */
  readonly km: number;
}

interface CorrectedPositions {
  readonly latitudes: number[];
  readonly longitudes: number[];
  readonly sources: PositionSource[];
  readonly changes: readonly PositionChange[];
}

/** Minimum share of wrong rows in a country: fewer suspects are remote corners, not mistakes. */
const MIN_WRONG_SHARE = 0.0005;
/** Minimum share of rows that are wrong by the strict rules for the SCATTERED rules to apply. */
const SCATTERED_SHARE = 0.01;
/** Minimum number of such rows, since a share of a small country is one row. */
const MIN_SCATTERED = 20;
/** Minimum distance of a wrong row from its unit's centre, in km, if no rows have a similar code. */
const FAR_WITHOUT_CODES_KM = 100;
/** Minimum number of points with a code prefix to compare with: the medians of fewer are not reliable. */
const MIN_CODE_POINTS = 5;
/** Number of nearest points around a row to compare units and codes with. */
const AROUND = 12;
/** Maximum distance of half of these points, in km: farther off, the row lies on an island or in a desert. */
const AROUND_KM = 100;
/** Minimum number of second-level units and of names at a point that stands for a whole first-level unit. */
const SHARED_POINT_UNITS = 5;
/** Minimum radius of that first-level unit, in km: in a smaller unit the point is accurate enough. */
const WIDE_KM = 60;

export function correctPositions(places: CollectedPlaces): CorrectedPositions {
  return new PositionCheck(places).correct();
}

interface Strictness {
  /** Maximum distance from the centre of the rows with similar codes, in radii of their group. */
  readonly codeRatio: number;
  /** Whether the reference unit is the first-level unit instead of the innermost one. */
  readonly isByRegion: boolean;
  /** Maximum number of points around with the row's unit or code: these rows may be wrong too. */
  readonly straysAround: number;
}

const STRICT: Strictness = { codeRatio: FAR_RATIO, isByRegion: false, straysAround: 0 };
/** Rules for a country whose districts and codes are scattered, and whose wrong rows lie beside each other. */
const SCATTERED: Strictness = { codeRatio: 1, isByRegion: true, straysAround: 1 };

interface PointContents {
  readonly units: ReadonlySet<number>;
  readonly prefixes: ReadonlySet<string>;
}

class PositionCheck {
  private readonly leafPoints: LeafPoints;
  private readonly finder: ReferenceUnitFinder;
  private readonly codeGroups = new Map<string, PointGroup | undefined>();
  /** By point, unit and code prefix. */
  private readonly ownCounts = new Map<string, number>();
  private readonly contents = new Map<number, PointContents>();
  private readonly wrong = new Set<number>();

  constructor(private readonly places: CollectedPlaces) {
    this.leafPoints = new LeafPoints(places);
    this.finder = new ReferenceUnitFinder(places, this.leafPoints);
  }

  correct(): CorrectedPositions {
    const { types, placedBy } = this.places;
    const latitudes = this.places.latitudes.slice();
    const longitudes = this.places.longitudes.slice();
    const sources = placedBy.map((by): PositionSource => (by === 'hand' ? 'hand' : 'release'));
    const changes: PositionChange[] = [];
    const note = (leaf: number, source: PositionSource, change: PositionChange['change']): void => {
      sources[leaf] = source;
      changes.push({ leaf, change, km: this.finder.kmOff(leaf, this.finder.referencesOf(leaf).inner?.group) });
    };
    const judged: number[] = [];
    types.forEach((type, leaf) => {
      if (type === LOCALITY_TYPE && placedBy[leaf] !== 'hand') judged.push(leaf);
    });
    for (const leaf of judged) if (this.isWrong(leaf, STRICT)) this.wrong.add(leaf);
    if (this.wrong.size >= Math.max(MIN_SCATTERED, SCATTERED_SHARE * judged.length)) {
      for (const leaf of judged) if (this.isWrong(leaf, SCATTERED)) this.wrong.add(leaf);
    }
    // If almost no row looks wrong, these rows lie in remote corners.
    if (this.wrong.size < MIN_WRONG_SHARE * judged.length) this.wrong.clear();
    const estimator = new PositionEstimator(this.leafPoints, this.finder, this.wrong);
    for (const leaf of this.wrong) {
      const position = estimator.estimate(leaf);
      // A row at the exact centre of its own code and unit is right.
      if (position?.latitude === latitudes[leaf] && position?.longitude === longitudes[leaf]) continue;
      if (position === undefined) {
        note(leaf, 'coarse', 'position: coarse');
        continue;
      }
      [latitudes[leaf], longitudes[leaf]] = [position.latitude, position.longitude];
      note(leaf, 'agreement', 'position: estimated from its code and unit');
    }
    for (const leaf of this.sharedPoints()) {
      if (!isCoarsePosition(sources[leaf])) note(leaf, 'coarse', 'position: shared by a whole area');
    }
    return { latitudes, longitudes, sources, changes };
  }

  private isWrong(leaf: number, { codeRatio, isByRegion, straysAround }: Strictness): boolean {
    const { inner, region } = this.finder.referencesOf(leaf);
    if (inner === undefined || this.finder.isNear(leaf, inner.group)) return false;
    const home = isByRegion ? region : inner;
    if (home === undefined || !this.isBeyond(leaf, home.group, home.maxRatio)) return false;
    const { unit, group } = home;
    const codes = this.codeGroupOf(leaf);
    // All rows with a city's code prefix may share one wrong point, so the codes alone don't decide.
    const isFromCodes =
      codes === undefined
        ? this.finder.kmOff(leaf, group) >= FAR_WITHOUT_CODES_KM
        : this.isBeyond(leaf, codes, codeRatio);
    return isFromCodes && this.ownAround(leaf, unit) <= straysAround;
  }

  private isBeyond(leaf: number, group: PointGroup, ratio: number): boolean {
    return this.finder.kmOff(leaf, group) > unitExtentKm(group, ratio);
  }

  /** The group of the rows with the leaf's code or, if these are too few, with the longest prefix that has enough. */
  private codeGroupOf(leaf: number): PointGroup | undefined {
    for (const prefix of prefixesOf(this.leafPoints.codeOf(leaf))) {
      if (!this.codeGroups.has(prefix)) {
        this.codeGroups.set(
          prefix,
          this.finder.groupFrom(this.leafPoints.referenceLeavesOfCode(prefix), MIN_CODE_POINTS),
        );
      }
      const group = this.codeGroups.get(prefix);
      if (group !== undefined) return group;
    }
    return undefined;
  }

  /**
   * The number of points around a leaf with a place of `unit` or of the leaf's code prefix; AROUND if it is isolated.
   */
  private ownAround(leaf: number, unit: number): number {
    const point = this.leafPoints.points[leaf] as number;
    const prefix = widestPrefixOf(this.leafPoints.codeOf(leaf));
    const key = `${point} ${unit} ${prefix}`;
    let count = this.ownCounts.get(key);
    if (count === undefined) {
      const near = this.leafPoints.nearestPoints(point, AROUND);
      const own = near.filter((at) => {
        const { units, prefixes } = this.contentsAt(at);
        return units.has(unit) || prefixes.has(prefix);
      });
      count = this.isInhabited(leaf, near) ? own.length : AROUND;
      this.ownCounts.set(key, count);
    }
    return count;
  }

  /** The units and the widest code prefixes of the localities at a point. */
  private contentsAt(point: number): PointContents {
    let contents = this.contents.get(point);
    if (contents === undefined) {
      const leaves = this.leafPoints.leavesAt(point);
      const units = new Set(leaves.flatMap((leaf) => [...this.leafPoints.unitsAbove(leaf)]));
      contents = { units, prefixes: new Set(leaves.map((leaf) => widestPrefixOf(this.leafPoints.codeOf(leaf)))) };
      this.contents.set(point, contents);
    }
    return contents;
  }

  /** Whether half of the points around a leaf, sorted by distance, are within AROUND_KM. */
  private isInhabited(leaf: number, near: readonly number[]): boolean {
    const middle = near[AROUND / 2 - 1];
    if (middle === undefined) return false;
    const { latitudes, longitudes } = this.leafPoints;
    return (
      this.finder.kmOff(leaf, { latitude: latitudes[middle] as number, longitude: longitudes[middle] as number }) <=
      AROUND_KM
    );
  }

  /**
   * The localities at points that stand for a whole first-level unit: their names and second-level units differ. A
   * point that only a town and its surroundings share is not one of them.
   */
  private *sharedPoints(): Generator<number> {
    for (let point = 0; point < this.leafPoints.latitudes.length; point++) {
      const leaves = this.leafPoints.leavesAt(point);
      if (leaves.length < SHARED_POINT_UNITS) continue;
      const names = new Set(leaves.map((leaf) => this.places.texts[leaf]));
      const secondUnits = new Map(
        leaves.map((leaf) => [...this.leafPoints.unitsAbove(leaf)]).map((units) => [units.at(-2), units.at(-1)]),
      );
      secondUnits.delete(undefined);
      if (names.size < SHARED_POINT_UNITS || secondUnits.size < SHARED_POINT_UNITS) continue;
      const roots = new Set(secondUnits.values());
      const isWide = [...roots].every((root) => (this.finder.unitGroup(root as number)?.radiusKm ?? 0) >= WIDE_KM);
      if (isWide) yield* leaves.filter((leaf) => this.places.placedBy[leaf] !== 'hand');
    }
  }
}
