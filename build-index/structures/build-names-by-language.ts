/**
 * Writes the names of places in other languages (src/core/snapshot/names-by-language.ts): those of cities and first-level
 * units from the table of alternate names, those of countries from the CLDR data in Node. Only names that are plausible in
 * their language are taken, and none that is marked short, colloquial or historic; preferred names come first.
 */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { foldText } from '../../src/core/snapshot/fold-text.js';
import { normalizeTag, scriptOf } from '../../src/core/snapshot/language-tags.js';
import { NAMES_BY_LANGUAGE_SCHEMA, SHOWN_NAME } from '../../src/core/snapshot/names-by-language.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { LOCALITY_TYPE } from '../../src/core/snapshot/place-type.js';
import { isWiderThan } from '../gazetteer/place-order.js';
import type { PlacedCity } from '../gazetteer/placed-cities.js';
import type { AlternateName, Gazetteer, NamedCity, UnitNames } from '../gazetteer/read-gazetteer.js';
import { TreeAreas, wideRadiusKm } from '../gazetteer/tree-areas.js';
import type { CountryFacts } from '../reading/country-facts.js';
import { appendTo, memoize } from '../reading/grouping.js';
import type { CountryTree } from '../tree/country-tree.js';
import { startsOf } from './country-slices.js';

/** The name in each language, by tag. */
type LanguageNames = ReadonlyMap<string, string>;

/* Which names are plausible: in a script of the language, and no code, number or explanation. */

/** Scripts that some languages are written in besides their usual one; a name in it gets a tag of its own. */
const OTHER_SCRIPTS: Readonly<Record<string, string>> = {
  az: 'Cyrl',
  ku: 'Arab',
  sr: 'Latn',
  tt: 'Latn',
  ug: 'Latn',
  uz: 'Cyrl',
};
/** The scripts of Unicode that a script of ISO 15924 consists of, where it is not one of Unicode's itself. */
const PARTS_OF_SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  Hans: ['Hani', 'Bopo'],
  Hant: ['Hani', 'Bopo'],
  Jpan: ['Hani', 'Hira', 'Kana'],
  Kore: ['Hang', 'Hani'],
};
/** A code of an airport or a unit, a number, or an explanation in parentheses. */
const NO_NAME = /^[A-Z]{2,4}$|^[^\p{Ll}\p{Lo}]*\d[^\p{Ll}\p{Lo}]*$|[()（）]/u;

/** Whether all letters of a name are of a script. */
const createScriptTest = memoize((script) => {
  const parts = (PARTS_OF_SCRIPTS[script] ?? [script]).map((part) => `\\p{scx=${part}}`).join('');
  return new RegExp(`^[${parts}\\P{L}]*$`, 'u');
});

const normalizedTag = memoize((language) => normalizeTag(language));
const scriptOfTag = memoize((tag) => scriptOf(tag));

/** The tag under which a name is written down; undefined if it is no plausible name of its language. */
function tagOf({ name, language }: Pick<AlternateName, 'name' | 'language'>): string | undefined {
  const tag = normalizedTag(language);
  if (tag === undefined || NO_NAME.test(name)) return undefined;
  const script = scriptOfTag(tag);
  if (script === undefined || createScriptTest(script).test(name)) return tag;
  const other = OTHER_SCRIPTS[tag];
  return other !== undefined && createScriptTest(other).test(name) ? `${tag}-${other}` : undefined;
}

/** The first plausible name in each language; `names` are in the order of preference. */
function chooseNames(names: readonly AlternateName[]): LanguageNames {
  const chosen = new Map<string, string>();
  for (const alternate of names) {
    if (alternate.isShort || alternate.isColloquial || alternate.isHistoric) continue;
    const tag = tagOf(alternate);
    if (tag !== undefined && !chosen.has(tag)) chosen.set(tag, alternate.name.normalize('NFC'));
  }
  return chosen;
}

/* The names of a country's places. */

/** The chunks of the country's slice; none if no place has another name. */
export function buildNamesByLanguage(
  tree: CountryTree,
  cities: readonly PlacedCity[],
  unitNames: UnitNames,
): Uint8Array[] {
  const namesOf = new Map<number, LanguageNames>();
  const areas = new TreeAreas(tree);
  const fold = memoize(foldText);
  for (const placed of cities) {
    const names = chooseNames(placed.city.alternateNames);
    if (names.size > 0)
      for (const place of listNamedPlaces(tree, areas, placed, names, fold)) namesOf.set(place, names);
  }
  for (const [unit, code] of matchUnits(tree, areas, cities)) {
    const names = chooseNames(unitNames.get(code) ?? []);
    // Of a city that is a unit the city's names are the shorter ones: "Prag", not "Hauptstadt Prag".
    if (names.size > 0) namesOf.set(unit, new Map([...names, ...(namesOf.get(unit) ?? [])]));
  }
  return encodeNames(
    [...namesOf].sort(([one], [other]) => one - other),
    (place) => tree.names[place] as string,
  );
}

/**
 * The places that are a city and not only in it: its main place, and those with a name of the city or of the main place.
 * A unit that is wider than the city is the city only where no smaller place has the name.
 */
function listNamedPlaces(
  tree: CountryTree,
  areas: TreeAreas,
  { city, kind, places, isWider, isSynthesised }: PlacedCity,
  names: LanguageNames,
  fold: (name: string) => string,
): readonly number[] {
  const [first] = places;
  if (first === undefined || isSynthesised) return places;
  if (kind === 'shared place') return [];
  const foldedNames = (place: number): string[] =>
    [tree.names[place], tree.localNames[place]].map((name) => fold(name as string));
  const known = new Set([...[city.name, city.asciiName, ...names.values()].map(fold), ...foldedNames(first)]);
  const own = places.filter((place) => {
    // A first-level unit has names in the table.
    if (place === first) return !isWider || tree.parents[place] !== NO_PARENT;
    return foldedNames(place).some((name) => known.has(name)) && !isWiderUnit(areas, city, place);
  });
  return addNamesakes(tree, areas, city, own);
}

/** Adds the leaves near of the same name in the same unit: a match has one of them. Siblings of a name are together. */
function addNamesakes(
  { names, parents, types, latitudes, longitudes }: CountryTree,
  areas: TreeAreas,
  { population }: NamedCity,
  places: readonly number[],
): readonly number[] {
  const all = new Set(places);
  for (const place of places) {
    if (types[place] !== LOCALITY_TYPE) continue;
    const [latitude, longitude] = [latitudes[place] as number, longitudes[place] as number];
    const isNear = (other: number): boolean => areas.kmTo(latitude, longitude, other) <= wideRadiusKm(population);
    for (const step of [-1, 1]) {
      for (let at = place + step; names[at] === names[place] && parents[at] === parents[place]; at += step) {
        // Its own neighbours are added from there.
        if (all.has(at)) break;
        if (types[at] === LOCALITY_TYPE && isNear(at)) all.add(at);
      }
    }
  }
  return [...all];
}

function isWiderUnit(areas: TreeAreas, city: NamedCity, place: number): boolean {
  return !areas.isLeaf(place) && isWiderThan(areas, city, place);
}

/**
 * The codes of first-level units: a unit has the code that most of the gazetteer's cities in it have, if most of the
 * cities with this code are in the unit. So no two units have one code, where the release divides a country otherwise.
 */
function matchUnits(
  tree: CountryTree,
  areas: TreeAreas,
  cities: readonly PlacedCity[],
): readonly (readonly [unit: number, code: string])[] {
  const pairs = new Map<string, { readonly unit: number; readonly code: string; count: number }>();
  const [codesOfUnits, unitsOfCodes] = [new Map<number, string[]>(), new Map<string, number[]>()];
  for (const { city, places } of cities) {
    const code = city.adminCodes[0];
    const [first] = places;
    const unit = first === undefined ? undefined : outermost(tree, first);
    if (code === '' || unit === undefined || areas.isLeaf(unit)) continue;
    const pair = pairs.get(`${unit} ${code}`) ?? { unit, code, count: 0 };
    pair.count++;
    pairs.set(`${unit} ${code}`, pair);
    appendTo(codesOfUnits, unit, code);
    appendTo(unitsOfCodes, code, unit);
  }
  return [...pairs.values()].flatMap(({ unit, code, count }) => {
    const all = Math.max(codesOfUnits.get(unit)?.length ?? 0, unitsOfCodes.get(code)?.length ?? 0);
    return 2 * count > all ? [[unit, code] as const] : [];
  });
}

function outermost({ parents }: CountryTree, place: number): number {
  let unit = place;
  for (let at = parents[unit] as number; at !== NO_PARENT; at = parents[unit] as number) unit = at;
  return unit;
}

/* The names of countries. */

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
export function buildCountryNames(
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
  return encodeNames(named, (number) => facts[number]?.name as string, counts.keys());
}

/* Encodes the names of places in their order; `shownNameOf` tells the name that a place has anyway. */

function encodeNames(
  named: readonly (readonly [place: number, names: LanguageNames])[],
  shownNameOf: (place: number) => string,
  languages: Iterable<string> = [],
): Uint8Array[] {
  const distinct = new Set(languages);
  for (const names of new Set(named.map(([, names]) => names))) for (const tag of names.keys()) distinct.add(tag);
  const tags = [...distinct].sort();
  const languageOf = new Map(tags.map((tag, language) => [tag, language]));
  const numbers = new Map<string, number>();
  const listNumbers = new Map<string, number>();
  const listLengths: number[] = [];
  const [places, lists, entryLanguages, entryNames]: number[][] = [[], [], [], []];
  /** The number of the list of names of a place; undefined if it has no other name than the shown one. */
  const listOf = (names: LanguageNames, shown: string): number | undefined => {
    const entries = [...names]
      .map(([tag, name]) => [languageOf.get(tag) as number, name === shown ? '' : JSON.stringify(name)] as const)
      .sort(([one], [other]) => one - other);
    if (entries.every(([, json]) => json === '')) return undefined;
    const key = entries.join('\n');
    let list = listNumbers.get(key);
    if (list === undefined) {
      list = listNumbers.size;
      listNumbers.set(key, list);
      listLengths.push(entries.length);
      for (const [language, json] of entries) {
        entryLanguages?.push(language);
        if (json !== '' && !numbers.has(json)) numbers.set(json, numbers.size);
        entryNames?.push(numbers.get(json) ?? SHOWN_NAME);
      }
    }
    return list;
  };
  let last: { readonly names: LanguageNames; readonly shown: string; readonly list: number | undefined } | undefined;
  for (const [place, names] of named) {
    const shown = shownNameOf(place);
    // The places of a city follow each other.
    if (last?.names !== names || last.shown !== shown) last = { names, shown, list: listOf(names, shown) };
    if (last.list === undefined) continue;
    places?.push(place);
    lists?.push(last.list);
  }
  if (listLengths.length === 0) return [];
  const texts = [...numbers.keys()].map((json) => Buffer.from(json));
  return encodeBundle(NAMES_BY_LANGUAGE_SCHEMA, {
    places: Uint32Array.from(places ?? []),
    lists: Uint32Array.from(lists ?? []),
    listStarts: startsOf(listLengths),
    entryLanguages: Uint16Array.from(entryLanguages ?? []),
    entryNames: Uint32Array.from(entryNames ?? []),
    nameStarts: startsOf(texts.map(({ length }) => length)),
    names: new Uint8Array(Buffer.concat(texts)),
    languages: Buffer.from(tags.map((tag) => `${tag}\n`).join('')),
  });
}
