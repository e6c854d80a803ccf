/**
 * Finds duplicate admin units: two names with one code (Landkreis Böblingen, Böblingen), two spellings (Criuleni-Dub.,
 * Criuleni- Dub.), two languages (Bayern, Bavaria). They merge into the unit with the name that the country uses, which
 * keeps its id; the places of the other units move there and keep their ids. Units with contradicting codes stay
 * separate, unless they contain the same units.
 */

import { isLeafType, LOCALITY_TYPE } from '../../src/core/snapshot/place-type.js';
import type { UnitNames } from '../data-tables/unit-names.js';
import { appendToGroup, groupBy } from '../ordering/grouping.js';
import { type CollectedPlaces, NO_UNIT } from '../tree/collected-places.js';
import { chooseUnit, isSameUnitName, type NamedUnit, unitNameMatchKey } from './unit-name-matching.js';

/** Minimum share of a root's leaves in units that another root has too for the roots to be duplicates: a majority. */
const MIN_SHARED = 0.5;
/** Minimum share of the leaves of two units with one code in the second of them: below it they are stray rows. */
const MIN_SHARE_OF_PAIR = 0.1;
/** Maximum number of siblings with one spelling or code to compare: pairs grow quadratically in a hostile release. */
const MAX_COMPARED = 100;
/** Maximum number of units with a code that links two roots: more units mean that codes restart in each root. */
const MAX_UNITS_OF_CODE = 8;

interface UnitMerge {
  readonly unit: number;
  readonly into: number;
}

/**
 * The units to merge into another unit, outer units first. `unitNames` are the names that replace released ones later.
 * Does not change `places`.
 */
export function findUnitMerges(places: CollectedPlaces, unitNames: UnitNames): UnitMerge[] {
  return new UnitMerging(places, unitNames).find();
}

class UnitMerging {
  /** By merged unit, the unit that it is part of now. */
  private readonly mergedInto = new Map<number, number>();
  private readonly localityCounts: Uint32Array;
  private readonly leafCounts: Uint32Array;
  /** By place, its root in the release. */
  private readonly roots: Int32Array;

  constructor(
    private readonly places: CollectedPlaces,
    private readonly unitNames: UnitNames,
  ) {
    const { parents, types } = places;
    this.localityCounts = new Uint32Array(parents.length);
    this.leafCounts = new Uint32Array(parents.length);
    this.roots = new Int32Array(parents.length);
    for (let place = 0; place < parents.length; place++) {
      const parent = parents[place] as number;
      this.roots[place] = parent === NO_UNIT ? place : (this.roots[parent] as number);
      if (!isLeafType(types[place])) continue;
      for (let at = parents[place] as number; at !== NO_UNIT; at = parents[at] as number) {
        this.leafCounts[at] = (this.leafCounts[at] as number) + 1;
        if (types[place] === LOCALITY_TYPE) this.localityCounts[at] = (this.localityCounts[at] as number) + 1;
      }
    }
  }

  find(): UnitMerge[] {
    const merges: UnitMerge[] = [];
    for (let column = 0; column < LOCALITY_TYPE; column++) {
      for (const siblings of this.siblingsOf(column)) {
        for (const group of this.groupsOf(siblings, column)) {
          const into = chooseUnit(group.map((unit) => this.named(unit)));
          for (const unit of group.filter((other) => other !== into)) {
            this.mergedInto.set(unit, into);
            merges.push({ unit, into });
          }
        }
      }
    }
    return merges;
  }

  /** The units of a column, grouped by parent after the merges of outer units. */
  private siblingsOf(column: number): number[][] {
    const units: number[] = [];
    this.places.types.forEach((type, unit) => {
      if (type === column) units.push(unit);
    });
    return listGroups(units, (unit) => {
      const parent = this.places.parents[unit] as number;
      return this.mergedInto.get(parent) ?? parent;
    });
  }

  /** The groups of siblings that are duplicates of each other. */
  private groupsOf(siblings: readonly number[], column: number): number[][] {
    const sets = new DisjointSets();
    for (const same of listGroups(siblings, (unit) => this.ownNameOf(unit, column))) {
      for (const unit of same) sets.unite(same[0] as number, unit);
    }
    const uniteWithin = (key: (unit: number) => string, isOne: (a: number, b: number) => boolean): void => {
      for (const same of listGroups(siblings, key)) {
        const compared = same.slice(0, MAX_COMPARED);
        compared.forEach((b, index) => {
          for (const a of compared.slice(0, index)) if (isOne(a, b)) sets.unite(a, b);
        });
      }
    };
    uniteWithin(
      (unit) => unitNameMatchKey(this.textOf(unit)),
      (a, b) => this.codeOf(a) === this.codeOf(b),
    );
    uniteWithin(
      (unit) => this.ownCodeOf(unit),
      (a, b) => this.areOfMergedRoots(a, b) || isSameUnitName(this.textOf(a), this.textOf(b)),
    );
    if (column === 0) for (const [a, b] of this.pairsOfSharedUnits(siblings)) sets.unite(a, b);
    return sets.groups();
  }

  /**
   * Pairs of roots of which one has most of its leaves in units whose codes, and mostly names, the other has too:
   * Bayern, Bavaria. In a country where codes restart in each root the names differ.
   */
  private pairsOfSharedUnits(roots: readonly number[]): [number, number][] {
    return [...this.unitsOfSharedCodes(new Set(roots))].flatMap(([key, sameByUnit]) => {
      const [a, b] = key.split(' ').map(Number) as [number, number];
      if (this.countLeavesIn(sameByUnit) < MIN_SHARED * (this.leafCounts[a] as number)) return [];
      const sameNames = [...sameByUnit].filter(([unit, same]) => isSameUnitName(this.textOf(unit), this.textOf(same)));
      return sameNames.length >= MIN_SHARED * sameByUnit.size ? [[a, b]] : [];
    });
  }

  /** By pair of roots, the units of the first root with the units of the second root that have the same code. */
  private unitsOfSharedCodes(roots: ReadonlySet<number>): ReadonlyMap<string, ReadonlyMap<number, number>> {
    const unitsByCode = new Map<string, number[]>();
    this.places.types.forEach((type, unit) => {
      if (isLeafType(type) || !roots.has(this.roots[unit] as number) || unit === this.roots[unit]) return;
      const code = this.ownCodeOf(unit);
      if (code !== '') appendToGroup(unitsByCode, `${type}\t${code}`, unit);
    });
    const shared = new Map<string, Map<number, number>>();
    for (const units of unitsByCode.values()) {
      // Codes with many units restart in each root.
      if (units.length > MAX_UNITS_OF_CODE) continue;
      for (const a of units) {
        for (const b of units) {
          if (this.roots[a] === this.roots[b]) continue;
          const [inA, inB] = [this.leafCounts[a] as number, this.leafCounts[b] as number];
          if (inB < MIN_SHARE_OF_PAIR * (inA + inB)) continue;
          const key = `${this.roots[a]} ${this.roots[b]}`;
          const ofPair = shared.get(key) ?? new Map<number, number>();
          shared.set(key, ofPair.set(a, b));
        }
      }
    }
    return shared;
  }

  /** Whether two units come from two merged roots, in which equal codes mean the same unit. */
  private areOfMergedRoots(a: number, b: number): boolean {
    const [rootA, rootB] = [this.roots[a] as number, this.roots[b] as number];
    return rootA !== rootB && (this.mergedInto.get(rootA) ?? rootA) === (this.mergedInto.get(rootB) ?? rootB);
  }

  /** The number of leaves in any of these units, each counted once. */
  private countLeavesIn(units: ReadonlyMap<number, number>): number {
    let count = 0;
    for (const unit of units.keys()) {
      let isInAnother = false;
      for (let at = this.places.parents[unit] as number; at !== NO_UNIT; at = this.places.parents[at] as number) {
        isInAnother ||= units.has(at);
      }
      if (!isInAnother) count += this.leafCounts[unit] as number;
    }
    return count;
  }

  private textOf(unit: number): string {
    return this.places.texts[unit] as string;
  }

  private ownNameOf(unit: number, column: number): string {
    return this.unitNames.nameOf(column, this.textOf(unit)) ?? this.textOf(unit);
  }

  /** All codes of a unit; empty if it has none. */
  private codeOf(unit: number): string {
    return [...(this.places.codes[unit] as ReadonlySet<string>)].sort().join(',');
  }

  /** The only code of a unit; empty if it has none, several, or only its parent's. */
  private ownCodeOf(unit: number): string {
    const codes = this.places.codes[unit] as ReadonlySet<string>;
    const [code = ''] = codes;
    const parentCodes = this.places.codes[this.places.parents[unit] as number];
    return codes.size === 1 && parentCodes?.has(code) !== true ? code : '';
  }

  private named(unit: number): NamedUnit {
    const names: string[] = [];
    for (let at = unit; at !== NO_UNIT; at = this.places.parents[at] as number) names.unshift(this.textOf(at));
    return {
      unit,
      text: this.textOf(unit),
      path: names.join('\t'),
      hasKeptRoot: !this.mergedInto.has(this.roots[unit] as number),
      localityCount: this.localityCounts[unit] as number,
      leafCount: this.leafCounts[unit] as number,
    };
  }
}

/** Disjoint sets of units (union-find). */
class DisjointSets {
  private readonly parents = new Map<number, number>();

  unite(a: number, b: number): void {
    const [one, other] = [this.rootOf(a), this.rootOf(b)];
    this.parents.set(one, one);
    this.parents.set(other, one);
  }

  /** The sets of two units or more. */
  groups(): number[][] {
    return listGroups(this.parents.keys(), (unit) => this.rootOf(unit));
  }

  private rootOf(unit: number): number {
    let root = unit;
    for (let next = this.parents.get(root) ?? root; next !== root; next = this.parents.get(root) ?? root) {
      // Path halving (Tarjan and van Leeuwen 1984).
      this.parents.set(root, this.parents.get(next) ?? next);
      root = next;
    }
    return root;
  }
}

/** The groups of two or more units with the same key, except the empty key. */
function listGroups(units: Iterable<number>, keyOf: (unit: number) => number | string): number[][] {
  return [...groupBy(units, keyOf)].flatMap(([key, group]) => (key !== '' && group.length > 1 ? [group] : []));
}
