/**
 * Whether an address line names a place: by its name, or by that of its municipality, in any language of the data.
 * Suggestions also guess a town by codes near the typed one, for people who still type; a row of a table is complete,
 * and there no place is better than another town's.
 */

import { foldQuery, foldText } from '../../src/format/fold-text.js';
import type { PlaceResource } from '../../src/format/rendered-places.js';
import { NameLookup } from '../../src/service/suggest/name-lookup.js';
import { searchNames } from '../../src/service/suggest/name-search.js';
import type { Suggestion } from '../../src/service/suggest/suggestion.js';
import { readPlace } from '../../src/store/place-fields.js';
import { listAncestors } from '../../src/store/place-tree.js';
import type { Snapshot } from '../../src/store/snapshot.js';
import { WorkBudget } from '../../src/store/work-budget.js';

/** Maximum number of words of a line that are looked up as names: the end of a line has the town. */
const MAX_WORDS = 10;
/** Maximum number of words of a name in another language: "Monaco di Baviera". */
const MAX_NAME_WORDS = 3;
/** Minimum length of such a name in characters: two letters are mostly the code of a region. */
const MIN_NAME_LENGTH = 3;
/** Maximum number of places that are read of each such name. */
const MAX_PLACES = 5;

export function isNamedIn(line: string, snapshot: Snapshot, { country, place }: Suggestion): boolean {
  const { structures } = country;
  if (structures === undefined) return false;
  const around = listAncestors(structures.tree, place);
  const municipality = around.find((unit) => readPlace(structures, unit).type === 'municipality');
  const meant = municipality === undefined ? [place] : [place, municipality];
  const lines = foldQuery(line).map((folded) => ` ${folded} `);
  const names = meant.flatMap((number) => namesOf(readPlace(structures, number)));
  if (names.some((name) => lines.some((folded) => folded.includes(` ${name} `)))) return true;
  const lookup = new NameLookup(snapshot, { countries: [country] }, new WorkBudget());
  return listRuns(foldText(line)).some((run) => {
    const { places, exactCount } = searchNames(lookup, [run], MAX_PLACES, 'starts');
    return places.slice(0, exactCount).some((found) => meant.includes(found.place));
  });
}

/** The names of a place, folded: also that of the city of "Wien, Landstraße". */
function namesOf({ name, localName }: PlaceResource): string[] {
  const names = [name, name.split(',')[0] ?? '', localName ?? ''];
  return names.flatMap(foldQuery).filter((folded) => folded !== '');
}

/** Words of a folded line that may be a name, without those with digits. */
function listRuns(folded: string): string[] {
  const words = folded.split(' ').slice(-MAX_WORDS);
  const runs = words.flatMap((_, start) =>
    Array.from({ length: MAX_NAME_WORDS }, (_, more) => words.slice(start, start + more + 1).join(' ')),
  );
  return [...new Set(runs)].filter((run) => run.length >= MIN_NAME_LENGTH && !/\d/.test(run));
}
