/**
 * Endpoints 1 and 2: every country, or those with postcode data, ascending by code; and one country, with stats where it
 * has postcode data.
 */

import { findCountry } from '../lookup/countries.js';
import type { ByteString } from '../snapshot/byte-string.js';
import { renderedCountriesJson, renderedCountryDetail } from '../snapshot/rendered-countries.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { joinResponse, type ResponseData } from './response-data.js';

export function getCountry(snapshot: Snapshot, { country }: { readonly country: string }): ByteString {
  const { number } = findCountry(snapshot, country);
  const [open, stats] = renderedCountryDetail(snapshot.renderedCountries, number);
  return `${open}${stats}}`;
}

export function listCountries(
  { countries, renderedCountries }: Snapshot,
  { hasPostcodes }: { readonly hasPostcodes: boolean | undefined },
): ResponseData {
  // The contract: "when true only countries with postcode data are returned". False has no effect.
  if (hasPostcodes !== true)
    return joinResponse('[', renderedCountriesJson(renderedCountries, 0, countries.length), ']');
  let json = '';
  // Adjacent countries with data are one slice.
  for (let start = 0; start < countries.length; start++) {
    if (countries[start]?.structures === undefined) continue;
    let end = start + 1;
    while (countries[end]?.structures !== undefined) end++;
    json += (json === '' ? '[' : ',') + renderedCountriesJson(renderedCountries, start, end).toString('latin1');
    start = end;
  }
  return json === '' ? '[]' : `${json}]`;
}
