/** Endpoint 1: every country, or those with postcode data, ascending by code. */
import { countryRangeJson } from '../store/country-answers.js';
import type { Snapshot } from '../store/snapshot.js';
import type { JsonPieces } from './json-pieces.js';

export function listCountries(
  { countries, countryAnswers }: Snapshot,
  { hasPostcodes }: { readonly hasPostcodes: boolean | undefined },
): JsonPieces {
  // The contract: "when true only countries with postcode data are returned"; false asks for nothing special.
  if (hasPostcodes !== true) return ['[', countryRangeJson(countryAnswers, 0, countries.length), ']'];
  const pieces: JsonPieces = ['['];
  // Countries with data that are neighbours are one piece.
  for (let start = 0; start < countries.length; start++) {
    if (countries[start]?.structures === undefined) continue;
    let end = start + 1;
    while (countries[end]?.structures !== undefined) end++;
    pieces.push(pieces.length === 1 ? '' : ',', countryRangeJson(countryAnswers, start, end));
    start = end;
  }
  pieces.push(']');
  return pieces;
}
