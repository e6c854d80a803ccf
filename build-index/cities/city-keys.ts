/**
 * The keys by which a city's places are looked up, grouped by the steps of matching that try them: its main name, the
 * core of the name, its other names, and starts of the names of its parts. Each key is folded.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { spellName } from '../../src/core/snapshot/spellings.js';
import { CAPITAL } from '../gazetteer/city-row.js';
import { listGazetteerNames, type NamedCity } from '../gazetteer/read-gazetteer.js';

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
export function cityCoreKey(folded: string): string {
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
  /** The written form of each folded name: the main name first, then the others in the order of listGazetteerNames. */
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
  for (const name of listGazetteerNames(city)) {
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
  return { main, cores: new Set(coreSources.map(cityCoreKey)), other, prefixes, written };
}
