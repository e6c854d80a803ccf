/**
 * The names of cities: the keys to look up a city's places by, grouped by the steps that try them; the names that the
 * gazetteer lacks, by table and by rule; and hashes of the names of big cities.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { hashText } from '../../src/core/snapshot/hash-table.js';
import { BIG_CITY } from '../../src/core/snapshot/name-index.js';
import { RECIPIENT_TYPE } from '../../src/core/snapshot/place-type.js';
import { spellName } from '../../src/core/snapshot/spellings.js';
import { CYRILLIC } from '../naming/letters.js';
import { createRomaniser } from '../naming/romanising.js';
import { transcribe } from '../naming/transcribing.js';
import { readColumns } from '../reading/country-facts.js';
import type { CountryTree } from '../tree/country-tree.js';
import { CAPITAL, type City, type Gazetteer, listNames, type NamedCity } from './read-gazetteer.js';

/*
 * The core of a name: the name without the words for the kind of place ("Suwon-si", "City of Makati", "Nanchong Shi",
 * "Cantón Quito") and without spaces, since romanisations differ in them ("Zhu Cheng", "Zhucheng"). The list has the
 * words that releases and the gazetteer put before or after a name, but none that is part of names ("kota", "kampung",
 * "new").
 */

const KIND_WORDS = new Set(
  [
    'city town district county municipality province region urban metropolitan capital special administrative of the',
    // Chinese, Korean, Mongolian.
    'shi qu xian diqu zizhizhou zizhixian xinqu si gun gu',
    // Romance languages.
    'canton provincia departamento distrito municipio ciudad comuna partido concelho cidade comune de del da do di',
    // Germanic, Slavic and Turkic languages, Malay and Indonesian.
    'stadt landkreis kreis kommune gemeente stad powiat gmina mesto hlavni miasto gorod g m rayon raion okrug misto rn',
    'kabupaten bandar ili ilcesi',
  ].flatMap((words) => words.split(' ')),
);
/** Words that the posts of PK, BD, KE, PH and TH add to a town's name for an office, a barracks or a district. */
const LESSER_WORDS = new Set('gpo cpo ho tso cantt sadar upazila muang mueang'.split(' '));
/** "Bogotá, D.C." */
const CAPITAL_DISTRICT = / d c$/;
/** Minimum length of a core, in letters: shorter cores match unrelated places. */
const MIN_CORE_LENGTH = 3;

/** The core of a folded name; the name without spaces where the core would be too short. */
export function coreOf(folded: string): string {
  if (!folded.includes(' ')) return folded;
  const words = folded.replace(CAPITAL_DISTRICT, '').split(' ');
  let [start, end] = [0, words.length];
  while (start < end && isKindWord(words[start] as string)) start++;
  while (end > start && isKindWord(words[end - 1] as string)) end--;
  const core = words.slice(start, end).join('');
  return core.length < MIN_CORE_LENGTH ? words.join('') : core;
}

/** Whether a folded name is that of an office or a part of the place it is named after ("Karachi Gpo"). */
export function isLesserName(folded: string): boolean {
  return folded.split(' ').some((word) => LESSER_WORDS.has(word));
}

function isKindWord(word: string): boolean {
  return KIND_WORDS.has(word) || LESSER_WORDS.has(word);
}

export interface CityKeys {
  /** The spellings of the main name and of its ASCII form, without abbreviations: these match too many places. */
  readonly main: ReadonlySet<string>;
  /** The cores of the main name; for a capital, of all names. */
  readonly cores: ReadonlySet<string>;
  /** All names except `main` and codes. */
  readonly other: ReadonlySet<string>;
  /** The main and other names that may be prefixes of the names of the city's parts. */
  readonly prefixes: readonly string[];
  /** The written form of each folded name: the main name first, then the others in the order of listNames. */
  readonly written: ReadonlyMap<string, string>;
}

/** A code of an airport or a railway, such as MUC. A place with that name is a different place. */
const CODE = /^[A-Z]{3,4}$/;
/** Minimum length of a folded name, in characters: one letter matches too many places. */
const MIN_NAME_LENGTH = 2;
/** Minimum length of an other name to use as a prefix, in characters: shorter ones match too many names. */
const MIN_PREFIX_LENGTH = 4;
/** A Korean name. The release writes the suffix "city" after it, which the gazetteer often omits. */
const KOREAN = /^\p{Script=Hangul}+$/u;
const KOREAN_CITY = '시';

export function cityKeys(city: NamedCity): CityKeys {
  const mainNames = [city.name, city.asciiName];
  const main = new Set(mainNames.flatMap((name) => spellName(name).own));
  const written = new Map<string, string>();
  for (const name of mainNames) if (!written.has(foldText(name))) written.set(foldText(name), name);
  const other = new Set<string>();
  for (const name of listNames(city)) {
    if (CODE.test(name)) continue;
    const folded = foldText(name);
    if (folded.length < MIN_NAME_LENGTH) continue;
    if (!written.has(folded)) written.set(folded, name);
    if (!main.has(folded)) other.add(folded);
    if (KOREAN.test(name) && !name.endsWith(KOREAN_CITY)) other.add(foldText(name + KOREAN_CITY));
  }
  const prefixes = [...main, ...[...other].filter((name) => name.length >= MIN_PREFIX_LENGTH)];
  // Releases use the local name of a capital: "Hlavní město Praha" for Prague.
  const coreSources = city.featureCode === CAPITAL ? [...main, ...other] : [...main];
  return { main, cores: new Set(coreSources.map(coreOf)), other, prefixes, written };
}

/*
 * Finds the places of a country by the names of its cities: by the whole name, by its core, or by the first words of a
 * longer name. Built in one pass over the places; each distinct name is folded once, and only the cities' names are
 * kept.
 */

export class PlaceNameIndex {
  /** By key, the places, ascending and without repeats. */
  private readonly placesByName = new Map<string, number[]>();
  private readonly placesByCore = new Map<string, number[]>();
  private readonly placesByPrefix = new Map<string, number[]>();

  constructor({ names, localNames, mergedNames, types, codeOnly }: CountryTree, cities: Iterable<CityKeys>) {
    for (const { main, cores, other, prefixes } of cities) {
      for (const name of main) this.placesByName.set(name, []);
      for (const name of other) this.placesByName.set(name, []);
      for (const core of cores) this.placesByCore.set(core, []);
      for (const prefix of prefixes) this.placesByPrefix.set(prefix, []);
    }
    const listsByName = new Map<string, readonly number[][]>();
    const add = (name: string, place: number): void => {
      let lists = listsByName.get(name);
      if (lists === undefined) {
        lists = this.listsOf(foldText(name));
        listsByName.set(name, lists);
      }
      for (const list of lists) if (list.at(-1) !== place) list.push(place);
    };
    names.forEach((name, place) => {
      // Neither a recipient nor a unit that the release does not name is a city.
      if (types[place] === RECIPIENT_TYPE || codeOnly.has(place)) return;
      add(name, place);
      const localName = localNames[place] as string;
      if (localName !== name) add(localName, place);
      for (const merged of mergedNames.get(place) ?? []) add(merged, place);
    });
  }

  /** The places with this folded name. */
  withName(folded: string): readonly number[] {
    return this.placesByName.get(folded) ?? [];
  }

  /** The places whose name has this core. */
  withCore(core: string): readonly number[] {
    return this.placesByCore.get(core) ?? [];
  }

  /** The places whose name is `folded` followed by more words. */
  withPrefix(folded: string): readonly number[] {
    return this.placesByPrefix.get(folded) ?? [];
  }

  /** The lists to which the places of a folded name belong: none for most names. */
  private listsOf(folded: string): readonly number[][] {
    const lists = [this.placesByName.get(folded), this.placesByCore.get(coreOf(folded))];
    for (let space = folded.indexOf(' '); space !== -1; space = folded.indexOf(' ', space + 1)) {
      lists.push(this.placesByPrefix.get(folded.slice(0, space)));
    }
    return lists.filter((list) => list !== undefined);
  }
}

/*
 * The names of big cities with the countries of these cities. In a country without data, such a name leads to the country,
 * so that a search for the city is not answered with a similar name.
 */

/** Minimum length of a folded name, in letters: shorter ones are starts of many names. */
const MIN_LETTERS = 4;

/** A name of a big city: the country's number, and the people of the country's largest city with the name. */
interface BigCityName {
  readonly hash: number;
  readonly country: number;
  readonly people: number;
}

/**
 * See bigCityNames in src/core/snapshot/name-index.ts. `countryCodes` are those of the manifest: with and without data, so that
 * the names of a snapshot of some countries are those of a snapshot of all.
 */
export function hashBigCityNames(gazetteer: Gazetteer | null, countryCodes: readonly string[]): HashedNameArrays {
  if (gazetteer === null) return NO_HASHED_NAMES;
  const names = countryCodes.flatMap((code, country) => {
    const peopleByHash = new Map<number, number>();
    // The largest city comes first.
    for (const city of gazetteer.citiesByCountry.get(code) ?? []) {
      if (city.population < BIG_CITY) break;
      for (const name of [city.name, city.asciiName, ...listNames(city)]) {
        const folded = foldText(name);
        const hash = hashText(folded);
        if (folded.length >= MIN_LETTERS && !peopleByHash.has(hash)) peopleByHash.set(hash, city.population);
      }
    }
    return [...peopleByHash].map(([hash, people]): BigCityName => ({ hash, country, people }));
  });
  names.sort((one, other) => one.hash - other.hash || other.people - one.people || one.country - other.country);
  return {
    hashes: Uint32Array.from(names, ({ hash }) => hash),
    countries: Uint16Array.from(names, ({ country }) => country),
  };
}

/*
 * Everyday short names of big cities (data/city-short-names.tsv), which the gazetteer lacks or has among codes of
 * airports: NYC, LA, Kbh. The table is read once.
 */

let namesByCity: ReadonlyMap<string, readonly string[]> | undefined;

/** The short names of a city, by its geonameid and country. */
export function shortNames({ geonameId, countryCode }: Pick<City, 'geonameId' | 'countryCode'>): readonly string[] {
  namesByCity ??= new Map(
    readColumns('city-short-names.tsv').map(([id, country, , ...names]) => [`${id} ${country}`, names]),
  );
  return namesByCity.get(`${geonameId} ${countryCode}`) ?? [];
}

/* Folded names by their hash, each with the number of a country: of several countries with a name the weightiest. */

export class HashedNames {
  readonly #countries = new Map<number, { readonly country: number; readonly weight: number }>();

  add(folded: string, country: number, weight: number): void {
    const hash = hashText(folded);
    const known = this.#countries.get(hash);
    if (known === undefined || known.weight < weight) this.#countries.set(hash, { country, weight });
  }

  /** The hashes ascending, and the country of each. */
  encode(): HashedNameArrays {
    const hashes = Uint32Array.from(this.#countries.keys()).sort();
    const countries = Uint16Array.from(hashes, (hash) => this.#countries.get(hash)?.country as number);
    return { hashes, countries };
  }
}

export interface HashedNameArrays {
  readonly hashes: Uint32Array;
  readonly countries: Uint16Array;
}

export const NO_HASHED_NAMES: HashedNameArrays = { hashes: new Uint32Array(0), countries: new Uint16Array(0) };

/*
 * The transcriptions of a city with a Cyrillic name: other names by rule for the many towns whose gazetteer row lacks
 * them. The rule reads the name in the release and those names of the gazetteer that are surely in the country's
 * language: marked as such, or equal to the main name once they are romanised.
 */

/**
 * The languages of each country that are written in one of the alphabets, as the gazetteer marks them. Serbian and
 * Macedonian are not among them: they have Latin letters that every language uses.
 */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  RU: ['ru'],
  UA: ['uk', 'ru'],
  BY: ['be', 'ru'],
  BG: ['bg'],
  KZ: ['ru'],
  KG: ['ru'],
  TJ: ['ru'],
};

/** Lists the transcriptions of a city, without repeats. `localNames` are the names of its places in the release. */
type TranscribeCity = (city: NamedCity, localNames: readonly string[]) => readonly string[];

export function createTranscriber(countryCode: string): TranscribeCity {
  const languages = LANGUAGES[countryCode];
  if (languages === undefined) return () => [];
  const romanise = createRomaniser(countryCode, []);
  return ({ name, asciiName, alternateNames, otherNames }, localNames) => {
    const mainNames = [name, asciiName].map(foldText);
    const isMain = (other: string): boolean => CYRILLIC.test(other) && mainNames.includes(foldText(romanise(other)));
    const names = new Set([
      ...localNames,
      ...alternateNames.filter(({ language }) => languages.includes(language)).map((alternate) => alternate.name),
      ...otherNames.filter(isMain),
    ]);
    return [...new Set([...names].flatMap((one) => transcribe(countryCode, one)))];
  };
}
