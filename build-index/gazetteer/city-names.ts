/** What a city is looked up by: its folded names, in the steps in which they are tried. */
import { foldText, listSpellings } from '../../src/format/fold-text.js';
import { CAPITAL } from './city-row.js';
import { coreOf } from './core-name.js';
import { listNames, type NamedCity } from './read-gazetteer.js';

export interface CityKeys {
  /** The main name, as it is spelled and in ASCII, with all that people write for it. */
  readonly main: ReadonlySet<string>;
  /** The cores of the main name; of a capital, those of all names. */
  readonly cores: ReadonlySet<string>;
  /** All other names, without those above and without codes. */
  readonly other: ReadonlySet<string>;
  /** The main and other names that the names of the city's parts may start with. */
  readonly starts: readonly string[];
  /** Each folded name as it is written, the main name first, then the others in the order of listNames. */
  readonly written: ReadonlyMap<string, string>;
}

/** A code of an airport or a railway, such as MUC: no name, and what bears it as its name is another place. */
const CODE = /^[A-Z]{3,4}$/;
const MIN_NAME_LENGTH = 2;
/** Other names of fewer letters start too many names. */
const MIN_START_LENGTH = 4;
/** A Korean name without the "city" behind it, which the release has and the gazetteer often has not. */
const KOREAN = /^\p{Script=Hangul}+$/u;
const KOREAN_CITY = '시';

export function cityKeys(city: NamedCity): CityKeys {
  const mainNames = [city.name, city.asciiName];
  const main = new Set(mainNames.flatMap(listSpellings));
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
  const starts = [...main, ...[...other].filter((name) => name.length >= MIN_START_LENGTH)];
  // A capital is called by its own language's name here: "Hlavní město Praha" for Prague.
  const cored = city.featureCode === CAPITAL ? [...main, ...other] : [...main];
  return { main, cores: new Set(cored.map(coreOf)), other, starts, written };
}
