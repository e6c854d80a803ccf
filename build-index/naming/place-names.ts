/**
 * Derives the names of places, once for each distinct name in each column of a country:
 *
 *   released           name                localName
 *   Айтос / Ajtos      Ajtos               Айтос               both spellings from the release
 *   Майкоп             Maykop              Майкоп              romanised, see romanising.ts
 *   МАЙКОПСКИЙ РАЙОН   Maykopskiy Rayon    МАЙКОПСКИЙ РАЙОН    in ordinary case first, see ordinary-case.ts
 *   STOCKHOLM          Stockholm           STOCKHOLM           as the same release writes it elsewhere
 *   Alacant/Alicante   Alacant/Alicante    Alacant/Alicante
 *
 * The released texts come corrected (build-index/cleaning/clean-places.ts). Slugs and paths use them before they are
 * romanised, and ids the uncorrected ones, so a better romanisation changes none of these.
 */

import { PLACE_TYPES } from '../../src/core/snapshot/place-type.js';
import { splitBilingualName } from './bilingual-names.js';
import {
  type CaseRules,
  caseRulesOf,
  inOrdinaryCase,
  isInCapitals,
  longestRun,
  lowerSmallWords,
} from './ordinary-case.js';
import { createRomaniser, needsRomanising, type Romanise } from './romanising.js';

export interface PlaceName {
  readonly name: string;
  readonly localName: string;
  /** The name for slugs: the Latin side of a name with two spellings, otherwise the corrected text. */
  readonly released: string;
  /** Whether `name` is romanised, so that a common name may replace it. */
  readonly isRomanised: boolean;
}

/** The released names of places, and the column of each: an index into PLACE_TYPES. */
interface NamedPlaces {
  readonly texts: readonly string[];
  readonly types: readonly number[];
}

/** Minimum share of a column's names in capitals at which all its capitals are a style, not abbreviations. */
const SYSTEMATIC_SHARE = 0.5;
/** Minimum length of a word to change in other columns, in letters: shorter ones are codes: "KLIA", "TÜV SÜD AG". */
const MIN_LENGTH = 5;

/** The names of the places of a country. */
interface PlaceNames {
  /** The distinct pairs of column and released name. */
  readonly distinct: readonly PlaceName[];
  /** By place, the index of its name in `distinct`. */
  readonly numbers: Uint32Array;
}

export function namePlaces({ texts, types }: NamedPlaces, countryCode: string): PlaceNames {
  const columns = Array.from({ length: PLACE_TYPES.length }, () => new Map<string, number>());
  const numbers = new Uint32Array(texts.length);
  let count = 0;
  for (let place = 0; place < texts.length; place++) {
    const column = columns[types[place] as number] as Map<string, number>;
    let number = column.get(texts[place] as string);
    if (number === undefined) {
      number = count++;
      column.set(texts[place] as string, number);
    }
    numbers[place] = number;
  }
  const country = new CountryNaming(
    countryCode,
    columns.map((names) => [...names.keys()]),
  );
  const distinct = new Array<PlaceName>(count);
  columns.forEach((names, column) => {
    for (const [text, number] of names) distinct[number] = country.name(text, column);
  });
  return { distinct, numbers };
}

class CountryNaming {
  private readonly rules: CaseRules;
  private readonly romanise: Romanise;
  /** By column, whether most of its names are in capitals. */
  private readonly isSystematic: readonly boolean[];
  /** Names in ordinary case, by lower case, that other columns have in capitals. */
  private readonly ordinaryNames: ReadonlyMap<string, string>;

  /** `columns` are the distinct names of each column. */
  constructor(countryCode: string, columns: readonly (readonly string[])[]) {
    this.rules = caseRulesOf(countryCode);
    this.romanise = createRomaniser(countryCode, columns);
    const inCapitals = columns.map((names) => names.filter(isInCapitals));
    this.isSystematic = columns.map(
      (names, column) => (inCapitals[column] as string[]).length > SYSTEMATIC_SHARE * names.length,
    );
    const sporadic = inCapitals.filter((_, column) => this.isSystematic[column] === false).flat();
    this.ordinaryNames = findOrdinaryNames(columns, sporadic);
  }

  name(text: string, column: number): PlaceName {
    const { name: released, localName } = splitBilingualName(text);
    const cased = isInCapitals(released) ? this.changeCase(released, column) : released;
    if (!needsRomanising(cased)) return { name: cased, localName, released, isRomanised: false };
    return { name: this.romanise(lowerSmallWords(cased, this.rules)), localName, released, isRomanised: true };
  }

  private changeCase(text: string, column: number): string {
    if (this.isSystematic[column] === true) return inOrdinaryCase(text, this.rules);
    const ordinary = this.ordinaryNames.get(text.toLowerCase());
    if (ordinary !== undefined) return ordinary;
    return longestRun(text) < MIN_LENGTH ? text : inOrdinaryCase(text, this.rules, MIN_LENGTH);
  }
}

/** The first name that differs from a name in capitals only by case, by lower case. */
function findOrdinaryNames(
  columns: readonly (readonly string[])[],
  inCapitals: readonly string[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const wanted = new Set(inCapitals.map((text) => text.toLowerCase()));
  if (wanted.size === 0) return found;
  for (const text of columns.flat()) {
    const lower = text.toLowerCase();
    if (lower !== text && wanted.has(lower) && !found.has(lower) && !isInCapitals(text)) found.set(lower, text);
  }
  return found;
}
