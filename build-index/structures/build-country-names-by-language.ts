/**
 * Writes the names of countries in other languages (src/core/snapshot/names-by-language.ts) from the CLDR data in Node, in
 * the languages that most names of the gazetteer are in.
 */

import type { CountryFacts } from '../data-tables/country-facts.js';
import type { AlternateName } from '../gazetteer/alternate-name-row.js';
import { chooseNames, type LanguageNames } from '../gazetteer/names-by-language.js';
import type { Gazetteer } from '../gazetteer/read-gazetteer.js';
import { encodeNamesByLanguage } from './encode-names-by-language.js';

/** Number of languages with most names whose names of countries are written down. */
const COUNTRY_LANGUAGES = 40;
/** The language of the names that countries have in the facts of countries. */
const FACTS_LANGUAGE = 'en';
/** Traditional Chinese beside simplified Chinese, which CLDR has as "zh". */
const FURTHER_LANGUAGES: Readonly<Record<string, string>> = { zh: 'zh-Hant' };

/**
 * The chunks of the section of the world, for the countries of the manifest in its order. The section also has the tags
 * of all languages of the gazetteer, whichever countries are built.
 */
export function buildCountryNamesByLanguage(
  facts: readonly Pick<CountryFacts, 'code' | 'name'>[],
  { citiesByCountry, unitNamesByCountry }: Pick<Gazetteer, 'citiesByCountry' | 'unitNamesByCountry'>,
): Uint8Array[] {
  const counts = new Map<string, number>();
  const count = (names: readonly AlternateName[]): void => {
    for (const tag of chooseNames(names).keys()) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  };
  for (const cities of citiesByCountry.values()) for (const { alternateNames } of cities) count(alternateNames);
  for (const units of unitNamesByCountry.values()) for (const names of units.values()) count(names);
  const languages = [...counts]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, COUNTRY_LANGUAGES)
    .flatMap(([tag]) => [tag, FURTHER_LANGUAGES[tag] ?? []].flat())
    .filter((tag) => Intl.DisplayNames.supportedLocalesOf(tag).length > 0);
  const displays = [...new Set(languages)].map((tag) => {
    return { tag, names: new Intl.DisplayNames(tag, { type: 'region', fallback: 'none' }) };
  });
  const named = facts.map(({ code, name }, number): [number, LanguageNames] => {
    const names = displays.flatMap(({ tag, names }): [string, string][] => {
      const other = tag === FACTS_LANGUAGE ? name : names.of(code);
      return other === undefined ? [] : [[tag, other]];
    });
    return [number, new Map(names)];
  });
  return encodeNamesByLanguage(named, (number) => facts[number]?.name as string, counts.keys());
}
