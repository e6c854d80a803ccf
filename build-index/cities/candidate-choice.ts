/**
 * The rules by which a city takes one of its candidates in a step of matching (match-cities.ts): near, farther off, and
 * at a mistaken position. Each rule returns the nearest candidate that fits.
 */

import { kmBetween } from '../../src/core/snapshot/sphere.js';
import type { CountryTree } from '../tree/country-tree.js';
import type { UnitAgreement } from './admin-agreement.js';
import { isCitySection } from './city-parts.js';
import { farLimitKm, NEAR_KM, nearLimitKm, SAME_SPOT_KM } from './distance-limits.js';
import type { Candidate, CitySearch } from './match-candidates.js';
import type { TreeAreas } from './tree-areas.js';

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
    if (isCitySection(city)) return undefined;
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
    if (isCitySection(city)) return undefined;
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

/** The number of levels at which the admin units agree; -1 if they differ at one. */
function strengthOf({ level1, level2 }: UnitAgreement): number {
  if (level1 === 'different' || level2 === 'different') return -1;
  return (level1 === 'same' ? 1 : 0) + (level2 === 'same' ? 1 : 0);
}
