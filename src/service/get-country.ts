/** Endpoint 2: one country, with stats where it has postcode data. */
import type { ByteString } from '../store/byte-string.js';
import { countryDetailJson } from '../store/rendered-countries.js';
import type { Snapshot } from '../store/snapshot.js';
import { findCountry } from './find-country.js';

/** Throws DomainError COUNTRY_NOT_FOUND. */
export function getCountry(snapshot: Snapshot, { country }: { readonly country: string }): ByteString {
  const { number } = findCountry(snapshot, country);
  const [open, stats] = countryDetailJson(snapshot.renderedCountries, number);
  return `${open}${stats}}`;
}
