/**
 * What lies directly in a unit or a country, sorted into kinds: areas (units with others in them), cities with their
 * codes, towns without a postal code, and recipients, each once. One pass over the children: 10 ns for each.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { oncePer } from '../../base/once-per.js';
import { packageRoot } from '../../base/package-root.js';
import {
  childrenOf,
  citiesOf,
  haveOneName,
  isArea,
  isLocalityAt,
  isRecipientAt,
  isUnitAt,
  parentOf,
} from '../../core/lookup/cities.js';
import { readKind } from '../../core/snapshot/place-fields.js';
import { LEVEL_COUNT } from '../../core/snapshot/place-tree.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';
import type { CoveredCountry } from '../site-snapshot.js';

export interface UnitParts {
  readonly areas: readonly number[];
  /** The first place of each city. */
  readonly cities: readonly number[];
  /** Units without anything in them: the gazetteer's towns that no row of the release names. */
  readonly towns: readonly number[];
  /** The first place of each recipient. */
  readonly recipients: readonly number[];
}

/** Children from which on it pays to remember the parts: 10 µs to tell. */
export const MANY_CHILDREN = 1_000;
const rememberedOf = oncePer((_: CountryStructures) => new Map<number | undefined, UnitParts>());

/** Parts of units with MANY_CHILDREN are remembered: the world has 49 such units with 290,000 places. */
export function partsOf(structures: CountryStructures, unit: number | undefined): UnitParts {
  const remembered = rememberedOf(structures);
  const found = remembered.get(unit);
  if (found !== undefined) return found;
  const { start, end } = childrenOf(structures, unit);
  const parts = sortChildren(structures, start, end);
  if (end - start >= MANY_CHILDREN) remembered.set(unit, parts);
  return parts;
}

function sortChildren(structures: CountryStructures, start: number, end: number): UnitParts {
  const cities = citiesOf(structures);
  const parts = { areas: [] as number[], cities: [] as number[], towns: [] as number[], recipients: [] as number[] };
  for (let child = start; child < end; child++) {
    if (cities.cities[child] !== child) continue;
    if (isRecipientAt(cities, child)) parts.recipients.push(child);
    else if (!isUnitAt(cities, child)) parts.cities.push(child);
    else if (isArea(structures, child)) parts.areas.push(child);
    else parts.towns.push(child);
  }
  return parts;
}

/*
 * What a country calls its units in English (data/unit-terms.tsv): a region of Germany is a state. Where the table has
 * no term, the type itself is the term.
 */

export interface Term {
  readonly one: string;
  readonly many: string;
}

/** The columns of the table, in their order. */
const UNIT_TYPES = ['region', 'district', 'municipality'] as const;
const PLURALS: Readonly<Record<string, string>> = { municipality: 'municipalities' };
const AREA: Term = { one: 'area', many: 'areas' };

let table: ReadonlyMap<string, Term> | undefined;

/** The term for a unit's type in a country. */
export function termOf(countryCode: string, type: string): Term {
  table ??= readTable();
  return table.get(`${countryCode} ${type}`) ?? { one: type, many: PLURALS[type] ?? `${type}s` };
}

/** The term for several units: "areas" where they are of several types. */
export function termOfAll({ entry, structures }: CoveredCountry, units: readonly number[]): Term {
  const [type, ...more] = new Set(units.map((unit) => readKind(structures, unit)));
  return type === undefined || more.length > 0 ? AREA : termOf(entry.code, type);
}

function readTable(): Map<string, Term> {
  const terms = new Map<string, Term>();
  for (const line of readFileSync(join(packageRoot(), 'data', 'unit-terms.tsv'), 'utf8').split('\n')) {
    const [code, ...columns] = line.split('\t');
    columns.forEach((column, at) => {
      const [one = '', many = `${one}s`] = column.split('/');
      if (one !== '') terms.set(`${code} ${UNIT_TYPES[at]}`, { one, many });
    });
  }
  return terms;
}

/*
 * Chains of single children: where a unit has one city or one unit and nothing else, both are one page (Vaduz › Vaduz,
 * Paris › Paris). Recipients and towns without a postal code don't count. Costs one pass over the children of each unit
 * of the chain, which ends at the second city; the parts of units with many children are remembered.
 */

export interface Chain {
  /** The units, the outermost first. */
  readonly units: readonly number[];
  /** The first place of the city at its end; undefined if the chain ends in a unit with several children. */
  readonly city: number | undefined;
}

export function findChain(structures: CountryStructures, place: number): Chain {
  const cities = citiesOf(structures);
  const start = cities.cities[place] as number;
  const units: number[] = [];
  let at = start;
  for (let parent = parentOf(structures, at); parent !== undefined; parent = parentOf(structures, parent)) {
    if (onlyChildOf(structures, parent) !== at || units.length === LEVEL_COUNT) break;
    units.unshift(parent);
    at = parent;
  }
  if (!isUnitAt(cities, start)) return { units, city: start };
  units.push(start);
  let below = onlyChildOf(structures, start);
  // In a damaged file a unit can lie in itself.
  while (below !== undefined && isUnitAt(cities, below) && units.length <= LEVEL_COUNT) {
    units.push(below);
    below = onlyChildOf(structures, below);
  }
  return { units, city: below !== undefined && isUnitAt(cities, below) ? undefined : below };
}

/** The one city, or the one unit with others in it, that a unit has; undefined if it has none or several. */
function onlyChildOf(structures: CountryStructures, unit: number): number | undefined {
  const cities = citiesOf(structures);
  const { start, end } = childrenOf(structures, unit);
  if (end - start >= MANY_CHILDREN) {
    const parts = partsOf(structures, unit);
    const [only, another] = [...parts.areas.slice(0, 2), ...parts.cities.slice(0, 2)];
    return another === undefined ? only : undefined;
  }
  let only: number | undefined;
  for (let child = start; child < end; child++) {
    if (!isLocalityAt(cities, child) && !isArea(structures, child)) continue;
    const standing = cities.cities[child] as number;
    if (only !== undefined && only !== standing) return undefined;
    only = standing;
  }
  return only;
}

/**
 * The place at whose address search engines should keep the page of a place: the first of its city, or the outermost
 * unit around it whose page is the same and has the same name.
 */
export function canonicalPlace(structures: CountryStructures, place: number): number {
  const cities = citiesOf(structures);
  let at = cities.cities[place] as number;
  if (!isLocalityAt(cities, at) && !isArea(structures, at)) return at;
  for (let level = 1; level < LEVEL_COUNT; level++) {
    const parent = parentOf(structures, at);
    if (parent === undefined || !haveOneName(structures.renderedPlaces, parent, at)) break;
    if (onlyChildOf(structures, parent) !== at) break;
    at = parent;
  }
  return at;
}
