/**
 * The cities of a country with the places that may be theirs: every place that bears a name of the city, how far it is,
 * and whether the admin units agree. Nothing is decided here but what can't be the city at all.
 */
import { AdminAgreement } from './admin-agreement.js';
import { type CityKeys, cityKeys } from './city-names.js';
import type { MatchedTree } from './matched-tree.js';
import { cityRadiusKm, isSameSpotKm, type UnitAgreement } from './nearness.js';
import { PlaceNames } from './place-names.js';
import { isCity, isWiderThan } from './place-order.js';
import type { NamedCity } from './read-gazetteer.js';
import type { TreeAreas } from './tree-areas.js';

/** A place that bears a name of a city. */
export interface Candidate {
  readonly place: number;
  /** From the city's position to that of the place or, of an admin unit, to the nearest leaf of it. */
  readonly km: number;
  readonly agreement: UnitAgreement;
}

/** A city with its candidates, nearest first, each in the first list that it fits. */
export interface Seeker {
  readonly city: NamedCity;
  /** The city's names by their folded form, see CityKeys. */
  readonly names: ReadonlyMap<string, string>;
  readonly radiusKm: number;
  /** The place bears the main name. */
  readonly named: readonly Candidate[];
  /** The core of the place's name is that of the main name. */
  readonly cored: readonly Candidate[];
  /** The place bears one of the other names. */
  readonly othered: readonly Candidate[];
  /** The place's name starts with a name of the city and has more words: a part. Few cities need them. */
  listStarted(): readonly Candidate[];
}

const SEAT = /^PPL(?:C|A\d?)$/;

/** One seeker for each city, in the order of `cities`. */
export function findSeekers(tree: MatchedTree, areas: TreeAreas, cities: readonly NamedCity[]): Seeker[] {
  const keysOfCities = cities.map(cityKeys);
  const names = new PlaceNames(tree, keysOfCities);
  const named = keysOfCities.map(({ main }) => collect(main, (name) => names.named(name)));
  const agreements = learnAgreements(tree, areas, cities, named);
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
      return found.sort((a, b) => a.km - b.km || a.place - b.place);
    };
    return {
      city,
      names: keys.written,
      radiusKm: cityRadiusKm(city.population),
      named: candidates(named[index] as Set<number>),
      // "Maryland City" is no state.
      cored: candidates(
        collect(keys.cores, (core) => names.withCore(core)),
        (place) => areas.rootOf(place) !== place || isCity(areas, city, place),
      ),
      // A county is not called by another name of one of its towns, unless that town is its seat.
      othered: candidates(
        collect(keys.other, (name) => names.named(name)),
        (place) => areas.isLeaf(place) || SEAT.test(city.featureCode) || !isWiderThan(areas, city, place),
      ),
      listStarted: () => candidates(collect(keys.starts, (start) => names.startingWith(start))),
    };
  });
}

function collect(keys: Iterable<string>, list: (key: string) => readonly number[]): Set<number> {
  const places = new Set<number>();
  for (const key of keys) for (const place of list(key)) places.add(place);
  return places;
}

/** What the admin units of a place say to those of a city, learnt from the places of the main name at the same spot. */
function learnAgreements(
  tree: MatchedTree,
  areas: TreeAreas,
  cities: readonly NamedCity[],
  named: readonly ReadonlySet<number>[],
): (city: NamedCity, place: number) => UnitAgreement {
  const codes = [0, 1].map((level) => new Set(tree.releaseCodes.map((ofPlace) => ofPlace[level] as string)));
  const level1 = new AdminAgreement(1, codes[0] as Set<string>);
  const level2 = new AdminAgreement(2, codes[1] as Set<string>);
  /** The code of a place's unit of level 1 or, where that has none, the unit itself; empty where there is no unit. */
  const firstUnit = (place: number): string => {
    const code = tree.releaseCodes[place]?.[0] ?? '';
    if (code !== '') return code;
    const root = areas.rootOf(place);
    return areas.isLeaf(root) ? '' : `unit ${root}`;
  };
  const secondUnit = (place: number): string => tree.releaseCodes[place]?.[1] ?? '';
  cities.forEach((city, index) => {
    const { latitude, longitude, population } = city;
    const near = [...(named[index] as ReadonlySet<number>)].filter((place) =>
      isSameSpotKm(areas.kmTo(latitude, longitude, place), population),
    );
    level1.learn(city, new Set(near.map(firstUnit).filter((unit) => unit !== '')));
    level2.learn(city, new Set(near.map(secondUnit).filter((unit) => unit !== '')));
  });
  return (city, place) => ({
    level1: level1.agreementOf(city, firstUnit(place)),
    level2: level2.agreementOf(city, secondUnit(place)),
  });
}
