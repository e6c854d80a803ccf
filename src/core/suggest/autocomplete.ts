/** Endpoint 8: suggestions of places for the start of a name, on request also of postal codes and countries. */

import type { ByteString } from '../snapshot/byte-string.js';
import { foldQuery } from '../snapshot/fold-text.js';
import type { PlaceType } from '../snapshot/place-tree.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import { findCountry, structuresOf } from '../use-cases/countries.js';
import { DomainError, type ParameterFault } from '../use-cases/domain-error.js';
import { renderDetailedSuggestions, renderSuggestions } from './render-suggestions.js';
import { listSuggestedItems, type SuggestionKind } from './suggest.js';
import type { SearchScope } from './suggestion.js';

/** Maximum number of countries of a query. */
export const MAX_SUGGESTION_COUNTRIES = 10;

const ASCII_LETTER_OR_DIGIT = /[a-z0-9]/i;

/** What suggestions can include beside the contract's fields. */
export const SUGGESTION_PARTS = ['place'] as const;
export type SuggestionPart = (typeof SUGGESTION_PARTS)[number];

export interface AutocompleteRequest {
  readonly query: string;
  /** A code, or up to ten; undefined for the whole world. */
  readonly country: string | readonly string[] | undefined;
  /** 1 to 25. */
  readonly limit: number;
  readonly include?: readonly SuggestionPart[] | undefined;
  /** Undefined for places. */
  readonly kinds?: readonly SuggestionKind[] | undefined;
  /** Undefined for all types. */
  readonly types?: readonly PlaceType[] | undefined;
  /** A point whose surroundings are favoured; both numbers or neither. */
  readonly lat?: number | undefined;
  readonly lng?: number | undefined;
}

/** Throws DomainError VALIDATION_FAILED, COUNTRY_NOT_FOUND or NO_POSTCODE_DATA. */
export function autocomplete(snapshot: Snapshot, request: AutocompleteRequest): ByteString {
  const faults = findQueryFaults({ ...request });
  if (faults[0] !== undefined) throw new DomainError('VALIDATION_FAILED', faults[0].message, faults);
  const { query, limit, include = [], kinds = ['place'] } = request;
  const items = listSuggestedItems(snapshot, {
    query,
    kinds,
    scope: scopeOf(snapshot, request),
    limit,
  });
  return include.includes('place') ? renderDetailedSuggestions(snapshot, items) : renderSuggestions(snapshot, items);
}

/** The faults of a query that has nothing to search for, or half of a point. */
export function findQueryFaults({ query, lat, lng }: Readonly<Record<string, unknown>>): ParameterFault[] {
  const faults: ParameterFault[] = [];
  // Folding keeps every letter and digit of ASCII, and is done once more for the search.
  if (typeof query === 'string' && !ASCII_LETTER_OR_DIGIT.test(query) && foldQuery(query).includes('')) {
    const message = `q must have a letter or a digit; got ${JSON.stringify(query.slice(0, 100))}`;
    faults.push({ param: 'q', message, expected: 'text with a letter or a digit' });
  }
  if ((lat === undefined) !== (lng === undefined)) {
    const message = 'lat and lng must be given together, or neither of them';
    faults.push({ param: lat === undefined ? 'lat' : 'lng', message, expected: 'lat and lng, or neither' });
  }
  return faults;
}

function scopeOf(snapshot: Snapshot, { country, include, kinds, types, lat, lng }: AutocompleteRequest): SearchScope {
  const codes = typeof country === 'string' ? [country] : country;
  return {
    countries: codes?.map((code) => countryWithData(snapshot, code)),
    types,
    near: lat === undefined || lng === undefined ? undefined : { latitude: lat, longitude: lng },
    areRecipientsLast: include !== undefined || kinds !== undefined || types !== undefined,
  };
}

function countryWithData(snapshot: Snapshot, code: string): Country {
  const country = findCountry(snapshot, code);
  structuresOf(country);
  return country;
}
