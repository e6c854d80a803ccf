/** Finds the country of a request, and its structures. */
import type { Country, CountryStructures, Snapshot } from '../store/snapshot.js';
import { DomainError } from './domain-error.js';

/** A country by its upper-case code. Throws DomainError COUNTRY_NOT_FOUND. */
export function findCountry(snapshot: Snapshot, code: string): Country {
  const country = snapshot.countryByCode.get(code);
  if (country === undefined) throw new DomainError('COUNTRY_NOT_FOUND', `There is no country with the code ${code}.`);
  return country;
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
