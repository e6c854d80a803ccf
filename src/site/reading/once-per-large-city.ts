/**
 * What pages compute from all places of a city, in 0.1 to 0.3 µs for each, remembered for large cities as long as the
 * snapshot: Singapore has 119,000 places, Lisbon 9,000, and most countries have no city with MANY_MEMBERS.
 */

import { oncePer } from '../../base/once-per.js';
import { membersOf } from '../../core/snapshot/place-cities.js';
import type { CoveredCountry } from './covered-country.js';

/** Number of other places of a city from which on its values are remembered: one takes up to 0.3 ms. */
export const MANY_MEMBERS = 1_000;

/** `More` is what follows from the city: its chain, or the snapshot of its country. */
export function oncePerLargeCity<Value extends object, More extends readonly unknown[]>(
  compute: (country: CoveredCountry, city: number, ...more: More) => Value,
): typeof compute {
  const rememberedOf = oncePer((_: CoveredCountry) => new Map<number, Value>());
  return (country, city, ...more) => {
    const remembered = rememberedOf(country);
    const found = remembered.get(city);
    if (found !== undefined) return found;
    const value = compute(country, city, ...more);
    if (membersOf(country.structures, city).length >= MANY_MEMBERS) remembered.set(city, value);
    return value;
  };
}
