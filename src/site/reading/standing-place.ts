/**
 * Localities of one name in one unit have one page and one entry in lists: the release has a row for each code of a town. Of
 * these localities one stands for all, the city where one is. Recipients of one name in one unit have one page too.
 */

import { codeRanksOf, isLocalityAt, isRecipientAt, isUnitAt } from '../../core/lookup/code-ranks.js';
import { haveOneName, siblingsOfName } from '../../core/lookup/siblings-of-name.js';
import type { Range } from '../../core/snapshot/array-bundle.js';
import { cityOf, membersOf } from '../../core/snapshot/place-cities.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';

/** The localities that share a place's page, or the recipients; of a unit the unit alone. */
export function listRows(structures: CountryStructures, place: number): number[] {
  const ranks = codeRanksOf(structures);
  if (isUnitAt(ranks, place)) return [place];
  return rowsIn(structures, siblingsOfName(structures, place), isRecipientAt(ranks, place));
}

/** The localities, or the recipients, in a range of places. */
export function rowsIn(structures: CountryStructures, { start, end }: Range, areRecipients: boolean): number[] {
  const ranks = codeRanksOf(structures);
  const isMeant = areRecipients ? isRecipientAt : isLocalityAt;
  const rows: number[] = [];
  for (let place = start; place < end; place++) if (isMeant(ranks, place)) rows.push(place);
  return rows;
}

/** The place that stands for the places of one page: of several cities the one with the most places, else the first. */
export function standingPlace(structures: CountryStructures, place: number): number {
  return standingOf(structures, listRows(structures, place));
}

/** The same for rows, of which there is at least one. */
export function standingOf(structures: CountryStructures, rows: readonly number[]): number {
  let standing = rows[0] as number;
  // A city can have no other places.
  let most = -1;
  for (const row of rows) {
    if (cityOf(structures, row) !== row) continue;
    const { length } = membersOf(structures, row);
    if (length > most) [standing, most] = [row, length];
  }
  return standing;
}

/** Whether a place stands for those of its page. A town can have thousands of rows: most are told by the row before. */
export function isStanding(structures: CountryStructures, place: number): boolean {
  const isAfterRow = place > 0 && haveOnePage(structures, place - 1, place);
  return (!isAfterRow || cityOf(structures, place) === place) && standingPlace(structures, place) === place;
}

/** Whether two places are localities, or recipients, of one name in one unit. */
export function haveOnePage(structures: CountryStructures, a: number, b: number): boolean {
  const ranks = codeRanksOf(structures);
  const { parents } = structures.tree;
  const isOneKind = isLocalityAt(ranks, a)
    ? isLocalityAt(ranks, b)
    : isRecipientAt(ranks, a) && isRecipientAt(ranks, b);
  return isOneKind && parents[a] === parents[b] && haveOneName(structures.renderedPlaces, a, b);
}
