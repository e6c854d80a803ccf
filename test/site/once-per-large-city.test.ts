/** Values of cities: remembered for large ones, as long as their country. */

import { expect, test } from '@jest/globals';
import type { CoveredCountry } from '../../src/site/reading/covered-country.js';
import { MANY_MEMBERS, oncePerLargeCity } from '../../src/site/reading/once-per-large-city.js';

/** Place 0 is a city with many places, the place behind them a city with one place less. */
const [LARGE, SMALL] = [0, MANY_MEMBERS + 1];
const cities = Uint32Array.from({ length: 2 * MANY_MEMBERS + 1 }, (_, place) => (place < SMALL ? LARGE : SMALL));
const members = Uint32Array.from(cities.keys()).filter((place) => cities[place] !== place);
const createCountry = (): CoveredCountry => ({ structures: { cities: { cities, members } } }) as CoveredCountry;

test('a value is computed once for a large city of a country, and each time for any other place', () => {
  const computed: string[] = [];
  const nameOf = oncePerLargeCity((_, city, name: string) => {
    computed.push(`${city} ${name}`);
    return [name];
  });
  const countries = [createCountry(), createCountry()] as const;
  for (const place of [LARGE, SMALL, 1]) {
    const values = [...countries, ...countries].map((country) => nameOf(country, place, 'a'));
    expect(values).toEqual([['a'], ['a'], ['a'], ['a']]);
    expect([place, values[0] === values[2]]).toEqual([place, place === LARGE]);
  }
  expect(computed).toEqual([LARGE, SMALL, 1].flatMap((place) => Array(place === LARGE ? 2 : 4).fill(`${place} a`)));
});
