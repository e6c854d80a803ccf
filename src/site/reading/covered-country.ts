/** A country with postal code data, in contrast to the countries that have only a name and facts. */

import type { Country, CountryStructures, Snapshot } from '../../core/snapshot/snapshot.js';

export interface CoveredCountry extends Country {
  readonly structures: CountryStructures;
}

export function isCovered(country: Country): country is CoveredCountry {
  return country.structures !== undefined;
}

export function coveredByName({ countries }: Snapshot): CoveredCountry[] {
  return countries.filter(isCovered).sort(byCountryName);
}

export function byCountryName(a: Country, b: Country): number {
  return a.entry.name.localeCompare(b.entry.name, 'en');
}
