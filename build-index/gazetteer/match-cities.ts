/**
 * Which places of a country a city of the gazetteer is. Each step below is tried for all cities before the next one, so
 * that a place goes to the city that fits it best, and a place that is one city is never another. In a step a city wants
 * the nearest place that fits; where two cities want the same place, the nearer one has it.
 *
 *   name        near: the place bears the city's main name                       Paris
 *   core        near: likewise but for words such as "city"                      Nanchong: Nanchong Shi
 *   other name  near: the place bears one of the city's other names              Munich: München
 *   name, core, other name again, within the limits of farLimitKm                Manaus, 50 km off the middle of its area
 *   astray      the only place of the main name in the city's admin unit, where the release has a position far from all
 *               others of that unit                                              Vladimir, 3,864 km off
 *
 * Then, of cities that no place is:
 *
 *   parts by name, parts around                                                  see city-parts.ts
 *   inside      the city lies in a larger one of the gazetteer, or is a section of a city
 *   none
 *
 * How near is near: see nearness.ts. The result does not depend on the order of equal things: ties go by place number.
 */
import { foldText } from '../../src/format/fold-text.js';
import { kmBetween } from '../tree/distance.js';
import { findPartsAround, findPartsByName, listInnerCities } from './city-parts.js';
import { SECTION } from './city-row.js';
import { isLesserName } from './core-name.js';
import type { MatchedTree } from './matched-tree.js';
import { farLimitKm, NEAR_KM, nearLimitKm, SAME_SPOT_KM, type UnitAgreement } from './nearness.js';
import { orderPlaces } from './place-order.js';
import type { NamedCity } from './read-gazetteer.js';
import { type Candidate, findSeekers, type Seeker } from './seekers.js';
import { TreeAreas } from './tree-areas.js';

export const MATCH_KINDS = [
  'name',
  'core',
  'other name',
  'astray',
  'parts by name',
  'parts around',
  'inside',
  'none',
] as const;

/** How a city was matched. */
export type MatchKind = (typeof MATCH_KINDS)[number];

export interface CityMatch {
  readonly city: NamedCity;
  readonly kind: MatchKind;
  /** The places that are the city, the one that people mean first. Empty where there are parts only, or nothing. */
  readonly places: readonly number[];
  /** Whether the first place is an admin unit that is far wider than the city: no smaller place bears the name. */
  readonly isWider: boolean;
  /** Whether all places lie farther from the city than near: the release has a wrong or a rough position of them. */
  readonly isFar: boolean;
  /**
   * The places that make up the city, ascending; empty where a place for the whole bears its name. "Karachi Gpo", by whose
   * core Karachi is found, is one of the city's parts as well.
   */
  readonly parts: readonly number[];
  /**
   * What else the city is called, as it is written: the names whose folded forms are not those of the first place, each
   * form once, the main name first.
   */
  readonly otherNames: readonly string[];
}

/** A position that lies so far from the middle of its admin unit is a mistake where the city lies so much nearer. */
const ASTRAY_KM = 150;
const ASTRAY_RATIO = 3;
/** So many places of a name at one spot for each of it elsewhere are the town. */
const CLEAR_MAJORITY = 5;
/** With so many leaves around for each place that is named after the city, the city is made of what lies around. */
const MOSTLY_AROUND = 10;

/** One match for each city, in the order of `cities`, which is by population. */
export function matchCities(
  tree: MatchedTree,
  cities: readonly NamedCity[],
  areas: TreeAreas = new TreeAreas(tree),
): CityMatch[] {
  return new Matching(tree, cities, areas).match();
}

class Matching {
  private readonly matches = new Map<NamedCity, CityMatch>();
  /** The places that are a city. */
  private readonly taken = new Set<number>();

  constructor(
    private readonly tree: MatchedTree,
    private readonly cities: readonly NamedCity[],
    private readonly areas: TreeAreas,
  ) {}

  match(): CityMatch[] {
    const steps: readonly [MatchKind, (seeker: Seeker) => Candidate | undefined][] = [
      ['name', (seeker) => this.nearest(seeker, seeker.named)],
      ['core', (seeker) => this.nearest(seeker, seeker.cored)],
      ['other name', (seeker) => this.nearest(seeker, seeker.othered)],
      ['name', (seeker) => this.farther(seeker, seeker.named, false)],
      ['core', (seeker) => this.farther(seeker, seeker.cored, false)],
      ['other name', (seeker) => this.farther(seeker, seeker.othered, true)],
      ['astray', (seeker) => this.astray(seeker)],
    ];
    let seeking = findSeekers(this.tree, this.areas, this.cities);
    const foundByCore: Seeker[] = [];
    for (const [kind, want] of steps) {
      const winners = this.settle(seeking, want);
      // The places found are taken before what lies around them is shared out.
      for (const { place } of winners.values()) this.taken.add(place);
      for (const [seeker, anchor] of winners) this.matches.set(seeker.city, this.wholeMatch(seeker, kind, anchor));
      if (kind === 'core') foundByCore.push(...winners.keys());
      seeking = seeking.filter((seeker) => !winners.has(seeker));
    }
    for (const seeker of foundByCore) this.addParts(seeker);
    this.matchParts(seeking);
    return this.cities.map((city) => this.matches.get(city) as CityMatch);
  }

  private nearest({ radiusKm }: Seeker, candidates: readonly Candidate[]): Candidate | undefined {
    return candidates.find((candidate) => {
      const { place, km, agreement } = candidate;
      return !this.taken.has(place) && km <= radiusKm + nearLimitKm(agreement) && this.isWhereItSays(candidate);
    });
  }

  /** Whether a place lies in the city's admin unit or at least in its own. */
  private isWhereItSays({ place, agreement: { level1 } }: Candidate): boolean {
    return level1 === 'same' || this.areas.isLeaf(this.areas.rootOf(place)) || this.areas.isAtHome(place);
  }

  private farther(
    { city, radiusKm }: Seeker,
    candidates: readonly Candidate[],
    isOther: boolean,
  ): Candidate | undefined {
    if (isSection(city)) return undefined;
    return candidates.find((candidate) => {
      const { place, km, agreement } = candidate;
      if (this.taken.has(place) || km > radiusKm + farLimitKm(agreement, isOther, false)) return false;
      if (km > radiusKm + farLimitKm(agreement, isOther, this.hasRival(candidate, candidates))) return false;
      return this.isWhereItSays(candidate) && this.isSurelyNamed(candidate, radiusKm);
    });
  }

  /** Where a country has no units, its villages can't be told from farther cities of their name but by both codes. */
  private isSurelyNamed({ place, km, agreement: { level1, level2 } }: Candidate, radiusKm: number): boolean {
    if (!this.areas.isLeaf(this.areas.rootOf(place)) || km <= radiusKm + 2 * NEAR_KM) return true;
    return level1 === 'same' && level2 === 'same';
  }

  private astray({ city, named }: Seeker): Candidate | undefined {
    if (isSection(city)) return undefined;
    return named.find((candidate) => {
      const { place, agreement, km } = candidate;
      if (this.taken.has(place) || agreement.level1 !== 'same' || agreement.level2 === 'different') return false;
      if (km <= ASTRAY_KM || this.hasRival(candidate, named)) return false;
      const middle = this.areas.middleOf(this.areas.rootOf(place));
      const placeKm = this.areas.kmTo(middle.latitude, middle.longitude, place);
      const cityKm = kmBetween(city.latitude, city.longitude, middle.latitude, middle.longitude);
      return placeKm > ASTRAY_KM && placeKm > ASTRAY_RATIO * cityKm;
    });
  }

  /**
   * Whether other places of the name, neither beside `candidate` nor above or below it, agree with the city in their admin
   * units as well as `candidate` does, and are not far fewer than those that are: villages that are called like the town.
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

  private isAtOneSpot(place: number, other: number): boolean {
    const { areas, tree } = this;
    return (
      other === place ||
      areas.isWithin(place, other) ||
      areas.isWithin(other, place) ||
      areas.kmTo(tree.latitudes[place] as number, tree.longitudes[place] as number, other) <= 2 * SAME_SPOT_KM
    );
  }

  /** The cities that have what they want, where no other city that wants it is nearer. */
  private settle(
    seekers: readonly Seeker[],
    want: (seeker: Seeker) => Candidate | undefined,
  ): ReadonlyMap<Seeker, Candidate> {
    const winners = new Map<number, { seeker: Seeker; candidate: Candidate }>();
    for (const seeker of seekers) {
      const candidate = want(seeker);
      if (candidate === undefined) continue;
      const winner = winners.get(candidate.place);
      // Seekers come by population: of two at the same distance the larger one has the place.
      if (winner !== undefined && winner.candidate.km <= candidate.km) continue;
      winners.set(candidate.place, { seeker, candidate });
    }
    return new Map(Array.from(winners.values(), ({ seeker, candidate }) => [seeker, candidate]));
  }

  /** All places of the city: the one it was found by, and those of its names that lie around, above and below that. */
  private wholeMatch(seeker: Seeker, kind: MatchKind, anchor: Candidate): CityMatch {
    const { city, names, radiusKm, named, cored, othered } = seeker;
    const { areas, tree } = this;
    const places = new Set([anchor.place]);
    let nearestKm = anchor.km;
    for (const candidates of [named, cored, othered]) {
      for (const { place, km, agreement } of candidates) {
        if (this.taken.has(place)) continue;
        const isInLine = areas.isWithin(place, anchor.place) || areas.isWithin(anchor.place, place);
        // Around a city that the release has far off, what is as far may lie on the other side.
        const isBeside =
          candidates !== othered &&
          (anchor.km <= radiusKm + NEAR_KM
            ? km <= Math.max(anchor.km, radiusKm) + SAME_SPOT_KM
            : this.isAtOneSpot(anchor.place, place));
        if (!isInLine && (!isBeside || agreement.level1 === 'different')) continue;
        places.add(place);
        nearestKm = Math.min(nearestKm, km);
      }
    }
    for (const place of places) this.taken.add(place);
    // A borough does not stand for the part of it that the city is, because the names have a core in common.
    const list = [named, cored, othered].find((candidates) => candidates.includes(anchor)) ?? [];
    const best = new Set(list.map(({ place }) => place));
    // Nor is an office or a district the city where a unit bears its very name.
    const isLesser = (place: number): boolean => list === named && isLesserName(foldText(tree.names[place] as string));
    const ordered = orderPlaces(
      tree,
      areas,
      city,
      [...places],
      (place) => best.has(place),
      (place) => best.has(place) || !isLesser(place),
    );
    const first = ordered.places[0] as number;
    const own = new Set([tree.names[first] as string, tree.localNames[first] as string].map(foldText));
    const otherNames = [...names].filter(([folded]) => !own.has(folded)).map(([, name]) => name);
    return { city, kind, ...ordered, isFar: nearestKm > radiusKm + NEAR_KM, parts: [], otherNames };
  }

  /** Adds what else is named after a city that only a leaf of its core stands for. */
  private addParts(seeker: Seeker): void {
    const match = this.matches.get(seeker.city) as CityMatch;
    if (!match.places.every((place) => this.areas.isLeaf(place))) return;
    const others = findPartsByName(seeker, (place) => !this.taken.has(place) && this.areas.isLeaf(place));
    if (others.length === 0) return;
    const parts = [...match.places, ...others].sort((a, b) => a - b);
    this.matches.set(seeker.city, { ...match, parts });
  }

  private matchParts(seeking: readonly Seeker[]): void {
    const isFree = (place: number): boolean => !this.taken.has(place);
    const seekingCities = seeking.map(({ city }) => city);
    const inner = listInnerCities(seekingCities, this.cities);
    const outer = seekingCities.filter((city) => !inner.has(city));
    const partsAround = findPartsAround(this.tree, this.areas, isFree, outer);
    for (const seeker of seeking) {
      const byName = findPartsByName(seeker, isFree);
      const around = partsAround.get(seeker.city) ?? [];
      // A few streets that are named after the city are not what it is made of.
      if (byName.length > 0 && around.length <= byName.length * MOSTLY_AROUND) {
        this.keepParts(seeker, 'parts by name', byName);
      } else if (around.length > 0) {
        const parts = new Set([...byName, ...around]);
        this.keepParts(
          seeker,
          'parts around',
          [...parts].sort((a, b) => a - b),
        );
      } else {
        this.keepParts(seeker, isSection(seeker.city) || inner.has(seeker.city) ? 'inside' : 'none', []);
      }
    }
  }

  private keepParts({ city, names }: Seeker, kind: MatchKind, parts: readonly number[]): void {
    this.matches.set(city, {
      city,
      kind,
      places: [],
      isWider: false,
      isFar: false,
      parts,
      otherNames: [...names.values()],
    });
  }
}

/** A section of a city lies where the city does, or nowhere. */
function isSection({ featureCode }: NamedCity): boolean {
  return featureCode === SECTION;
}

/** How many levels of admin units agree; -1 where one of them does not. */
function strengthOf({ level1, level2 }: UnitAgreement): number {
  if (level1 === 'different' || level2 === 'different') return -1;
  return (level1 === 'same' ? 1 : 0) + (level2 === 'same' ? 1 : 0);
}
