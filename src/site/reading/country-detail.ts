/** A country with all of its fields and counts, from its rendered answer. */
import type { CountryResource, CountryStats } from '../../format/rendered-countries.js';
import { getCountry } from '../../service/get-country.js';
import { readResponseData } from '../../service/response-data.js';
import type { Country, Snapshot } from '../../store/snapshot.js';

/** `stats` are there where the country has postcode data. */
export type CountryDetail = CountryResource & { readonly stats?: CountryStats };

/** Throws SyntaxError where a damaged file holds no such answer. */
export function decodeCountryDetail(snapshot: Snapshot, { entry }: Country): CountryDetail {
  return JSON.parse(readResponseData(getCountry(snapshot, { country: entry.code }))) as CountryDetail;
}
