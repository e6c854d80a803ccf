/**
 * The suggestions of several kinds in one list. Countries that the text names or whose code it is come first. Then, if
 * the text is a postal code or fits one, codes before places, and otherwise places before codes; last the countries whose
 * names start with the text. Each list after the first keeps a fifth of the slots, and at least one, as far as it
 * has suggestions; the first list has a slot in any case.
 */
import { foldQuery } from '../../format/fold-text.js';
import type { Country, Snapshot } from '../../store/snapshot.js';
import { WorkBudget } from '../../store/work-budget.js';
import { type CodeSuggestion, listCodeSuggestions } from './code-suggestions.js';
import { listCountrySuggestions } from './country-suggestions.js';
import type { SearchScope } from './search-scope.js';
import { findSuggestions } from './suggest.js';
import type { Suggestion } from './suggestion.js';

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
}

/** Best first, at most `limit`. */
export function listSuggestedItems(snapshot: Snapshot, request: ItemsRequest): SuggestedItem[] {
  const { query, kinds, scope, limit } = request;
  const isAsked = (kind: SuggestionKind): boolean => kinds.includes(kind);
  const found =
    isAsked('place') || isAsked('postcode')
      ? findSuggestions(snapshot, query, scope, limit, new WorkBudget())
      : undefined;
  const ofPlaces = found !== undefined && isAsked('place') ? found.places : [];
  const places = ofPlaces.map(({ country, place }) => ({ kind: 'place', country, place }) as const);
  const codes =
    found !== undefined && isAsked('postcode') ? listCodeSuggestions(found.names, found.ofCodes, limit) : [];
  const postcodes = codes.map((code) => ({ kind: 'postcode', ...code }) as const);
  const { exact, starting } = isAsked('country')
    ? listCountrySuggestions(snapshot, foldQuery(query), scope.countries)
    : NO_COUNTRIES;
  const countries = [exact, starting].map((list) => list.map((country) => ({ kind: 'country', country }) as const));
  const [first, second] = found?.isCode === true ? [postcodes, places] : [places, postcodes];
  return fillSlots([countries[0] ?? [], first, second, countries[1] ?? []], limit);
}

const NO_COUNTRIES = { exact: [], starting: [] };

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
