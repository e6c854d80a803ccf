/**
 * Spells the names of a country's suggestable places, of its units and cities, each distinct name once. Spellings are
 * numbered in their order, so later code compares integers.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import {
  addAbbreviatedSpellings,
  mayHaveAbbreviatedSpelling,
  type Spellings as NameSpellings,
  spellName,
} from '../../src/core/snapshot/spellings.js';
import { sortTexts } from '../ordering/sort-keys.js';
import type { CountryTree } from '../tree/country-tree.js';
import type { CityPlaces } from './city-places.js';
import type { OtherNames } from './other-names-of-units.js';
import type { Suggestable } from './suggestable-places.js';

/** The spellings of the names of a country. */
export interface Spellings {
  /** Distinct spellings, ascending. */
  readonly names: readonly string[];
  /**
   * The numbers of the spellings that count as the name itself, the folded form first; none for a name without letters
   * and digits.
   */
  numbersOf(name: string): readonly number[];
  /** The numbers of the spellings with abbreviations. */
  abbreviatedOf(name: string): readonly number[];
}

export function spellNames(
  tree: CountryTree,
  otherNames: OtherNames,
  cities: CityPlaces,
  isSuggestable: Suggestable,
): Spellings {
  /** Each spelling with its number in the order of their discovery, by which names have them until all are sorted. */
  const discovered = new Map<string, number>();
  const numberAll = (texts: readonly string[]): number[] =>
    texts.map((text) => {
      const known = discovered.get(text);
      if (known !== undefined) return known;
      discovered.set(text, discovered.size);
      return discovered.size - 1;
    });
  const ownByName = new Map<string, number[]>();
  const abbreviatedByName = new Map<string, number[]>();
  const add = (name: string, spell = spellName): void => {
    if (ownByName.has(name)) return;
    const { own, abbreviated } = spell(name);
    ownByName.set(name, numberAll(own));
    if (abbreviated.length > 0) abbreviatedByName.set(name, numberAll(abbreviated));
  };
  for (let place = 0; place < tree.placeCount; place++) {
    if (!isSuggestable(place)) continue;
    const [name, localName] = [tree.names[place] as string, tree.localNames[place] as string];
    add(name);
    if (localName !== name) add(localName);
  }
  for (const names of otherNames.values()) for (const name of names) add(name);
  for (const { mainNames, otherNames } of cities.byPlace.values()) {
    for (const name of [...mainNames, ...otherNames]) add(name, spellCityName);
  }
  const texts = [...discovered.keys()];
  const order = sortTexts(texts);
  const numbers = new Uint32Array(order.length);
  order.forEach((position, number) => {
    numbers[position] = number;
  });
  for (const lists of [ownByName, abbreviatedByName]) {
    for (const list of lists.values()) {
      for (let at = 0; at < list.length; at++) list[at] = numbers[list[at] as number] as number;
    }
  }
  return {
    names: Array.from(order, (position) => texts[position] as string),
    numbersOf: (name) => ownByName.get(name) as readonly number[],
    abbreviatedOf: (name) => abbreviatedByName.get(name) ?? [],
  };
}

/** The spellings of a city's name in the gazetteer: its folded form and its abbreviations. Most cities have many names. */
function spellCityName(name: string): NameSpellings {
  const folded = foldText(name);
  const own = folded === '' ? [] : [folded];
  if (!mayHaveAbbreviatedSpelling(folded)) return { own, abbreviated: [] };
  const spellings = new Set(own);
  addAbbreviatedSpellings(spellings);
  return { own, abbreviated: [...spellings].slice(1) };
}
