/** A country with all of its fields and counts, from its rendered answer. */
import type { CountryAnswer, CountryStats } from '../../format/country-answers.js';
import { getCountry } from '../../service/get-country.js';
import { readAnswer } from '../../service/json-answer.js';
import type { Country, Snapshot } from '../../store/snapshot.js';

/** `stats` are there where the country has postcode data. */
export type CountryDetail = CountryAnswer & { readonly stats?: CountryStats };

/** Throws SyntaxError where a damaged file holds no such answer. */
export function decodeCountryDetail(snapshot: Snapshot, { entry }: Country): CountryDetail {
  return JSON.parse(readAnswer(getCountry(snapshot, { country: entry.code }))) as CountryDetail;
}
