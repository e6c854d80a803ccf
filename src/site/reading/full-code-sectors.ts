/** The full codes of a first part by the first character of their second parts: the sectors of the United Kingdom. */

import { codesOfFirstPart, decodeFullCodeSecondPart, MAX_SECOND_LENGTH } from '../../core/snapshot/full-codes.js';
import { findPostcode, indexedPostcode, indexedPostcodePlaces } from '../../core/snapshot/postcode-index.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';

/** Maximum number of second parts of a first part. In a damaged file a first part could have all full codes. */
const MAX_SECONDS = 37 ** MAX_SECOND_LENGTH;

export interface Sector {
  /** A first part, a space and a character: `SW1A 1`. */
  readonly name: string;
  /** The numbers of its full codes, ascending. */
  readonly codes: readonly number[];
}

/**
 * The sectors of the first part with the number `first` in the postcode index, with the full codes of `isOwn` places.
 */
export function listSectors(
  { postcodes, fullCodes }: CountryStructures,
  first: number,
  isOwn: (place: number) => boolean = () => true,
): Sector[] {
  if (fullCodes === undefined) return [];
  const { start, end } = codesOfFirstPart(fullCodes, first);
  const isCounted = Array.from(indexedPostcodePlaces(postcodes, first), isOwn);
  const sectors = new Map<string, number[]>();
  for (let code = start; code < Math.min(end, start + MAX_SECONDS); code++) {
    if (isCounted[fullCodes.places[code] as number] !== true) continue;
    const sign = decodeFullCodeSecondPart(fullCodes.seconds[code] as number).charAt(0);
    const codes = sectors.get(sign);
    if (codes === undefined) sectors.set(sign, [code]);
    else codes.push(code);
  }
  return Array.from(sectors, ([sign, codes]) => ({ name: `${indexedPostcode(postcodes, first)} ${sign}`, codes }));
}

/** The sector with this name; undefined if there is none. */
export function findSector(structures: CountryStructures, name: string): Sector | undefined {
  const [, firstPart, sign] = /^(.+) ([0-9A-Z])$/.exec(name) ?? [];
  const first = firstPart === undefined ? undefined : findPostcode(structures.postcodes, firstPart);
  if (first === undefined) return undefined;
  return listSectors(structures, first.number).find((sector) => sector.name === `${first.postcode} ${sign}`);
}
