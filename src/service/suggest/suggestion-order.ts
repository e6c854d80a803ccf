/** Puts suggestions of several reasons into one list, and the countries and towns of a line into the order to try. */
import { compactPostcode } from '../../format/postcode.js';
import { oncePer } from '../../store/once-per.js';
import { isRecipient, readEntry } from '../../store/place-fields.js';
import type { Country, Snapshot } from '../../store/snapshot.js';
import { structuresOf } from '../find-country.js';
import type { CodeText } from './address-line.js';
import { foldedName } from './line-evidence.js';
import type { Suggestion } from './name-lookup.js';

/** Maximum number of suggestions before the town of a line with a code: interfaces show five. */
const MAX_BEFORE_TOWN = 4;

/** The lists one after the other without duplicates, at most `limit`; `town` among the first MAX_BEFORE_TOWN + 1. */
export function mergeSuggestions(
  lists: readonly (readonly Suggestion[])[],
  limit: number,
  town?: Suggestion,
): readonly Suggestion[] {
  const distinct = new Map<string, Suggestion>();
  for (const suggestion of lists.flat()) {
    const key = keyOf(suggestion);
    if (town !== undefined && distinct.size === Math.min(MAX_BEFORE_TOWN, limit - 1)) distinct.set(keyOf(town), town);
    if (!distinct.has(key)) distinct.set(key, suggestion);
  }
  return [...distinct.values()].slice(0, limit);
}

/** Whether a code was completed, and only offices and organisations have it: "9021" is a start rather than 09021. */
export function isOfOffices(places: readonly Suggestion[], { code }: CodeText): boolean {
  return (
    places.length > 0 &&
    places.every(({ country, place }) => {
      const structures = structuresOf(country);
      const { postalCode } = readEntry(structures, place);
      return postalCode !== null && compactPostcode(postalCode).length > code.length && isRecipient(structures, place);
    })
  );
}

/** Places with the number that was typed first, before those with a longer one: Praha 1 before Praha 10. */
export function sortByNumber(places: readonly Suggestion[], foldings: readonly string[]): readonly Suggestion[] {
  const [number] = /\d+$/.exec(foldings.at(-1) as string) ?? [];
  if (number === undefined) return places;
  const hasNumber = ({ country, place }: Suggestion): boolean =>
    foldedName(structuresOf(country).renderedPlaces, place).split(' ').includes(number);
  return [...places].sort((a, b) => Number(hasNumber(b)) - Number(hasNumber(a)));
}

function keyOf({ country, place }: Suggestion): string {
  return `${country.number} ${place}`;
}

/** The countries with data, those with the most cities first: the likeliest for the start of a code. */
export const sortByCities = oncePer(({ countries }: Snapshot): readonly Country[] => {
  const cityCount = ({ structures }: Country): number => structures?.names.cityEnds[1] ?? 0;
  return countries.filter(({ structures }) => structures !== undefined).sort((a, b) => cityCount(b) - cityCount(a));
});
