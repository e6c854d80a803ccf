/**
 * Lists the match candidates of each city of a country: every place with a name of the city, its distance, and whether
 * the admin units agree. Excludes only places that can't be the city; match-cities.ts decides the rest.
 */

import type { NamedCity } from '../gazetteer/read-gazetteer.js';
import type { CountryTree } from '../tree/country-tree.js';
import { AdminAgreement, type UnitAgreement } from './admin-agreement.js';
import { isFitForMainPlace, isTooWideForMainPlace } from './choose-main-place.js';
import { type CityKeys, cityKeys } from './city-keys.js';
import { cityRadiusKm } from './city-size.js';
import { isWithinSameSpotLimit } from './distance-limits.js';
import { PlaceNameIndex } from './place-name-index.js';
import type { TreeAreas } from './tree-areas.js';

/** A place with a name of a city. */
export interface Candidate {
  readonly place: number;
  /** From the city's position to the place or, for an admin unit, to its nearest leaf. */
  readonly km: number;
  readonly agreement: UnitAgreement;
}

/**
 * A city with its candidates, nearest first, a unit before leaves as near as its nearest one; each in the first list
 * whose rule it satisfies.
 */
export interface CitySearch {
  readonly city: NamedCity;
  /** `written` of CityKeys. */
  readonly names: ReadonlyMap<string, string>;
  readonly radiusKm: number;
  /** The place's name is the city's main name. */
  readonly byName: readonly Candidate[];
  /** The place's name has the same core as the main name. */
  readonly byCoreName: readonly Candidate[];
  /** The place's name is one of the city's other names. */
  readonly byOtherName: readonly Candidate[];
  /**
   * The place's name is a name of the city followed by more words: a part. Computed on demand, as few cities need it.
   */
  listByPrefix(): readonly Candidate[];
}

const SEAT = /^PPL(?:C|A\d?)$/;

/** One search for each city, in the order of `cities`. */
export function findMatchCandidates(tree: CountryTree, areas: TreeAreas, cities: readonly NamedCity[]): CitySearch[] {
  const keysOfCities = cities.map(cityKeys);
  const names = new PlaceNameIndex(tree, keysOfCities);
  const byName = keysOfCities.map(({ main }) => collect(main, (name) => names.withName(name)));
  const agreements = learnAgreements(tree, areas, cities, byName);
  return cities.map((city, index) => {
    const keys = keysOfCities[index] as CityKeys;
    const known = new Set<number>();
    const candidates = (places: Iterable<number>, fits = (_place: number): boolean => true): Candidate[] => {
      const found: Candidate[] = [];
      for (const place of places) {
        if (known.has(place) || !fits(place)) continue;
        known.add(place);
        const km = areas.kmTo(city.latitude, city.longitude, place);
        found.push({ place, km, agreement: agreements(city, place) });
      }
      return found.sort(
        (a, b) => a.km - b.km || Number(areas.isLeaf(a.place)) - Number(areas.isLeaf(b.place)) || a.place - b.place,
      );
    };
    return {
      city,
      names: keys.written,
      radiusKm: cityRadiusKm(city.population),
      byName: candidates(byName[index] as Set<number>),
      // The city "Maryland City" does not match the state Maryland.
      byCoreName: candidates(
        collect(keys.cores, (core) => names.withCore(core)),
        (place) => areas.rootOf(place) !== place || isFitForMainPlace(areas, city, place),
      ),
      // An other name of a town matches a wider county only if the town is its seat.
      byOtherName: candidates(
        collect(keys.other, (name) => names.withName(name)),
        (place) => areas.isLeaf(place) || SEAT.test(city.featureCode) || !isTooWideForMainPlace(areas, city, place),
      ),
      listByPrefix: () => candidates(collect(keys.prefixes, (prefix) => names.withPrefix(prefix))),
    };
  });
}

function collect(keys: Iterable<string>, list: (key: string) => readonly number[]): Set<number> {
  const places = new Set<number>();
  for (const key of keys) for (const place of list(key)) places.add(place);
  return places;
}

/** Compares the admin units of a place with those of a city; learns from places of the main name at the same spot. */
function learnAgreements(
  tree: CountryTree,
  areas: TreeAreas,
  cities: readonly NamedCity[],
  byName: readonly ReadonlySet<number>[],
): (city: NamedCity, place: number) => UnitAgreement {
  const codes = [0, 1].map((level) => new Set(tree.releaseCodes.map((ofPlace) => ofPlace[level] as string)));
  const level1 = new AdminAgreement(1, codes[0] as Set<string>);
  const level2 = new AdminAgreement(2, codes[1] as Set<string>);
  /** The code of a place's unit of level 1 or, if it has none, the unit's number; empty if there is no unit. */
  const firstUnit = (place: number): string => {
    const code = tree.releaseCodes[place]?.[0] ?? '';
    if (code !== '') return code;
    const root = areas.rootOf(place);
    return areas.isLeaf(root) ? '' : `unit ${root}`;
  };
  const secondUnit = (place: number): string => tree.releaseCodes[place]?.[1] ?? '';
  cities.forEach((city, index) => {
    const { latitude, longitude, population } = city;
    const near = [...(byName[index] as ReadonlySet<number>)].filter((place) =>
      isWithinSameSpotLimit(areas.kmTo(latitude, longitude, place), population),
    );
    level1.learn(city, new Set(near.map(firstUnit).filter((unit) => unit !== '')));
    level2.learn(city, new Set(near.map(secondUnit).filter((unit) => unit !== '')));
  });
  return (city, place) => ({
    level1: level1.agreementOf(city, firstUnit(place)),
    level2: level2.agreementOf(city, secondUnit(place)),
  });
}
