/** Endpoint 8: suggestions of places for the start of a name. */
import { foldQuery } from '../format/fold-text.js';
import type { ByteString } from '../store/byte-string.js';
import { placeFieldsJson } from '../store/rendered-places.js';
import type { Country, Snapshot } from '../store/snapshot.js';
import { DomainError, type ParameterFault } from './domain-error.js';
import { findCountry, structuresOf } from './find-country.js';
import { suggest } from './suggest/suggest.js';

interface AutocompleteRequest {
  readonly query: string;
  /** Undefined for the whole world. */
  readonly country: string | undefined;
  /** 1 to 25. */
  readonly limit: number;
}

/** Throws DomainError VALIDATION_FAILED, COUNTRY_NOT_FOUND or NO_POSTCODE_DATA. */
export function autocomplete(snapshot: Snapshot, { query, country, limit }: AutocompleteRequest): ByteString {
  const faults = findQueryFaults({ query });
  if (faults[0] !== undefined) throw new DomainError('VALIDATION_FAILED', faults[0].message, faults);
  const only = country === undefined ? undefined : [findCountry(snapshot, country)];
  let list = '';
  for (const { country: owner, place } of suggest(snapshot, query, { countries: only }, limit)) {
    list += (list === '' ? '' : ',') + renderSuggestion(snapshot, owner, place);
  }
  return `[${list}]`;
}

/** The fault of a query that has nothing to search for. */
export function findQueryFaults({ query }: { readonly query?: unknown }): ParameterFault[] {
  if (typeof query !== 'string' || !foldQuery(query).includes('')) return [];
  const message = `q must have a letter or a digit; got ${JSON.stringify(query.slice(0, 100))}`;
  return [{ param: 'q', message, expected: 'text with a letter or a digit' }];
}

function renderSuggestion(snapshot: Snapshot, country: Country, place: number): ByteString {
  const { name, postalCode, path, url } = placeFieldsJson(structuresOf(country).renderedPlaces, place);
  const countryName = snapshot.countryNamesJson[country.number];
  return (
    `{"kind":"place","name":${name},"countryCode":"${country.entry.code}","countryName":${countryName}` +
    `,"postalCode":${postalCode},"path":${path},"url":${url}}`
  );
}
