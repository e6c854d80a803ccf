/**
 * The places of a country that bear the names its cities are looked up by: as whole names, by their core, or as the first
 * words of a longer name. One pass over the places; each distinct name is folded once, and only wanted names are kept.
 */
import { foldText } from '../../src/format/fold-text.js';
import { RECIPIENT_TYPE } from '../../src/format/place-levels.js';
import type { CountryTree } from '../tree/country-tree.js';
import type { CityKeys } from './city-names.js';
import { coreOf } from './core-name.js';

export class PlaceNames {
  /** By what was wanted, the places, ascending and without repeats. */
  private readonly placesByName = new Map<string, number[]>();
  private readonly placesByCore = new Map<string, number[]>();
  private readonly placesByStart = new Map<string, number[]>();

  constructor(
    { names, localNames, mergedNames, types }: Pick<CountryTree, 'names' | 'localNames' | 'mergedNames' | 'types'>,
    cities: Iterable<CityKeys>,
  ) {
    for (const { main, cores, other, starts } of cities) {
      for (const name of main) this.placesByName.set(name, []);
      for (const name of other) this.placesByName.set(name, []);
      for (const core of cores) this.placesByCore.set(core, []);
      for (const start of starts) this.placesByStart.set(start, []);
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
      // A recipient is no city, whatever it is called.
      if (types[place] === RECIPIENT_TYPE) return;
      add(name, place);
      const localName = localNames[place] as string;
      if (localName !== name) add(localName, place);
      for (const merged of mergedNames.get(place) ?? []) add(merged, place);
    });
  }

  /** The places that bear a folded name. */
  named(folded: string): readonly number[] {
    return this.placesByName.get(folded) ?? [];
  }

  /** The places whose name has this core. */
  withCore(core: string): readonly number[] {
    return this.placesByCore.get(core) ?? [];
  }

  /** The places whose name starts with the words of `folded` and has more words behind them. */
  startingWith(folded: string): readonly number[] {
    return this.placesByStart.get(folded) ?? [];
  }

  /** The lists that the places of a folded name belong to: mostly none. */
  private listsOf(folded: string): readonly number[][] {
    const lists = [this.placesByName.get(folded), this.placesByCore.get(coreOf(folded))];
    for (let space = folded.indexOf(' '); space !== -1; space = folded.indexOf(' ', space + 1)) {
      lists.push(this.placesByStart.get(folded.slice(0, space)));
    }
    return lists.filter((list) => list !== undefined);
  }
}
