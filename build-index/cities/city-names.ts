/**
 * The names of cities for which a place of another name stands: "Frankfurt am Main, Stadt", "Quetta Gpo". The name is the
 * longest of the city's that the place's name has in it, in the place's spelling if there is one, or else the main name.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { listGazetteerNames, type NamedCity } from '../gazetteer/read-gazetteer.js';
import type { CountryTree } from '../tree/country-tree.js';

/** Minimum length, in letters of the folded name, of a name that is looked for in another. */
const MIN_LETTERS = 3;

/** The name of a city for which `place` stands; undefined if the place has one of its names. */
export function nameOfCity({ names, localNames }: CountryTree, place: number, city: NamedCity): string | undefined {
  const placeName = names[place] as string;
  const folded = foldText(placeName);
  const written = [city.name, city.asciiName, ...listGazetteerNames(city)].map((name) => ({
    name,
    folded: foldText(name),
  }));
  const own = [folded, foldText(localNames[place] as string)];
  if (written.some((one) => own.includes(one.folded))) return undefined;
  const inside = written.filter((one) => one.folded.length >= MIN_LETTERS && ` ${folded}`.includes(` ${one.folded}`));
  const longest = Math.max(0, ...inside.map((one) => one.folded.length));
  const best = inside.filter((one) => one.folded.length === longest);
  return (best.find(({ name }) => placeName.includes(name)) ?? best[0])?.name ?? city.name;
}
