/** Puts suggestions of several reasons into one list, and the countries and towns of a line into the order to try. */

import { oncePer } from '../../base/once-per.js';
import { structuresOf } from '../lookup/countries.js';
import { isRecipient, readFoldedNameField } from '../snapshot/place-fields.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import type { WorkBudget } from '../snapshot/work-budget.js';
import { isOfTypes, type SearchScope, type Suggestion } from './suggestion.js';

/** Maximum number of suggestions before the town of a line whose end is still typed: interfaces show five. */
export const MAX_BEFORE_TOWN = 4;

/**
 * The lists one after the other without duplicates, at most `limit`; `town` among the first MAX_BEFORE_TOWN + 1. Only
 * places of the types of the search, and its recipients last where it says so.
 */
export function mergeSuggestions(
  lists: readonly (readonly Suggestion[])[],
  { limit, scope, work }: MergeRequest,
  town?: Suggestion,
): readonly Suggestion[] {
  const distinct = new Map<string, Suggestion>();
  const add = (suggestion: Suggestion): void => {
    const key = keyOf(suggestion);
    if (!distinct.has(key) && isOfTypes(suggestion, scope, work)) distinct.set(key, suggestion);
  };
  for (const suggestion of scope.areRecipientsLast === true ? withRecipientsLast(lists.flat()) : lists.flat()) {
    if (town !== undefined && distinct.size === Math.min(MAX_BEFORE_TOWN, limit - 1)) add(town);
    add(suggestion);
  }
  return [...distinct.values()].slice(0, limit);
}

export interface MergeRequest {
  readonly limit: number;
  readonly scope: SearchScope;
  readonly work: WorkBudget;
}

function withRecipientsLast(suggestions: readonly Suggestion[]): Suggestion[] {
  const isLast = ({ country, place }: Suggestion): boolean => isRecipient(structuresOf(country), place);
  const last = new Set(suggestions.filter(isLast));
  return [...suggestions.filter((suggestion) => !last.has(suggestion)), ...last];
}

/** Places with the number that was typed first, before those with a longer one: Praha 1 before Praha 10. */
export function sortByNumber(places: readonly Suggestion[], foldings: readonly string[]): readonly Suggestion[] {
  const [number] = /\d+$/.exec(foldings.at(-1) as string) ?? [];
  if (number === undefined) return places;
  const hasNumber = ({ country, place }: Suggestion): boolean =>
    readFoldedNameField(structuresOf(country), place).split(' ').includes(number);
  return [...places].sort((a, b) => Number(hasNumber(b)) - Number(hasNumber(a)));
}

function keyOf({ country, place }: Suggestion): string {
  return `${country.number} ${place}`;
}

/** The countries with data, those with the most cities first: the likeliest for the start of a code. */
export function sortByCities(snapshot: Snapshot): readonly Country[] {
  return orderByCities(snapshot).map((number) => snapshot.countries[number] as Country);
}

/** The numbers of these countries, for all views of a snapshot. */
const orderByCities = oncePer(
  ({ countries }: Snapshot): readonly number[] => {
    const cityCount = ({ structures }: Country): number => structures?.names.cityEnds[1] ?? 0;
    const covered = countries.filter(({ structures }) => structures !== undefined);
    return covered.sort((a, b) => cityCount(b) - cityCount(a)).map(({ number }) => number);
  },
  ({ manifest }) => manifest,
);
