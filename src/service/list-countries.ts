/** Endpoint 1: every country, or those with postcode data, ascending by code. */
import { countryRangeJson } from '../store/country-answers.js';
import type { Snapshot } from '../store/snapshot.js';
import { around, type JsonAnswer } from './json-answer.js';

export function listCountries(
  { countries, countryAnswers }: Snapshot,
  { hasPostcodes }: { readonly hasPostcodes: boolean | undefined },
): JsonAnswer {
  // The contract: "when true only countries with postcode data are returned"; false asks for nothing special.
  if (hasPostcodes !== true) return around('[', countryRangeJson(countryAnswers, 0, countries.length), ']');
  let json = '';
  // Countries with data that are neighbours are one slice.
  for (let start = 0; start < countries.length; start++) {
    if (countries[start]?.structures === undefined) continue;
    let end = start + 1;
    while (countries[end]?.structures !== undefined) end++;
    json += (json === '' ? '[' : ',') + countryRangeJson(countryAnswers, start, end).toString('latin1');
    start = end;
  }
  return json === '' ? '[]' : `${json}]`;
}
