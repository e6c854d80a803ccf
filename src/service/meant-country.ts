/**
 * The country that a client means by a text that is no country code: "UK", "DEU", "Germany". Only error messages name
 * it. A text costs its folding and four lookups; the first text of a snapshot also costs the tables of codes and names.
 */
import { foldText } from '../format/fold-text.js';
import { findCountryByName } from '../store/country-by-name.js';
import { oncePer } from '../store/once-per.js';
import type { Country, Snapshot } from '../store/snapshot.js';
import { namesOf } from './suggest/named-country.js';

/** Maximum length in characters of a text that is looked up: the longest name of a country has 44. */
const MAX_TYPED_LENGTH = 60;

/**
 * Codes that ISO 3166-1 reserves, by the country that has them or succeeded them; codes of several successors (AN, CS,
 * NT, SU, YU) are left out. EL is Greece in the European Union.
 */
const RESERVED_CODES = {
  AC: 'SH',
  BU: 'MM',
  DG: 'IO',
  EA: 'ES',
  EL: 'GR',
  FX: 'FR',
  IC: 'ES',
  TA: 'SH',
  TP: 'TL',
  UK: 'GB',
  ZR: 'CD',
};

/** Parts of a country that people take for one, by their folded names. */
const PARTS = { england: 'GB', 'northern ireland': 'GB', scotland: 'GB', wales: 'GB' };

const SUBSTITUTES: ReadonlyMap<string, string> = new Map(Object.entries({ ...RESERVED_CODES, ...PARTS }));

const codesByAlpha3 = oncePer(
  ({ countries }: Snapshot): ReadonlyMap<string, string> =>
    new Map(countries.map(({ entry }) => [entry.alpha3, entry.code])),
);

/** Finds the code of the country that a text means. */
export type CountryFinder = (typed: string) => string | undefined;

export function countryFinderOf(snapshot: Snapshot): CountryFinder {
  return (typed) => findMeantCountry(snapshot, typed);
}

/** The code of a country of the snapshot. */
export function findMeantCountry(snapshot: Snapshot, typed: string): string | undefined {
  if (typed.length > MAX_TYPED_LENGTH) return undefined;
  const code = typed.trim().toUpperCase();
  const name = foldText(typed);
  const meant =
    SUBSTITUTES.get(code) ??
    SUBSTITUTES.get(name) ??
    codesByAlpha3(snapshot).get(code) ??
    namesOf(snapshot).get(name)?.entry.code ??
    code;
  return snapshot.countryByCode.has(meant) ? meant : undefined;
}

/** The country that a text means, also one without data by its name in its own languages. */
export function findCountryByText(snapshot: Snapshot, typed: string): Country | undefined {
  const text = typed.trim();
  if (text === '' || text.length > MAX_TYPED_LENGTH) return undefined;
  const upper = text.toUpperCase();
  const code = snapshot.countryByCode.has(upper) ? upper : findMeantCountry(snapshot, text);
  if (code !== undefined) return snapshot.countryByCode.get(code);
  const number = findCountryByName(snapshot.worldNames, foldText(text));
  return number === undefined ? undefined : snapshot.countries[number];
}
