/**
 * Lists the match candidates of each city of a country: every place with a name of the city, its distance, and whether
 * the admin units agree. Excludes only places that can't be the city; match-cities.ts decides the rest.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { kmBetween } from '../../src/core/snapshot/sphere.js';
import type { CountryTree } from '../tree/country-tree.js';
import { type CityKeys, cityKeys, isLesserName, PlaceNameIndex } from './city-names.js';
import { SECTION } from './city-row.js';
import { AdminAgreement, isCity, isWiderThan, orderPlaces } from './place-order.js';
import type { NamedCity } from './read-gazetteer.js';
import {
  cityRadiusKm,
  farLimitKm,
  isSameSpotKm,
  NEAR_KM,
  nearLimitKm,
  SAME_SPOT_KM,
  type TreeAreas,
  type UnitAgreement,
} from './tree-areas.js';

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
export function findCandidates(tree: CountryTree, areas: TreeAreas, cities: readonly NamedCity[]): CitySearch[] {
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
        (place) => areas.rootOf(place) !== place || isCity(areas, city, place),
      ),
      // An other name of a town matches a wider county only if the town is its seat.
      byOtherName: candidates(
        collect(keys.other, (name) => names.withName(name)),
        (place) => areas.isLeaf(place) || SEAT.test(city.featureCode) || !isWiderThan(areas, city, place),
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

/*
 * The rules by which a city takes one of its candidates in a step of matching (match-cities.ts): near, farther off, and
 * at a mistaken position. Each rule returns the nearest candidate that fits.
 */

/** Minimum distance of a mistaken position from the centre of its admin unit, in km: larger than most units' radius. */
const OUTSIDE_KM = 150;
/** Minimum ratio of that distance to the city's own distance from the centre: a remote city is no mistake. */
const OUTSIDE_RATIO = 3;
/** Minimum number of places of a name at one spot, for each elsewhere, at which the spot is the town. */
const CLEAR_MAJORITY = 5;
/**
 * Distance from the edge of a city, in km, within which a place of another city with one of its other names is the city
 * itself: farther off, suburbs have names of their city ("East Dundee", "Dundee").
 */
const SHARED_KM = 1;

export class CandidateChoice {
  constructor(
    private readonly tree: CountryTree,
    private readonly areas: TreeAreas,
    /** Whether a place is matched to no city yet. */
    private readonly isFree: (place: number) => boolean,
  ) {}

  nearest({ radiusKm }: CitySearch, candidates: readonly Candidate[]): Candidate | undefined {
    return candidates.find((candidate) => {
      const { place, km, agreement } = candidate;
      return this.isFree(place) && km <= radiusKm + nearLimitKm(agreement) && this.isWhereItSays(candidate);
    });
  }

  /**
   * A place of another city that has one of this city's names: its main name near it, or another name at its very place.
   */
  shared({ radiusKm, byName, byCoreName, byOtherName }: CitySearch): Candidate | undefined {
    const isTaken = ({ place }: Candidate): boolean => !this.isFree(place);
    return (
      byName.filter(isTaken).find(({ km, agreement }) => km <= radiusKm + nearLimitKm(agreement)) ??
      [...byCoreName, ...byOtherName].filter(isTaken).find(({ km }) => km <= radiusKm + SHARED_KM)
    );
  }

  /** Whether a place lies in the city's admin unit or, at least, among the leaves of its own unit. */
  private isWhereItSays({ place, agreement: { level1 } }: Candidate): boolean {
    return level1 === 'same' || this.areas.isLeaf(this.areas.rootOf(place)) || this.areas.isAtHome(place);
  }

  farther({ city, radiusKm }: CitySearch, candidates: readonly Candidate[], isOther: boolean): Candidate | undefined {
    if (isSection(city)) return undefined;
    return candidates.find((candidate) => {
      const { place, km, agreement } = candidate;
      if (!this.isFree(place) || km > radiusKm + farLimitKm(agreement, isOther, false)) return false;
      if (km > radiusKm + farLimitKm(agreement, isOther, this.hasRival(candidate, candidates))) return false;
      return this.isWhereItSays(candidate) && this.isSurelyNamed(candidate, radiusKm);
    });
  }

  /**
   * In a country without units, only codes of both levels distinguish a farther city from a village of the same name.
   */
  private isSurelyNamed({ place, km, agreement: { level1, level2 } }: Candidate, radiusKm: number): boolean {
    if (!this.areas.isLeaf(this.areas.rootOf(place)) || km <= radiusKm + 2 * NEAR_KM) return true;
    return level1 === 'same' && level2 === 'same';
  }

  outside({ city, byName }: CitySearch): Candidate | undefined {
    if (isSection(city)) return undefined;
    return byName.find((candidate) => {
      const { place, agreement, km } = candidate;
      if (!this.isFree(place) || agreement.level1 !== 'same' || agreement.level2 === 'different') return false;
      if (km <= OUTSIDE_KM || this.hasRival(candidate, byName)) return false;
      const middle = this.areas.middleOf(this.areas.rootOf(place));
      const placeKm = this.areas.kmTo(middle.latitude, middle.longitude, place);
      const cityKm = kmBetween(city.latitude, city.longitude, middle.latitude, middle.longitude);
      return placeKm > OUTSIDE_KM && placeKm > OUTSIDE_RATIO * cityKm;
    });
  }

  /**
   * Whether the name has rivals: places elsewhere whose admin units agree with the city at least as well as those of
   * `candidate`, and which are not far fewer than the places at the spot of `candidate`. Rivals are villages of the
   * same name as the town.
   */
  private hasRival(candidate: Candidate, candidates: readonly Candidate[]): boolean {
    const strength = strengthOf(candidate.agreement);
    const rivals = candidates.filter(
      ({ place, agreement }) => strengthOf(agreement) >= strength && !this.isAtOneSpot(candidate.place, place),
    );
    if (rivals.length === 0) return false;
    const together = candidates.filter(({ place }) => this.isAtOneSpot(candidate.place, place));
    return together.length < CLEAR_MAJORITY * rivals.length;
  }

  isAtOneSpot(place: number, other: number): boolean {
    const { areas, tree } = this;
    return (
      other === place ||
      areas.isWithin(place, other) ||
      areas.isWithin(other, place) ||
      areas.kmTo(tree.latitudes[place] as number, tree.longitudes[place] as number, other) <= 2 * SAME_SPOT_KM
    );
  }
}

/** A section of a city has no place far from its position: such a place belongs to the city itself. */
export function isSection({ featureCode }: NamedCity): boolean {
  return featureCode === SECTION;
}

/** The number of levels at which the admin units agree; -1 if they differ at one. */
function strengthOf({ level1, level2 }: UnitAgreement): number {
  if (level1 === 'different' || level2 === 'different') return -1;
  return (level1 === 'same' ? 1 : 0) + (level2 === 'same' ? 1 : 0);
}

/* The result of matching a city, and how a match is made of the place by which a city was found. */

export const MATCH_KINDS = [
  'name',
  'core name',
  'other name',
  'outside',
  'parts by name',
  'parts around',
  'similar name',
  'shared place',
  'in larger city',
  'none',
] as const;

/** How a city was matched. */
export type MatchKind = (typeof MATCH_KINDS)[number];

export interface CityMatch {
  readonly city: NamedCity;
  readonly kind: MatchKind;
  /**
   * The places that are the city, the main place first; for a shared place, the place of another city. Empty if the
   * city has only parts, or nothing.
   */
  readonly places: readonly number[];
  /** Whether the first place is an admin unit far wider than the city: no smaller place has the name. */
  readonly isWider: boolean;
  /** Whether no place is near the city: the release's positions are wrong or rough. */
  readonly isFar: boolean;
  /**
   * The places that make up the city, ascending; empty if a place for the whole city has its name. "Karachi Gpo", which
   * matches Karachi by its core name, is one of the parts too.
   */
  readonly parts: readonly number[];
  /**
   * The city's names, as written, whose folded form differs from the first place's names: each form once, the main name
   * first.
   */
  readonly otherNames: readonly string[];
}

/** Makes the matches of a country's cities; `isFree`: whether a place is matched to no city yet. */
export class MatchMaker {
  constructor(
    private readonly tree: CountryTree,
    private readonly areas: TreeAreas,
    private readonly choice: CandidateChoice,
    private readonly isFree: (place: number) => boolean,
  ) {}

  /** All places of the city: `anchor`, and the places of the city's names around, above and below it. */
  whole(search: CitySearch, kind: MatchKind, anchor: Candidate): CityMatch {
    const { city, radiusKm, byName, byCoreName, byOtherName } = search;
    const { areas, tree } = this;
    const { places, nearestKm } = this.listPlaces(search, anchor);
    // A borough that shares only the core name is not the first place of a city that is a part of it.
    const list = [byName, byCoreName, byOtherName].find((candidates) => candidates.includes(anchor)) ?? [];
    const best = new Set(list.map(({ place }) => place));
    // An office or a district is not the first place where a unit has the exact name.
    const isLesser = (place: number): boolean => list === byName && isLesserName(foldText(tree.names[place] as string));
    const ordered = orderPlaces(
      tree,
      areas,
      city,
      [...places],
      (place) => best.has(place),
      (place) => best.has(place) || !isLesser(place),
    );
    const otherNames = this.otherNamesOf(search, ordered.places[0] as number);
    return { city, kind, ...ordered, isFar: nearestKm > radiusKm + NEAR_KM, parts: [], otherNames };
  }

  /** A leaf whose name is not quite the city's, and the free units above it that have the leaf's name. */
  similar(search: CitySearch, leaf: number): CityMatch {
    const { areas, tree } = this;
    const places = [leaf];
    const folded = foldText(tree.names[leaf] as string);
    for (let unit = tree.parents[leaf] as number; unit !== NO_PARENT; unit = tree.parents[unit] as number) {
      if (this.isFree(unit) && foldText(tree.names[unit] as string) === folded) places.push(unit);
    }
    const isAny = (): boolean => true;
    const ordered = orderPlaces(tree, areas, search.city, places, isAny, isAny);
    const otherNames = this.otherNamesOf(search, ordered.places[0] as number);
    return { city: search.city, kind: 'similar name', ...ordered, isFar: false, parts: [], otherNames };
  }

  private listPlaces(search: CitySearch, anchor: Candidate): { places: ReadonlySet<number>; nearestKm: number } {
    const { radiusKm, byName, byCoreName, byOtherName } = search;
    const { areas } = this;
    const places = new Set([anchor.place]);
    let nearestKm = anchor.km;
    for (const candidates of [byName, byCoreName, byOtherName]) {
      for (const { place, km, agreement } of candidates) {
        if (!this.isFree(place)) continue;
        const isInLine = areas.isWithin(place, anchor.place) || areas.isWithin(anchor.place, place);
        // With a far anchor, another place at the same distance may lie on the other side of the city.
        const isBeside =
          candidates !== byOtherName &&
          (anchor.km <= radiusKm + NEAR_KM
            ? km <= Math.max(anchor.km, radiusKm) + SAME_SPOT_KM
            : this.choice.isAtOneSpot(anchor.place, place));
        if (!isInLine && (!isBeside || agreement.level1 === 'different')) continue;
        places.add(place);
        nearestKm = Math.min(nearestKm, km);
      }
    }
    return { places, nearestKm };
  }

  private otherNamesOf({ names }: CitySearch, first: number): string[] {
    const own = new Set([this.tree.names[first] as string, this.tree.localNames[first] as string].map(foldText));
    return [...names].filter(([folded]) => !own.has(folded)).map(([, name]) => name);
  }
}
