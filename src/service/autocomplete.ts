/** Endpoint 8: suggestions for the start of a name. */
import { foldQuery } from '../format/fold-text.js';
import { placeFieldsJson } from '../store/place-answers.js';
import type { Country, Snapshot } from '../store/snapshot.js';
import { DomainError } from './domain-error.js';
import { findCountry, structuresOf } from './find-country.js';
import type { JsonPieces } from './json-pieces.js';
import { suggest } from './suggest.js';

interface AutocompleteRequest {
  readonly query: string;
  /** Undefined for the whole world. */
  readonly country: string | undefined;
  /** 1 to 25. */
  readonly limit: number;
}

/** Throws DomainError VALIDATION_FAILED, COUNTRY_NOT_FOUND or NO_POSTCODE_DATA. */
export function autocomplete(snapshot: Snapshot, { query, country, limit }: AutocompleteRequest): JsonPieces {
  const foldings = foldQuery(query);
  if (foldings.includes(''))
    throw new DomainError(
      'VALIDATION_FAILED',
      `q must have a letter or a digit; got ${JSON.stringify(query.slice(0, 100))}`,
    );
  const only = country === undefined ? undefined : findCountry(snapshot, country);
  const pieces: JsonPieces = ['['];
  suggest(snapshot, foldings, only, limit).forEach(({ country: owner, place }, position) => {
    if (position > 0) pieces.push(',');
    appendSuggestion(pieces, snapshot, owner, place);
  });
  pieces.push(']');
  return pieces;
}

function appendSuggestion(pieces: JsonPieces, snapshot: Snapshot, country: Country, place: number): void {
  const { name, postalCode, path, url } = placeFieldsJson(structuresOf(country).answers, place);
  pieces.push('{"kind":"place","name":', name, `,"countryCode":"${country.entry.code}","countryName":`);
  pieces.push(snapshot.countryNamesJson[country.number] as Uint8Array, ',"postalCode":', postalCode);
  pieces.push(',"path":', path, ',"url":', url, '}');
}
