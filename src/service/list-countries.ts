/** Endpoint 1: every country, or those with postcode data, ascending by code. */
import { countryRangeJson } from '../store/rendered-countries.js';
import type { Snapshot } from '../store/snapshot.js';
import { concatenate, type ResponseData } from './response-data.js';

export function listCountries(
  { countries, renderedCountries }: Snapshot,
  { hasPostcodes }: { readonly hasPostcodes: boolean | undefined },
): ResponseData {
  // The contract: "when true only countries with postcode data are returned". False has no effect.
  if (hasPostcodes !== true) return concatenate('[', countryRangeJson(renderedCountries, 0, countries.length), ']');
  let json = '';
  // Adjacent countries with data are one slice.
  for (let start = 0; start < countries.length; start++) {
    if (countries[start]?.structures === undefined) continue;
    let end = start + 1;
    while (countries[end]?.structures !== undefined) end++;
    json += (json === '' ? '[' : ',') + countryRangeJson(renderedCountries, start, end).toString('latin1');
    start = end;
  }
  return json === '' ? '[]' : `${json}]`;
}
