/**
 * The first-level subdivisions of ISO 3166-2 with their names (data/subdivision-names.tsv), and the subdivisions of the
 * units that names don't settle (data/subdivision-codes.tsv).
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { appendToGroup } from '../ordering/grouping.js';
import { readDataTableOnce } from './data-table.js';

export interface Subdivision {
  /** The code without the country: "52" of IT-52. */
  readonly code: string;
  /** Null where CLDR has no English name that is right. */
  readonly english: string | null;
  /** The English name, and the names in the country's languages. */
  readonly names: readonly string[];
}

export interface EnglishSubdivision extends Subdivision {
  readonly english: string;
}

const byCountry = readDataTableOnce('subdivision-names.tsv', (lines) => {
  const found = new Map<string, Subdivision[]>();
  for (const [code = '', english, ...names] of lines) {
    const subdivision = english === '' ? { english: null, names } : { english, names: [english, ...names] };
    appendToGroup(found, code.slice(0, 2), { code: code.slice(3), ...subdivision } as Subdivision);
  }
  return found;
});

const codesByUnit = readDataTableOnce('subdivision-codes.tsv', (lines) => {
  const keyed = lines.map(
    ([code = '', name = '']) => [`${code.slice(0, 2)}\t${foldText(name)}`, code.slice(3)] as const,
  );
  return new Map(keyed);
});

export function subdivisionsOf(countryCode: string): readonly Subdivision[] {
  return byCountry().get(countryCode) ?? [];
}

/** Those with an English name; none if no subdivision of the country has an English name of its own. */
export function englishSubdivisionsOf(countryCode: string): readonly EnglishSubdivision[] {
  const named = subdivisionsOf(countryCode).filter((one): one is EnglishSubdivision => one.english !== null);
  return named.some(hasOwnEnglishName) ? named : [];
}

function hasOwnEnglishName({ english, names: [, ...others] }: EnglishSubdivision): boolean {
  return others.length > 0 && others.every((name) => foldText(name) !== foldText(english));
}

/**
 * The code, without the country, of the subdivision that a unit is: empty if the table says that it is none, undefined if
 * the table lacks the unit. `name` is a name of the unit in the release.
 */
export function subdivisionCodeOf(countryCode: string, name: string): string | undefined {
  return codesByUnit().get(`${countryCode}\t${foldText(name)}`);
}
