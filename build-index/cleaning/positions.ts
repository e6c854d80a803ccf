/**
 * Coordinates that cannot be true. A release gives a row the position of a namesake elsewhere (Kazan in the region of
 * Kirov), or gives all rows that it cannot place one point (the middle of Tibet). A row is wrong where it lies far from
 * the rest of its admin unit, far from the codes next to its own, and among places of other units and codes: witnesses
 * that agree. What lies far from all others but among none of another unit is an island or a remote valley, and stays.
 * Where what is left of a wrong row's code and unit lies close together the row is placed there; elsewhere it keeps its
 * coordinates. Either way it is coarse.
 */
import { LOCALITY_TYPE } from '../../src/format/place-levels.js';
import { isCoarse, type PositionSource } from '../../src/format/place-positions.js';
import type { CollectedPlaces } from '../tree/collecting.js';
import { FAR_RATIO, HomeFinder, reachKm } from './homes.js';
import { LeafPoints, prefixesOf, widestPrefixOf } from './leaf-points.js';
import { Placing } from './placing.js';
import type { PointGroup } from './point-group.js';

export interface PositionChange {
  readonly leaf: number;
  readonly change: 'position: by its code and unit' | 'position: coarse' | 'position: stands for a whole area';
  /** How far the release's coordinates lie from the middle of the row's unit. */
  readonly km: number;
}

export interface CorrectedPositions {
  readonly latitudes: number[];
  readonly longitudes: number[];
  readonly sources: PositionSource[];
  readonly changes: readonly PositionChange[];
}

/** A country of which fewer rows are wrong has none. */
const LEAST_WRONG_SHARE = 0.0005;
/** A country of which so many rows are wrong by the strict rules has scattered its rows. */
const SCATTERED_SHARE = 0.01;
const LEAST_SCATTERED = 20;
/** Where the codes say nothing, the middle of the unit has to be at least so far. */
const FAR_WITHOUT_CODES_KM = 100;
/** Of the points of codes that begin alike, fewer say nothing. */
const LEAST_CODE_POINTS = 5;
/** So many points around a row, none of which has its unit or code, are another place. */
const AROUND = 12;
/** Where half of these points lie farther off the row lies on an island, or in a desert: amid nothing. */
const AROUND_KM = 100;
/** A point that places of so many units share, in an area as wide as this, says where the area is and no more. */
const STAND_IN_UNITS = 5;
const WIDE_KM = 60;

export function correctPositions(places: CollectedPlaces): CorrectedPositions {
  return new PositionCheck(places).correct();
}

interface Strictness {
  /** So many times farther from the middle of the codes that begin alike than half of them is elsewhere. */
  readonly codeRatio: number;
  /** Whether the first-level unit is the witness, and not the innermost one. */
  readonly isByRegion: boolean;
  /** So many of the points around may have a place of the row's unit or codes: rows that are wrong as well. */
  readonly straysAround: number;
}

const STRICT: Strictness = { codeRatio: FAR_RATIO, isByRegion: false, straysAround: 0 };
/** Where districts and codes are scattered over the country they say little, and wrong rows lie beside each other. */
const SCATTERED: Strictness = { codeRatio: 1, isByRegion: true, straysAround: 1 };

interface PointContents {
  readonly units: ReadonlySet<number>;
  readonly prefixes: ReadonlySet<string>;
}

class PositionCheck {
  private readonly leafPoints: LeafPoints;
  private readonly homes: HomeFinder;
  private readonly codeGroups = new Map<string, PointGroup | undefined>();
  /** By point, unit and code prefix. */
  private readonly ownCounts = new Map<string, number>();
  private readonly contents = new Map<number, PointContents>();
  private readonly wrong = new Set<number>();

  constructor(private readonly places: CollectedPlaces) {
    this.leafPoints = new LeafPoints(places);
    this.homes = new HomeFinder(places, this.leafPoints);
  }

  correct(): CorrectedPositions {
    const { types, placedBy } = this.places;
    const latitudes = [...this.places.latitudes];
    const longitudes = [...this.places.longitudes];
    const sources = placedBy.map((by): PositionSource => (by === 'hand' ? 'hand' : 'release'));
    const changes: PositionChange[] = [];
    const note = (leaf: number, source: PositionSource, change: PositionChange['change']): void => {
      sources[leaf] = source;
      changes.push({ leaf, change, km: this.homes.kmOff(leaf, this.homes.homesOf(leaf).inner?.group) });
    };
    const judged = [...types.keys()].filter((leaf) => types[leaf] === LOCALITY_TYPE && placedBy[leaf] !== 'hand');
    for (const leaf of judged) if (this.isWrong(leaf, STRICT)) this.wrong.add(leaf);
    if (this.wrong.size >= Math.max(LEAST_SCATTERED, SCATTERED_SHARE * judged.length)) {
      for (const leaf of judged) if (this.isWrong(leaf, SCATTERED)) this.wrong.add(leaf);
    }
    // Where next to no row is wrong, a row that looks wrong lies in a remote corner.
    if (this.wrong.size < LEAST_WRONG_SHARE * judged.length) this.wrong.clear();
    const placing = new Placing(this.leafPoints, this.homes, this.wrong);
    for (const leaf of this.wrong) {
      const position = placing.positionOf(leaf);
      // What lies in the very middle of its own is right, whatever lies around.
      if (position?.latitude === latitudes[leaf] && position?.longitude === longitudes[leaf]) continue;
      if (position === undefined) {
        note(leaf, 'coarse', 'position: coarse');
        continue;
      }
      [latitudes[leaf], longitudes[leaf]] = [position.latitude, position.longitude];
      note(leaf, 'agreement', 'position: by its code and unit');
    }
    for (const leaf of this.standIns()) {
      if (!isCoarse(sources[leaf])) note(leaf, 'coarse', 'position: stands for a whole area');
    }
    return { latitudes, longitudes, sources, changes };
  }

  private isWrong(leaf: number, { codeRatio, isByRegion, straysAround }: Strictness): boolean {
    const { inner, region } = this.homes.homesOf(leaf);
    if (inner === undefined || this.homes.isNear(leaf, inner.group)) return false;
    const home = isByRegion ? region : inner;
    if (home === undefined || !this.isBeyond(leaf, home.group, home.farRatio)) return false;
    const { unit, group } = home;
    const codes = this.codeGroupOf(leaf);
    // Few codes begin like those of a city: all of them may lie at one wrong point.
    const isFromCodes =
      codes === undefined
        ? this.homes.kmOff(leaf, group) >= FAR_WITHOUT_CODES_KM
        : this.isBeyond(leaf, codes, codeRatio);
    return isFromCodes && this.ownAround(leaf, unit) <= straysAround;
  }

  private isBeyond(leaf: number, group: PointGroup, ratio: number): boolean {
    return this.homes.kmOff(leaf, group) > reachKm(group, ratio);
  }

  /** The codes next to a leaf's: its own or, where these are too few, those that begin alike. */
  private codeGroupOf(leaf: number): PointGroup | undefined {
    for (const prefix of prefixesOf(this.leafPoints.codeOf(leaf))) {
      if (!this.codeGroups.has(prefix)) {
        this.codeGroups.set(prefix, this.homes.groupFrom(this.leafPoints.witnessesOfCode(prefix), LEAST_CODE_POINTS));
      }
      const group = this.codeGroups.get(prefix);
      if (group !== undefined) return group;
    }
    return undefined;
  }

  /** Of the points around a leaf, how many have a place of `unit` or of the leaf's codes; all where nothing is around. */
  private ownAround(leaf: number, unit: number): number {
    const point = this.leafPoints.points[leaf] as number;
    const prefix = widestPrefixOf(this.leafPoints.codeOf(leaf));
    const key = `${point} ${unit} ${prefix}`;
    let count = this.ownCounts.get(key);
    if (count === undefined) {
      const near = this.leafPoints.nearestPoints(point, AROUND);
      const own = near.filter((at) => {
        const { units, prefixes } = this.whatIsAt(at);
        return units.has(unit) || prefixes.has(prefix);
      });
      count = this.isInhabited(leaf, near) ? own.length : AROUND;
      this.ownCounts.set(key, count);
    }
    return count;
  }

  /** The units of the localities at a point, and the widest beginnings of their codes. */
  private whatIsAt(point: number): PointContents {
    let contents = this.contents.get(point);
    if (contents === undefined) {
      const leaves = this.leafPoints.leavesAt(point);
      const units = new Set(leaves.flatMap((leaf) => [...this.leafPoints.unitsAbove(leaf)]));
      contents = { units, prefixes: new Set(leaves.map((leaf) => widestPrefixOf(this.leafPoints.codeOf(leaf)))) };
      this.contents.set(point, contents);
    }
    return contents;
  }

  /** Whether half of the points around a leaf, given from the nearest on, are near. */
  private isInhabited(leaf: number, near: readonly number[]): boolean {
    const middle = near[AROUND / 2 - 1];
    if (middle === undefined) return false;
    const { latitudes, longitudes } = this.leafPoints;
    return (
      this.homes.kmOff(leaf, { latitude: latitudes[middle] as number, longitude: longitudes[middle] as number }) <=
      AROUND_KM
    );
  }

  /**
   * The localities at points that stand for a whole first-level unit: places of many names, in many smaller units that
   * share nothing but the first-level one. The point of a town and of what lies around it stands for no more than that.
   */
  private *standIns(): Generator<number> {
    for (let point = 0; point < this.leafPoints.latitudes.length; point++) {
      const leaves = this.leafPoints.leavesAt(point);
      if (leaves.length < STAND_IN_UNITS) continue;
      const names = new Set(leaves.map((leaf) => this.places.texts[leaf]));
      const secondUnits = new Map(
        leaves.map((leaf) => [...this.leafPoints.unitsAbove(leaf)]).map((units) => [units.at(-2), units.at(-1)]),
      );
      secondUnits.delete(undefined);
      if (names.size < STAND_IN_UNITS || secondUnits.size < STAND_IN_UNITS) continue;
      const roots = new Set(secondUnits.values());
      const isWide = [...roots].every((root) => (this.homes.unitGroup(root as number)?.radiusKm ?? 0) >= WIDE_KM);
      if (isWide) yield* leaves.filter((leaf) => this.places.placedBy[leaf] !== 'hand');
    }
  }
}
