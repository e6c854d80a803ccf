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
  const pieces: JsonPieces = [];
  for (const { number, structures } of countries) {
    if (structures === undefined) continue;
    pieces.push(pieces.length === 0 ? '[' : ',', countryRangeJson(countryAnswers, number, number + 1));
  }
  return pieces.length === 0 ? ['[]'] : [...pieces, ']'];
}
