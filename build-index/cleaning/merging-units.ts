/**
 * Admin units that a release has twice: under two names of one code (Landkreis Böblingen, Böblingen), in two spellings
 * (Criuleni-Dub., Criuleni- Dub.), in two languages (Bayern, Bavaria). They become one, which has the name that the
 * country uses and the id of the unit of that name; what lies in the others moves to it with its own id. Units whose
 * codes contradict each other stay apart, unless what lies in them is the same.
 */
import { isLeafType, LOCALITY_TYPE } from '../../src/format/place-levels.js';
import { type CollectedPlaces, NO_UNIT } from '../tree/collecting.js';
import { areAlike, chooseUnit, type NamedUnit, spellingOf } from './unit-names.js';

/** Of the leaves of a unit, the share that lies in units which another has as well, from which on the two are one. */
const SHARED = 0.5;
/** A unit of which another one has a smaller share than this is the one's: the other's rows in it are strays. */
const STRAY = 0.1;
/** Few siblings share a spelling or a code; in a release in which thousands do, so many of them are compared. */
const LOOKED_AT = 100;
/** In so many units at most a code may stand that says that two roots are one. */
const MOST_OF_ONE_CODE = 8;

export interface UnitMerge {
  readonly unit: number;
  readonly into: number;
}

/** The units that are another one, outer units first. The order and the content of `places` stay as they are. */
export function findUnitMerges(places: CollectedPlaces): UnitMerge[] {
  return new UnitMerging(places).find();
}

class UnitMerging {
  /** By unit, the unit that it is now. */
  private readonly now = new Map<number, number>();
  private readonly localityCounts: Uint32Array;
  private readonly leafCounts: Uint32Array;
  /** By place, the root above it in the release. */
  private readonly roots: Int32Array;

  constructor(private readonly places: CollectedPlaces) {
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
            this.now.set(unit, into);
            merges.push({ unit, into });
          }
        }
      }
    }
    return merges;
  }

  /** The units of a column in groups of one parent, where the parents that are one have become one. */
  private siblingsOf(column: number): number[][] {
    const byParent = new Map<number, number[]>();
    this.places.types.forEach((type, unit) => {
      if (type !== column) return;
      const parent = this.places.parents[unit] as number;
      const key = this.now.get(parent) ?? parent;
      const siblings = byParent.get(key);
      if (siblings === undefined) byParent.set(key, [unit]);
      else siblings.push(unit);
    });
    return [...byParent.values()].filter((siblings) => siblings.length > 1);
  }

  /** The groups of siblings that are one unit. */
  private groupsOf(siblings: readonly number[], column: number): number[][] {
    const unions = new Unions();
    for (const same of groupBy(siblings, (unit) => this.textOf(unit))) {
      for (const unit of same) unions.unite(same[0] as number, unit);
    }
    const uniteWithin = (key: (unit: number) => string, isOne: (a: number, b: number) => boolean): void => {
      for (const alike of groupBy(siblings, key)) {
        const looked = alike.slice(0, LOOKED_AT);
        looked.forEach((b, index) => {
          for (const a of looked.slice(0, index)) if (isOne(a, b)) unions.unite(a, b);
        });
      }
    };
    uniteWithin(
      (unit) => spellingOf(this.textOf(unit)),
      (a, b) => this.codeOf(a) === this.codeOf(b),
    );
    uniteWithin(
      (unit) => this.ownCodeOf(unit),
      (a, b) => this.areOfMergedRoots(a, b) || areAlike(this.textOf(a), this.textOf(b)),
    );
    if (column === 0) for (const [a, b] of this.pairsOfSharedUnits(siblings)) unions.unite(a, b);
    return unions.groups();
  }

  /**
   * Pairs of which one has most of its leaves in units whose codes the other has as well, mostly under the same names:
   * Bayern, Bavaria. Where codes start anew in each root the names differ.
   */
  private pairsOfSharedUnits(roots: readonly number[]): [number, number][] {
    return [...this.unitsOfSharedCodes(new Set(roots))].flatMap(([key, sameByUnit]) => {
      const [a, b] = key.split(' ').map(Number) as [number, number];
      if (this.countLeavesIn(sameByUnit) < SHARED * (this.leafCounts[a] as number)) return [];
      const alike = [...sameByUnit].filter(([unit, same]) => areAlike(this.textOf(unit), this.textOf(same)));
      return alike.length >= SHARED * sameByUnit.size ? [[a, b]] : [];
    });
  }

  /** By pair of roots, the units of the first root with the units of the second root that have the same code. */
  private unitsOfSharedCodes(roots: ReadonlySet<number>): ReadonlyMap<string, ReadonlyMap<number, number>> {
    const unitsByCode = new Map<string, number[]>();
    this.places.types.forEach((type, unit) => {
      if (isLeafType(type) || !roots.has(this.roots[unit] as number) || unit === this.roots[unit]) return;
      const code = this.ownCodeOf(unit);
      if (code === '') return;
      const key = `${type}\t${code}`;
      const same = unitsByCode.get(key);
      if (same === undefined) unitsByCode.set(key, [unit]);
      else same.push(unit);
    });
    const shared = new Map<string, Map<number, number>>();
    for (const units of unitsByCode.values()) {
      // A code that many roots have starts anew in each of them.
      if (units.length > MOST_OF_ONE_CODE) continue;
      for (const a of units) {
        for (const b of units) {
          if (this.roots[a] === this.roots[b]) continue;
          const [inA, inB] = [this.leafCounts[a] as number, this.leafCounts[b] as number];
          if (inB < STRAY * (inA + inB)) continue;
          const key = `${this.roots[a]} ${this.roots[b]}`;
          const ofPair = shared.get(key) ?? new Map<number, number>();
          shared.set(key, ofPair.set(a, b));
        }
      }
    }
    return shared;
  }

  /** Whether two units have come from two roots that are one: then a code means the same in both. */
  private areOfMergedRoots(a: number, b: number): boolean {
    const [rootA, rootB] = [this.roots[a] as number, this.roots[b] as number];
    return rootA !== rootB && (this.now.get(rootA) ?? rootA) === (this.now.get(rootB) ?? rootB);
  }

  /** The leaves that lie in any of these units. */
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

  /** All codes of a unit; empty where it has none. */
  private codeOf(unit: number): string {
    return [...(this.places.codes[unit] as ReadonlySet<string>)].sort().join(',');
  }

  /** The only code of a unit; empty where it has none or several, or only that of its parent. */
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
      isOfStayingRoot: !this.now.has(this.roots[unit] as number),
      localityCount: this.localityCounts[unit] as number,
      leafCount: this.leafCounts[unit] as number,
    };
  }
}

/** Sets of units that are one. */
class Unions {
  private readonly parents = new Map<number, number>();

  unite(a: number, b: number): void {
    const [one, other] = [this.rootOf(a), this.rootOf(b)];
    this.parents.set(one, one);
    this.parents.set(other, one);
  }

  /** The sets of two units or more. */
  groups(): number[][] {
    const byRoot = new Map<number, number[]>();
    for (const unit of this.parents.keys()) {
      const root = this.rootOf(unit);
      const group = byRoot.get(root);
      if (group === undefined) byRoot.set(root, [unit]);
      else group.push(unit);
    }
    return [...byRoot.values()].filter((group) => group.length > 1);
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

/** The groups of two or more units that share a key; an empty key is none. */
function groupBy(units: readonly number[], keyOf: (unit: number) => string): number[][] {
  const groups = new Map<string, number[]>();
  for (const unit of units) {
    const key = keyOf(unit);
    const group = groups.get(key);
    if (key === '') continue;
    if (group === undefined) groups.set(key, [unit]);
    else group.push(unit);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}
