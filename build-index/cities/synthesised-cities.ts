/**
 * Chooses the cities that are synthesised, since no place of the release is the whole city, and where in the tree:
 *
 *   parts by name   beside the parts, in the smallest unit that holds most of them    Dublin: /leinster/dublin
 *                   (in the region, if the only part is a region)                     Casablanca, in Casablanca-Settat
 *   parts around    in the first-level unit that holds most of them                   /pulau-pinang/george-town
 *   core name       as parts by name, if only an office matches                       Karachi, by "Karachi Gpo"
 *   wider           in the unit of the city's name that is far wider than the city    Ankara: /ankara/ankara
 *   inside          a city that needs a place, with no place above nearby: in a unit by city-sites.ts
 *                                                                                     Mokotów: /mazowieckie/mokotow
 *
 * A city is not synthesised from parts elsewhere than the gazetteer's position (at least the same region), nor from
 * parts with the same name: these are something else, or the city under another name ("Waren (Müritz)"). No city is
 * synthesised beside a place with the same name in the same unit.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { slugOf } from '../../src/core/snapshot/slug.js';
import { kmBetween, roundDegrees } from '../../src/core/snapshot/sphere.js';
import { listGazetteerNames, type NamedCity } from '../gazetteer/read-gazetteer.js';
import { createTextCorrector } from '../naming/corrected-text.js';
import { needsRomanising } from '../naming/romanising.js';
import type { AddedCity } from '../tree/amended-tree.js';
import type { CountryTree } from '../tree/country-tree.js';
import { isTooWideForMainPlace } from './choose-main-place.js';
import type { CityMatch, MatchKind } from './city-match.js';
import { type CitySites, UNIT_SHARE } from './city-sites.js';
import { cityRadiusKm } from './city-size.js';
import { cityDistanceLimitKm, isWithinSameSpotLimit, SAME_SPOT_KM } from './distance-limits.js';
import type { TreeAreas } from './tree-areas.js';

/** Minimum share of the parts by name within the city's wide radius: a majority confirms that they are its parts. */
const AGREEING_SHARE = 0.5;
/** Minimum number of distinct names of parts around: parts with one name are one place under another name. */
const MIN_NAMES_AROUND = 2;
/** A city or a county of KR, with the name that both share. */
const KOREAN_UNIT = /^(.+)-(?:si|gun)$/;

/** The synthesised cities by the index of their match. */
export function planSynthesisedCities(
  tree: CountryTree,
  areas: TreeAreas,
  matches: readonly CityMatch[],
  sites: CitySites,
): ReadonlyMap<number, AddedCity> {
  const planning = new Planning(tree, areas, sites);
  const synthesised = new Map<number, AddedCity>();
  matches.forEach((match, index) => {
    const city = planning.plan(match);
    if (city !== undefined) synthesised.set(index, city);
  });
  return synthesised;
}

class Planning {
  private readonly synthesised: AddedCity[] = [];
  private readonly correct: ReturnType<typeof createTextCorrector>;

  constructor(
    private readonly tree: CountryTree,
    private readonly areas: TreeAreas,
    private readonly sites: CitySites,
  ) {
    this.correct = createTextCorrector(tree.countryCode);
  }

  plan(match: CityMatch): AddedCity | undefined {
    return this.fromParts(match) ?? (this.sites.isNowhere(match) ? this.insideUnit(match.city) : undefined);
  }

  private insideUnit(city: NamedCity): AddedCity | undefined {
    const parent = this.sites.parentOf(city);
    return parent === undefined ? undefined : this.make(city, parent, city.name, []);
  }

  private fromParts({ city, kind, places, parts, ...match }: CityMatch): AddedCity | undefined {
    const [first] = places;
    if (match.isWider) return this.inWideUnit(city, kind, first as number);
    if (kind === 'parts around') return this.amongParts(city, parts);
    if (kind === 'parts by name') return this.besideParts(city, parts);
    if (kind === 'core name' && parts.length > 0 && this.isOffice(first as number, city))
      return this.besideParts(city, parts);
    return undefined;
  }

  /** Whether a place's name is the city's name followed by more words. */
  private isOffice(place: number, { name }: NamedCity): boolean {
    return foldText(this.tree.names[place] as string).startsWith(`${foldText(name)} `);
  }

  private inWideUnit(city: NamedCity, kind: MatchKind, unit: number): AddedCity | undefined {
    const { areas } = this;
    const region = kind === 'core name' ? this.unitOf(this.leavesAround(city), 'largest') : undefined;
    // The borough Harburg is in Hamburg, not in "Landkreis Harburg".
    const parent = region === undefined || region === areas.rootOf(unit) ? unit : region;
    return this.make(city, parent, this.nameByUnit(city, unit), [unit]);
  }

  private amongParts(city: NamedCity, parts: readonly number[]): AddedCity | undefined {
    const names = new Set(parts.map((part) => foldText(this.tree.names[part] as string)));
    if (names.size < MIN_NAMES_AROUND) return undefined;
    return this.make(city, this.unitOf(parts, 'largest') ?? NO_PARENT, city.name, []);
  }

  private besideParts(city: NamedCity, parts: readonly number[]): AddedCity | undefined {
    const { areas, tree } = this;
    const tops = this.listOutermost(parts);
    const names = new Set(tops.map((part) => foldText(tree.names[part] as string)));
    if (names.size === 1) return tops.length === 1 ? this.byWideUnit(city, tops[0] as number) : undefined;
    const leafParts = parts.filter((part) => areas.isLeaf(part));
    const leafNames = new Set(leafParts.map((part) => tree.names[part]));
    const leaves = leafNames.size > 1 ? leafParts : tops.flatMap((top) => [...areas.leavesOf(top)]);
    const limitKm = cityDistanceLimitKm(city.population);
    const near = leaves.filter((leaf) => areas.kmTo(city.latitude, city.longitude, leaf) <= limitKm);
    const name = this.nameByParts(city, tops);
    if (near.length >= AGREEING_SHARE * leaves.length) {
      return this.make(city, this.unitOf(leaves, 'smallest') ?? NO_PARENT, name, tops);
    }
    const region = this.unitOf(leaves, 'largest');
    const isSure = region !== undefined && region === this.unitOf(this.leavesAround(city), 'largest');
    return isSure ? this.make(city, region, name, tops) : undefined;
  }

  /** A city in a wider region of its name, or beside a wider smaller unit, which need not contain the city. */
  private byWideUnit(city: NamedCity, unit: number): AddedCity | undefined {
    const { areas, tree } = this;
    if (areas.isLeaf(unit) || !isTooWideForMainPlace(areas, city, unit)) return undefined;
    const around = this.leavesAround(city);
    const inside = around.filter((leaf) => areas.isWithin(leaf, unit));
    if (inside.length === 0 || inside.length < AGREEING_SHARE * around.length) return undefined;
    const parent = tree.parents[unit] === NO_PARENT ? unit : (tree.parents[unit] as number);
    return this.make(city, parent, this.nameByUnit(city, unit), [unit]);
  }

  /** The members of `places` that do not lie in another member. */
  private listOutermost(places: readonly number[]): number[] {
    const { parents } = this.tree;
    const all = new Set(places);
    return places.filter((place) => {
      for (let unit = parents[place] as number; unit !== NO_PARENT; unit = parents[unit] as number) {
        if (all.has(unit)) return false;
      }
      return true;
    });
  }

  /** The smallest or the largest unit that holds most of `places`; undefined if none does. */
  private unitOf(places: readonly number[], which: 'smallest' | 'largest'): number | undefined {
    return this.areas.unitsAround(places, UNIT_SHARE).at(which === 'smallest' ? -1 : 0);
  }

  private leavesAround({ latitude, longitude, population }: NamedCity): number[] {
    return this.areas.leavesAround(latitude, longitude, cityRadiusKm(population) + SAME_SPOT_KM);
  }

  /** The city's name that is a prefix of most parts' names; otherwise the gazetteer's main name. */
  private nameByParts(city: NamedCity, parts: readonly number[]): string {
    const names = distinct(parts.map((part) => this.tree.names[part] as string));
    return (
      mostFrequentStart(
        names,
        [city.name, ...listGazetteerNames(city)].filter((name) => !needsRomanising(name)),
      ) ?? city.name
    );
  }

  /** The gazetteer's name, or the unit's where the release's name is romanised and the gazetteer's outdated: Kunwi. */
  private nameByUnit(city: NamedCity, unit: number): string {
    if (this.tree.isRomanised[unit] === 0) return city.name;
    const [, korean] = KOREAN_UNIT.exec(this.tree.names[unit] as string) ?? [];
    return korean ?? this.nameByParts(city, [unit]);
  }

  /** Undefined if the unit, or the same spot for a root, already has a place of this name. */
  private make(city: NamedCity, parent: number, written: string, named: readonly number[]): AddedCity | undefined {
    const name = this.correct(written).text;
    if (this.isThere(city, parent, slugOf(name))) return undefined;
    const localNames = distinct(named.map((place) => this.tree.localNames[place] as string)).filter(needsRomanising);
    const local = listGazetteerNames(city)
      .filter(needsRomanising)
      .sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
    const synthesised = {
      geonameId: city.geonameId,
      parent,
      name,
      localName: local.find((text) => localNames.some((localName) => localName.startsWith(text))) ?? name,
      latitude: roundDegrees(city.latitude),
      longitude: roundDegrees(city.longitude),
    };
    this.synthesised.push(synthesised);
    return synthesised;
  }

  private isThere({ latitude, longitude, population }: NamedCity, parent: number, slug: string): boolean {
    const { slugs, childStarts, codeOnly } = this.tree;
    // In a country whose release has no units, places of the same name lie far from each other.
    const isOfRelease = parent !== NO_PARENT && !codeOnly.has(parent);
    if (isOfRelease && slugs.slice(childStarts[parent], childStarts[parent + 1]).includes(slug)) return true;
    return this.synthesised.some(
      (added) =>
        added.parent === parent &&
        slugOf(added.name) === slug &&
        isWithinSameSpotLimit(kmBetween(latitude, longitude, added.latitude, added.longitude), population),
    );
  }
}

/** The first of `starts` that is a whole-word prefix of the most `names`, written as in these names. */
function mostFrequentStart(names: readonly string[], starts: readonly string[]): string | undefined {
  let [best, most] = [undefined as string | undefined, 0];
  for (const start of starts) {
    const lower = start.toLowerCase();
    const fitting = names.filter(
      (name) => name.slice(0, start.length).toLowerCase() === lower && !LETTER.test(name.charAt(start.length)),
    );
    if (fitting.length > most) [best, most] = [fitting[0]?.slice(0, start.length), fitting.length];
  }
  return best;
}

const LETTER = /[\p{L}\p{M}\p{N}]/u;

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}
