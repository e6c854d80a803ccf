/**
 * The suggestions of several kinds in one list. Countries that the text names or whose code it is come first. Then, if
 * the text is a postal code or fits one, codes before places, and otherwise places before codes; last the countries whose
 * names start with the text. Each list after the first keeps a fifth of the slots, and at least one, as far as it
 * has suggestions; the first list has a slot in any case.
 */

import { foldQuery } from '../snapshot/fold-text.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import type { WorkBudget } from '../snapshot/work-budget.js';
import { type CodeSuggestion, listCodeSuggestions } from './code-suggestions.js';
import { listCountrySuggestions } from './country-suggestions.js';
import { findSuggestions } from './suggest.js';
import type { SearchScope, Suggestion } from './suggestion.js';

export const SUGGESTION_KINDS = ['place', 'postcode', 'country'] as const;
export type SuggestionKind = (typeof SUGGESTION_KINDS)[number];

export type SuggestedItem =
  | ({ readonly kind: 'place' } & Suggestion)
  | ({ readonly kind: 'postcode' } & CodeSuggestion)
  | { readonly kind: 'country'; readonly country: Country };

/** The part of the slots that each list after the first keeps. */
const KEPT_SHARE = 1 / 5;

interface ItemsRequest {
  readonly query: string;
  readonly kinds: readonly SuggestionKind[];
  readonly scope: SearchScope;
  readonly limit: number;
  /** The query's budget, if it shares one with other searches. */
  readonly work?: WorkBudget;
}

/** Best first, at most `limit`. */
export function listSuggestedItems(snapshot: Snapshot, request: ItemsRequest): SuggestedItem[] {
  const { query, kinds, scope, limit } = request;
  const lists: SuggestedItem[][] = [];
  if (kinds.includes('place') || kinds.includes('postcode')) {
    const found = findSuggestions(snapshot, query, scope, limit, request.work);
    if (kinds.includes('place')) {
      lists.push(found.places.map((suggestion) => ({ kind: 'place', ...suggestion })));
    }
    if (kinds.includes('postcode')) {
      const codes = listCodeSuggestions(found.names, found.ofCodes, limit);
      lists.push(codes.map((code) => ({ kind: 'postcode', ...code })));
    }
    if (found.isCode) lists.reverse();
  }
  if (kinds.includes('country')) {
    const { exact, starting } = listCountrySuggestions(snapshot, foldQuery(query), scope.countries);
    lists.unshift(exact.map((country) => ({ kind: 'country', country })));
    lists.push(starting.map((country) => ({ kind: 'country', country })));
  }
  return lists.length === 1 ? (lists[0] as SuggestedItem[]) : fillSlots(lists, limit);
}

function fillSlots(lists: readonly (readonly SuggestedItem[])[], limit: number): SuggestedItem[] {
  const kept = Math.max(1, Math.floor(limit * KEPT_SHARE));
  const filled = lists.filter((list) => list.length > 0);
  const items: SuggestedItem[] = [];
  filled.forEach((list, at) => {
    const forOthers = filled.slice(at + 1).reduce((sum, { length }) => sum + Math.min(length, kept), 0);
    const most = Math.max(at === 0 ? 1 : 0, limit - items.length - forOthers);
    items.push(...list.slice(0, most));
  });
  return items;
}
