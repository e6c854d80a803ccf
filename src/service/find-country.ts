/** Finds the country of a request, and its structures. */
import type { Country, CountryStructures, Snapshot } from '../store/snapshot.js';
import { DomainError, type ParameterFault } from './domain-error.js';
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
  const meant = findMeantCountry(snapshot, code);
  const fault = unknownCountry(code, param, meant);
  return new DomainError('COUNTRY_NOT_FOUND', fault.message, meant === undefined ? undefined : [fault]);
}

/** The fault of a parameter with the code of no country; `meant` is the code that was probably meant. */
export function unknownCountry(code: string, param: string, meant: string | undefined): ParameterFault {
  const hint = meant === undefined ? '.' : `; did you mean ${meant}?`;
  return { param, message: `There is no country with the code ${code}${hint}`, expected: COUNTRY_CODE };
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
