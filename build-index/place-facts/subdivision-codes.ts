/**
 * The ISO 3166-2 codes of the first-level units of a country, matched one to one: a code belongs to one unit at most,
 * and a unit to one code. An ambiguous unit has none. In this order, each rule for the units and codes that are left:
 *
 *   by hand   data/subdivision-codes.tsv has the unit, with a code or without
 *   by code   the release uses the codes of ISO (usesFirstLevelUnitCodes), and the unit has a code that no other unit has
 *   by name   a name with a word for the kind is the same: "Moskovskaya Oblast", "Oblast Moskovskaya"
 *   by core   the names are the same without words for the kind: "Kanton Bern", "Berne, Canton de"; if "Minsk" is a
 *             region and a city in ISO, and one unit in the release, the unit has no code
 *
 * A unit with one subdivision by its name and another by its code has none.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { type Subdivision, subdivisionCodeOf, subdivisionsOf } from '../data-tables/subdivisions.js';
import { appendToGroup } from '../ordering/grouping.js';
import { listFirstLevelUnits, type NamedTree, type Region, usesFirstLevelUnitCodes } from './first-level-units.js';

/** Folded words for kinds of units and small words between names, in the languages of the releases. */
const KIND_WORDS: ReadonlySet<string> = new Set(
  (
    'state province provincia provincie provinsi oblast voblasts kray krai okrug respublika republic republika kanton ' +
    'canton cantone county region regione regiao departamento department departement depto district distrito ' +
    'prefecture governorate emirate parish division voivodeship apskritis maakond lan fylke judet zupanija qarku qarqe ' +
    'megye il rayon rayonu municipality autonomous avtonomnaya avtonomnyy avtonomna land freistaat hansestadt city ' +
    'ciudad cidade horad stad ville kraj comunidad comunitat comunidade comunita autonoma principado foral metropolitan ' +
    'metropolitana national capital federal territory novads nov circonscription ' +
    'of de del la las los le el du des d da do di und and y i the il in ir is ix iz l hal haz ta tal tas'
  ).split(' '),
);

/** By first-level unit, the code of its subdivision without the country. */
export type SubdivisionCodes = ReadonlyMap<number, string>;

export function matchSubdivisionCodes(tree: NamedTree): SubdivisionCodes {
  const codesByHand = ({ writtenNames }: Region): (string | undefined)[] =>
    writtenNames.map((name) => subdivisionCodeOf(tree.countryCode, name));
  const regions = listFirstLevelUnits(tree).filter((region) => !codesByHand(region).includes(''));
  const matching = new Matching(regions, subdivisionsOf(tree.countryCode));
  matching.pair((region) => codesByHand(region).flatMap((code) => matching.withCode(code)));
  matching.pairByCodes();
  matching.pairByNames(listFullKeys);
  // A match by core can leave only one candidate for another unit.
  while (matching.pairByNames(listCoreKeys) > 0);
  return matching.codes;
}

/** Maximum number of units, and of codes, that a report lists of a country: a line of a terminal. */
const MAX_LISTED = 10;

/** The units of a country that have a code of ISO 3166-2, and what is left on either side. */
export interface SubdivisionTally {
  readonly countryCode: string;
  /** First-level units, each counted once. */
  readonly units: number;
  readonly unitsWithoutCode: number;
  /** Names of the first of these. */
  readonly unitNames: readonly string[];
  readonly codesWithoutUnit: number;
  /** The first of these with the country: DE-BY. */
  readonly codes: readonly string[];
}

export function tallySubdivisions(tree: NamedTree, matched: SubdivisionCodes): SubdivisionTally {
  const { countryCode } = tree;
  const regions = listFirstLevelUnits(tree);
  const unmatched = regions.filter(({ place }) => !matched.has(place));
  const used = new Set(matched.values());
  const unused = subdivisionsOf(countryCode).filter(({ code }) => !used.has(code));
  return {
    countryCode,
    units: regions.length,
    unitsWithoutCode: unmatched.length,
    unitNames: unmatched.slice(0, MAX_LISTED).map(({ writtenNames }) => writtenNames[0] as string),
    codesWithoutUnit: unused.length,
    codes: unused.slice(0, MAX_LISTED).map(({ code }) => `${countryCode}-${code}`),
  };
}

class Matching {
  readonly codes = new Map<number, string>();
  private readonly byCode: ReadonlyMap<string, Subdivision>;
  private units: readonly Region[];
  private left: readonly Subdivision[];

  constructor(regions: readonly Region[], subdivisions: readonly Subdivision[]) {
    this.byCode = new Map(subdivisions.map((subdivision) => [subdivision.code, subdivision]));
    this.units = regions;
    this.left = subdivisions;
  }

  withCode(code: string | undefined): Subdivision[] {
    const found = code === undefined ? undefined : this.byCode.get(code);
    return found === undefined ? [] : [found];
  }

  /** Pairs each unit that has one candidate with it, if the candidate is no other unit's. Returns the number of pairs. */
  pair(listCandidates: (region: Region) => readonly Subdivision[]): number {
    const found = this.findPairs(listCandidates);
    for (const [{ place }, { code }] of found) this.codes.set(place, code);
    this.units = this.units.filter((unit) => !found.has(unit));
    const paired = new Set(found.values());
    this.left = this.left.filter((subdivision) => !paired.has(subdivision));
    return found.size;
  }

  pairByNames(listKeys: (names: readonly string[]) => readonly string[]): number {
    return this.pair(this.candidatesBy(listKeys));
  }

  /** Does nothing in a country whose release doesn't use the codes of ISO. */
  pairByCodes(): void {
    const byName = this.findPairs(this.candidatesBy(listCoreKeys));
    if (!usesFirstLevelUnitCodes(this.units, byName, this.byCode)) return;
    const listByCode = ({ codes }: Region): Subdivision[] => codes.flatMap((code) => this.withCode(code));
    this.units = this.units.filter((unit) => {
      const named = byName.get(unit);
      return named === undefined || listByCode(unit).every((subdivision) => subdivision === named);
    });
    this.pair(listByCode);
  }

  private candidatesBy(
    listKeys: (names: readonly string[]) => readonly string[],
  ): (region: Region) => readonly Subdivision[] {
    const byKey = new Map<string, Subdivision[]>();
    for (const subdivision of this.left) {
      for (const key of new Set(listKeys(subdivision.names.map(foldText)))) appendToGroup(byKey, key, subdivision);
    }
    return ({ names }) => listKeys(names).flatMap((key) => byKey.get(key) ?? []);
  }

  private findPairs(listCandidates: (region: Region) => readonly Subdivision[]): Map<Region, Subdivision> {
    const unitsOf = new Map<Subdivision, Region[]>();
    const candidatesOf = new Map<Region, ReadonlySet<Subdivision>>();
    for (const unit of this.units) {
      const candidates = new Set(listCandidates(unit).filter((one) => this.left.includes(one)));
      candidatesOf.set(unit, candidates);
      for (const candidate of candidates) appendToGroup(unitsOf, candidate, unit);
    }
    const pairs = new Map<Region, Subdivision>();
    for (const [unit, candidates] of candidatesOf) {
      const [first] = candidates;
      if (candidates.size === 1 && unitsOf.get(first as Subdivision)?.length === 1) {
        pairs.set(unit, first as Subdivision);
      }
    }
    return pairs;
  }
}

/** The names that have a word for the kind, as words in any order. */
function listFullKeys(names: readonly string[]): string[] {
  return names
    .filter((name) => coreOf(name).length < wordsOf(name).length)
    .map((name) => wordsOf(name).sort().join(' '));
}

/** The names without words for the kind, as words in any order. */
function listCoreKeys(names: readonly string[]): string[] {
  return names.map((name) => coreOf(name).sort().join(' ')).filter((key) => key !== '');
}

function coreOf(name: string): string[] {
  return wordsOf(name).filter((word) => !KIND_WORDS.has(word));
}

function wordsOf(name: string): string[] {
  return name.split(' ');
}
