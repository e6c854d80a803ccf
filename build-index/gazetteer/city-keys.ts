/** The keys to look up a city's places by: its folded names, grouped by the steps that try them. */
import { foldText, spellName } from '../../src/format/fold-text.js';
import { CAPITAL } from './city-row.js';
import { coreOf } from './core-name.js';
import { listNames, type NamedCity } from './read-gazetteer.js';

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
