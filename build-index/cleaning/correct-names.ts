/**
 * Corrects the names of collected places, after their ids, which use the released names, are written:
 *
 *   text          by the rules of naming/corrected-text.ts        Queen'S Road → Queen's Road
 *   units         a leaf of CN without the names of its units     Bole, Xinjiang → Bole
 *   own language  by the table data/unit-names.tsv                Mazovia → Mazowieckie
 *
 * A unit keeps its released name as another name. Each distinct name is corrected once.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { isLeafType } from '../../src/core/snapshot/place-type.js';
import { unitNamesOf } from '../data-tables/unit-names.js';
import { type CorrectedText, createTextCorrector } from '../naming/corrected-text.js';
import { memoize } from '../ordering/grouping.js';
import { type CleanedPlaces, NO_UNIT } from '../tree/collected-places.js';
import { type CleaningTally, noteCleaning } from './cleaning-tally.js';

type NamedPlaces = Pick<CleanedPlaces, 'texts' | 'types' | 'parents'>;

/** Changes `texts`. Returns the released names of units with another name now, by unit. */
export function correctNames(places: NamedPlaces, countryCode: string, tally: CleaningTally): Map<number, string> {
  const { texts, types } = places;
  const correctText = memoize(createTextCorrector(countryCode));
  const unitNames = unitNamesOf(countryCode);
  const nameOfUnit = memoize((columnAndText: string) =>
    unitNames.nameOf(Number(columnAndText.charAt(0)), columnAndText.slice(1)),
  );
  const correct = (place: number, released: string): CorrectedText => {
    const type = types[place] as number;
    if (isLeafType(type)) {
      const town = countryCode === 'CN' ? withoutUnits(places, place) : released;
      if (town !== released) return { text: town, kinds: ['name: without the names of its units'] };
      return correctText(released);
    }
    const own = nameOfUnit(`${type}${released}`);
    return own === undefined ? correctText(released) : { text: own, kinds: ["unit: the country's own name"] };
  };
  const releasedNames = new Map<number, string>();
  // From the last place to the first: the units of a leaf still have their released names.
  for (let place = texts.length - 1; place >= 0; place--) {
    const released = texts[place] as string;
    const { text, kinds } = correct(place, released);
    if (text === released) continue;
    for (const kind of kinds) noteCleaning(tally, kind, countryCode, () => `${countryCode} ${released} → ${text}`);
    if (!isLeafType(types[place]) && foldText(text) !== foldText(released)) releasedNames.set(place, released);
    texts[place] = text;
  }
  return releasedNames;
}

/** The name of a leaf up to its first comma, if each part behind is the start of the name of one of its units. */
function withoutUnits({ texts, parents }: NamedPlaces, leaf: number): string {
  const name = texts[leaf] as string;
  const [town, ...others] = name.split(', ');
  if (town === undefined || others.length === 0) return name;
  const units: string[] = [];
  for (let at = parents[leaf] as number; at !== NO_UNIT; at = parents[at] as number) {
    units.push(`${foldText(texts[at] as string)} `);
  }
  return others.every((part) => units.some((unit) => unit.startsWith(`${foldText(part)} `))) ? town : name;
}
