/**
 * The names of cities for which a place of another name stands: "Frankfurt am Main, Stadt", "Quetta Gpo". The name is the
 * longest of the city's that the place's name has in it, in the place's spelling if there is one, or else the main name. A
 * unit between a unit and places that both have another name of the city is called as they are: Warszawa for Warsaw.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { listGazetteerNames, type NamedCity } from '../gazetteer/read-gazetteer.js';
import type { CountryTree } from '../tree/country-tree.js';

/** Minimum length, in letters of the folded name, of a name that is looked for in another. */
const MIN_LETTERS = 3;

/** The name of a city for which `place` stands; undefined if the place has one of its names. */
export function nameOfCity(tree: CountryTree, place: number, city: NamedCity): string | undefined {
  const { names, localNames } = tree;
  const placeName = names[place] as string;
  const folded = foldText(placeName);
  const written = [city.name, city.asciiName, ...listGazetteerNames(city)].map((name) => ({
    name,
    folded: foldText(name),
  }));
  const own = [folded, foldText(localNames[place] as string)];
  if (written.some((one) => own.includes(one.folded))) {
    const around = nameAround(tree, place);
    const isOther = around !== undefined && !own.includes(foldText(around));
    return isOther && written.some((one) => one.folded === foldText(around)) ? around : undefined;
  }
  const inside = written.filter((one) => one.folded.length >= MIN_LETTERS && ` ${folded}`.includes(` ${one.folded}`));
  const longest = Math.max(0, ...inside.map((one) => one.folded.length));
  const best = inside.filter((one) => one.folded.length === longest);
  return (best.find(({ name }) => placeName.includes(name)) ?? best[0])?.name ?? city.name;
}

/** The name that both the unit around a unit and a place in it have. */
function nameAround({ names, parents, childStarts }: CountryTree, unit: number): string | undefined {
  const [start, end] = [childStarts[unit] as number, childStarts[unit + 1] as number];
  const above = parents[unit] as number;
  if (start === end || above === NO_PARENT) return undefined;
  return names.slice(start, end).includes(names[above] as string) ? names[above] : undefined;
}
