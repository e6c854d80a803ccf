/** Finds the country of a request, and its structures. */
import type { Country, CountryStructures, Snapshot } from '../store/snapshot.js';
import { DomainError } from './domain-error.js';
import { findMeantCountry } from './meant-country.js';

/** What a parameter that names a country must be. */
export const COUNTRY_CODE = 'a two-letter ISO 3166-1 alpha-2 country code';

/** A country by its upper-case code, which the parameter `param` has. Throws DomainError COUNTRY_NOT_FOUND. */
export function findCountry(snapshot: Snapshot, code: string, param = 'country'): Country {
  const country = snapshot.countryByCode.get(code);
  if (country === undefined) throw countryNotFound(snapshot, code, param);
  return country;
}

function countryNotFound(snapshot: Snapshot, code: string, param: string): DomainError {
  const sentence = `There is no country with the code ${code}`;
  const meant = findMeantCountry(snapshot, code);
  if (meant === undefined) return new DomainError('COUNTRY_NOT_FOUND', `${sentence}.`);
  const message = `${sentence}; did you mean ${meant}?`;
  return new DomainError('COUNTRY_NOT_FOUND', message, [{ param, message, expected: COUNTRY_CODE }]);
}

/** The structures of a country. Throws DomainError COUNTRY_NOT_FOUND or NO_POSTCODE_DATA. */
export function findStructures(snapshot: Snapshot, code: string): CountryStructures {
  return structuresOf(findCountry(snapshot, code));
}

/** Throws DomainError NO_POSTCODE_DATA. */
export function structuresOf(country: Country): CountryStructures {
  if (country.structures !== undefined) return country.structures;
  throw new DomainError(
    'NO_POSTCODE_DATA',
    `There is no postcode data for ${country.entry.name} (${country.entry.code}).`,
  );
}
