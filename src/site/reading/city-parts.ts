/**
 * The parts of a city, listed on its page: what lies in its unit, the other units that belong to it, and its localities of
 * other names outside of all these. One pass over the members of the city: 50 ns for each, and a microsecond to order a
 * locality by its name; those of a large city are remembered.
 */

import { codeRanksOf, isLocalityAt, isUnitAt } from '../../core/lookup/code-ranks.js';
import { haveOneName } from '../../core/lookup/siblings-of-name.js';
import { membersOf } from '../../core/snapshot/place-cities.js';
import { readListFields, readNameField } from '../../core/snapshot/place-fields.js';
import { isArea, isPlace, listAncestors, treeRangesBelow } from '../../core/snapshot/place-tree.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';
import type { CoveredCountry } from './covered-country.js';
import { oncePerLargeCity } from './once-per-large-city.js';
import { type Chain, childrenOfChain } from './single-child-chains.js';
import { haveOnePage } from './standing-place.js';
import type { UnitChildren } from './unit-children.js';
import { termOfNumbered } from './unit-terms.js';

/** `chain` is that of the city. */
export const listPartsOfCity = oncePerLargeCity(findPartsOfCity);

function findPartsOfCity(country: CoveredCountry, city: number, chain: Chain): UnitChildren {
  const { structures } = country;
  const { tree, renderedPlaces } = structures;
  const children = childrenOfChain(country, chain);
  const [outermost] = chain.units;
  const ranks = codeRanksOf(structures);
  // The unit around a city can belong to it too.
  const around = new Set(listAncestors(tree, city));
  const below = outermost === undefined ? [] : treeRangesBelow(tree, outermost);
  const units = new Set<number>();
  const [areas, cities, towns]: [number[], number[], number[]] = [[], [], []];
  for (const place of membersOf(structures, city)) {
    if (!isPlace(tree, place) || place === outermost || around.has(place)) continue;
    if (below.some(({ start, end }) => place >= start && place < end)) continue;
    // A unit has a lower number than what lies in it.
    if (units.size > 0 && listAncestors(tree, place).some((unit) => units.has(unit))) continue;
    if (isArea(tree, place)) {
      units.add(place);
      areas.push(place);
    } else if (!haveOneName(renderedPlaces, city, place)) {
      const last = cities.at(-1);
      if (isUnitAt(ranks, place)) towns.push(place);
      else if (isLocalityAt(ranks, place) && (last === undefined || !haveOnePage(structures, last, place)))
        cities.push(place);
    }
  }
  const all = [...children.cities, ...differentFrom(structures, children.cities, orderByName(structures, cities))];
  const areNumbered = termOfNumbered(country) !== undefined;
  const numbered = all.filter((place) => areNumbered && / \d+$/.test(readNameField(structures, place)));
  return {
    areas: [...children.areas, ...areas],
    numbered,
    cities: numbered.length === 0 ? all : all.filter((place) => !numbered.includes(place)),
    towns: orderByName(structures, [...children.towns, ...towns]),
    recipients: children.recipients,
  };
}

/** Only siblings are in the order of names already. */
function orderByName(structures: CountryStructures, places: readonly number[]): readonly number[] {
  const { parents } = structures.tree;
  if (places.every((place) => parents[place] === parents[places[0] as number])) return places;
  const named = places.map((place) => ({ place, name: readNameField(structures, place) }));
  return named.sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name)).map(({ place }) => place);
}

/** The localities that no other one in the list looks like: Vilnius has a village in its unit and, with the same code, beside it. */
function differentFrom(structures: CountryStructures, listed: readonly number[], places: readonly number[]): number[] {
  const lookOf = (place: number): string => {
    const { name, postalCode } = readListFields(structures, place);
    return `${name}\n${postalCode}`;
  };
  const seen = new Set(places.length === 0 ? [] : listed.map(lookOf));
  return places.filter((place) => seen.size < seen.add(lookOf(place)).size);
}
