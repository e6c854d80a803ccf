/** Endpoint 8: suggestions for the start of a name. */
import { foldText } from '../format/fold-text.js';
import { findRanks } from '../store/name-index.js';
import { placeFieldsJson } from '../store/place-answers.js';
import type { Country, Snapshot } from '../store/snapshot.js';
import { DomainError } from './domain-error.js';
import { findCountry, structuresOf } from './find-country.js';
import type { JsonPieces } from './json-pieces.js';

export interface AutocompleteRequest {
  readonly query: string;
  /** Undefined for the whole world. */
  readonly country: string | undefined;
  /** 1 to 25. */
  readonly limit: number;
}

/** Throws DomainError VALIDATION_FAILED, COUNTRY_NOT_FOUND or NO_POSTCODE_DATA. */
export function autocomplete(snapshot: Snapshot, { query, country, limit }: AutocompleteRequest): JsonPieces {
  const folded = foldText(query);
  const only = country === undefined ? undefined : findCountry(snapshot, country);
  const index = only === undefined ? snapshot.worldNames : structuresOf(only).names;
  if (folded === '')
    throw new DomainError(
      'VALIDATION_FAILED',
      `q must have a letter or a digit; got ${JSON.stringify(query.slice(0, 100))}`,
    );
  const pieces: JsonPieces = ['['];
  findRanks(index, folded, limit).forEach((rank, position) => {
    const owner = only ?? (snapshot.countries[index.countries[rank] as number] as Country);
    if (position > 0) pieces.push(',');
    appendSuggestion(pieces, snapshot, owner, index.places[rank] as number);
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
