/** Endpoint 2: one country, with stats where it has postcode data. */
import { countryDetailJson } from '../store/country-answers.js';
import type { Snapshot } from '../store/snapshot.js';
import { findCountry } from './find-country.js';
import type { JsonPieces } from './json-pieces.js';

/** Throws DomainError COUNTRY_NOT_FOUND. */
export function getCountry(snapshot: Snapshot, { country }: { readonly country: string }): JsonPieces {
  const { number } = findCountry(snapshot, country);
  return [...countryDetailJson(snapshot.countryAnswers, number), '}'];
}
