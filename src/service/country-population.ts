/**
 * The people of a country, to order countries by. The snapshot has the people of the cities of each country with data,
 * by the gazetteer; all other countries have none.
 */
import type { Country } from '../store/snapshot.js';

const known = new WeakMap<Country, number>();

export function populationOfCountry(country: Country): number {
  let people = known.get(country);
  if (people === undefined) {
    people = country.structures?.names.cityPeople.reduce((sum, ofCity) => sum + ofCity, 0) ?? 0;
    known.set(country, people);
  }
  return people;
}
