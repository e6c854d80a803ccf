/**
 * Finds the places of a country by the names of its cities: by the whole name, by its core, or by the first words of a
 * longer name. Built in one pass over the places; each distinct name is folded once, and only the cities' names are
 * kept.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { RECIPIENT_TYPE } from '../../src/core/snapshot/place-type.js';
import type { CountryTree } from '../tree/country-tree.js';
import { type CityKeys, cityCoreKey } from './city-keys.js';

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
    const lists = [this.placesByName.get(folded), this.placesByCore.get(cityCoreKey(folded))];
    for (let space = folded.indexOf(' '); space !== -1; space = folded.indexOf(' ', space + 1)) {
      lists.push(this.placesByPrefix.get(folded.slice(0, space)));
    }
    return lists.filter((list) => list !== undefined);
  }
}
