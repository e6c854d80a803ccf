/**
 * Decides which city each place belongs to, as the place that stands for the city. docs/contributing/cities.md has the
 * rule, and what it was measured on. A leaf belongs to the first of these that there is:
 *
 *   name       the city that it is, or whose name it has near it                  Paris, Brooklyn
 *   only leaf  the largest city of a country with one leaf                        San Marino
 *   beginning  the city with whose name its own begins                            "Moskva 194", "Reykjavík - 1"
 *   unit       the city that a unit above is, near it                             a street of Suwon
 *   circle     the city in whose circle it lies the deepest                       Kurla, in Mumbai
 *   itself     with the leaves of its name in its unit                            a village
 *
 * Unit and circle hold only in countries whose rows name parts of towns, which the leaves tell (namesTowns). A city that
 * is a part of a larger city stands for nothing: its places are the larger city's (wholeOf).
 */

import { around } from 'geokdbush';
import KDBush from 'kdbush';
import { foldText } from '../../src/core/snapshot/fold-text.js';
import { NO_CITY } from '../../src/core/snapshot/place-cities.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { LOCALITY_TYPE, RECIPIENT_TYPE } from '../../src/core/snapshot/place-type.js';
import { kmBetween } from '../../src/core/snapshot/sphere.js';
import { type CityUnitRole, unitsOfCity } from '../data-tables/city-units.js';
import { SECTION } from '../gazetteer/city-row.js';
import { listGazetteerNames, type NamedCity } from '../gazetteer/read-gazetteer.js';
import { appendToGroup, memoize } from '../ordering/grouping.js';
import type { CountryTree } from '../tree/country-tree.js';
import { isLesserName } from './city-keys.js';
import { cityRadiusKm } from './city-size.js';
import { NEAR_KM } from './distance-limits.js';
import type { PlacedCity } from './placed-cities.js';
import { TreeAreas } from './tree-areas.js';

/** Minimum population, in people, of the cities whose leaves tell what rows name. */
const SAMPLE_PEOPLE = 100_000;
/** The part of a city's radius in which these leaves lie, and their minimum number. */
const [SAMPLE_RADII, SAMPLE_LEAVES] = [0.7, 3];
/** Maximum share of these leaves, on average over the cities, that have no city's name where rows name towns. */
const MAX_UNKNOWN_SHARE = 0.1;
/** Minimum population, in people, of a city whose unit or circle takes leaves of other names: villages have hamlets. */
const MIN_PEOPLE_AROUND = 20_000;
/** Minimum population, in people, of a city that, where rows name towns, has leaves of its name and a word more. */
const MIN_PEOPLE_OF_WORDS = 100_000;
/** Maximum distance of a leaf from the city of its beginning, and from that of its unit: radii of the city, and km. */
const [BEGINNING_RADII, BEGINNING_KM] = [1.5, 3];
const [UNIT_RADII, UNIT_KM] = [1.5, 1];
/** Maximum distance of a leaf from the city after which its unit is named, in km. */
const NAMESAKE_UNIT_KM = 50;
/** The same for a section from the city after which it is named. */
const [NAMESAKE_RADII, NAMESAKE_KM] = [2, 10];

/**
 * How far from the centre of a larger city, in radii of it, and with how many times fewer people, a city is a part of
 * it: a section, a city that no row names, one that a row names, and one that has a unit of its own beside the larger
 * city, such as Guarulhos beside São Paulo, or that no row names in another first-level unit, such as Bekasi.
 */
const PARTS = {
  section: { radii: 1.3, times: 2 },
  unnamed: { radii: 1, times: 2 },
  named: { radii: 0.6, times: 5 },
  unit: { radii: 0.33, times: 4 },
} as const;
const MAX_PART_RADII = Math.max(...Object.values(PARTS).map(({ radii }) => radii));

/** What rows add to a town's name for its numbered offices, and for its main one. */
const OFFICE = /^(?:\d+|[gc] ?p ?o|h ?o)$/;

/** A city of the gazetteer, with what the rule asks of it. */
interface Seat extends Pick<PlacedCity, 'city' | 'kind' | 'places' | 'isWider' | 'isSynthesised'> {
  readonly radiusKm: number;
  /** Its names, folded. */
  readonly names: ReadonlySet<string>;
  /** Whether it is a city, and not a section of one. */
  readonly isTown: boolean;
  /** Whether a place of the release has its name. */
  readonly isNamed: boolean;
  /** The first-level unit of the release that is the city (Berlin, Seoul): what lies outside is no part of it. */
  readonly region: number | undefined;
}

/** For each place of a country the place that stands for its city; NO_CITY where it has none. */
export function findCitiesOfPlaces(tree: CountryTree, cities: readonly PlacedCity[]): Uint32Array {
  return new CityFinder(tree, cities).find();
}

/** The gazetteer's cities by the places that stand for them, of `cities`, as findCitiesOfPlaces found these. */
export function findStandingCities(cities: Uint32Array, placed: readonly PlacedCity[]): ReadonlyMap<number, NamedCity> {
  const standing = new Map<number, NamedCity>();
  for (const match of placed) {
    const main = match.kind === 'shared place' ? undefined : mainPlaceOf(match);
    if (main !== undefined && cities[main] === main && !standing.has(main)) standing.set(main, match.city);
  }
  return standing;
}

class CityFinder {
  private readonly fold = memoize(foldText);
  private readonly areas: TreeAreas;
  private readonly seats: readonly Seat[];
  private readonly byName = new Map<string, Seat[]>();
  private readonly byPlace = new Map<number, Seat>();
  /** By leaf, the city that holds its unit by data/city-units.tsv. */
  private readonly holders = new Map<number, Seat>();
  /** By unit, the city that lists it as its part. */
  private readonly listers: ReadonlyMap<number, Seat>;
  private readonly hasOneLeaf: boolean;
  private readonly namesTowns: boolean;
  /** By city, the larger city that it is a part of by its position; where rows name towns only if none names it. */
  private readonly surrounding: ReadonlyMap<Seat, Seat>;
  /** By leaf, the city in whose circle it lies the deepest. */
  private readonly circles: ReadonlyMap<number, Seat>;

  constructor(
    private readonly tree: CountryTree,
    cities: readonly PlacedCity[],
  ) {
    this.areas = new TreeAreas(tree);
    this.seats = cities.map((match): Seat => {
      const { city } = match;
      const [first] = match.places;
      const isRegion =
        first !== undefined &&
        tree.parents[first] === NO_PARENT &&
        !(match.isSynthesised || match.isWider || this.areas.isLeaf(first));
      return {
        ...match,
        radiusKm: cityRadiusKm(city.population),
        names: new Set([city.name, city.asciiName, ...listGazetteerNames(city)].map(this.fold)),
        isTown: city.featureCode !== SECTION,
        isNamed: !match.isSynthesised && match.places.length > 0,
        region: isRegion ? first : undefined,
      };
    });
    for (const seat of this.seats) {
      for (const name of seat.names) appendToGroup(this.byName, name, seat);
      // The second record of a city is found by its names alone.
      if (seat.kind === 'shared place') continue;
      for (const place of seat.places) if (!this.byPlace.has(place)) this.byPlace.set(place, seat);
    }
    for (const [place, seat] of listUnits(tree, this.seats, 'holds')) {
      for (const leaf of this.areas.leavesOf(place)) this.holders.set(leaf, seat);
    }
    this.listers = new Map(listUnits(tree, this.seats, 'lists'));
    this.hasOneLeaf = tree.types.reduce((count, _, place) => (this.areas.isLeaf(place) ? count + 1 : count), 0) === 1;
    this.namesTowns = this.learnWhetherRowsNameTowns();
    this.surrounding = this.findSurrounding();
    this.circles = this.namesTowns ? new Map() : this.findCircles();
  }

  find(): Uint32Array {
    const { tree } = this;
    const cities = new Uint32Array(tree.placeCount).fill(NO_CITY);
    for (let place = 0; place < tree.placeCount; place++) {
      if (tree.types[place] !== LOCALITY_TYPE) continue;
      const seat = this.seatOfLeaf(place);
      cities[place] = (seat && mainPlaceOf(seat)) ?? NO_CITY;
    }
    this.addVillages(cities);
    this.addRecipients(cities);
    this.addUnits(cities);
    // A place that stands for a city belongs to it, whatever its own name says.
    for (const city of cities.slice()) if (city !== NO_CITY) cities[city] = city;
    return cities;
  }

  /**
   * A locality without a city near belongs to that of a locality of its name in its unit: it can be a far part of the
   * city. The localities of a name without a city are a village, and the first stands for it.
   */
  private addVillages(cities: Uint32Array): void {
    for (const namesakes of this.listNamesakes()) {
      const first = namesakes.find((place) => cities[place] !== NO_CITY && this.named(place) !== undefined);
      const city = first === undefined ? namesakes.find((place) => cities[place] === NO_CITY) : cities[first];
      for (const place of namesakes) if (cities[place] === NO_CITY) cities[place] = city as number;
    }
  }

  /** The localities of each name in each unit: they have consecutive numbers, with other places of the name among them. */
  private *listNamesakes(): Generator<readonly number[]> {
    const { parents, names, types, placeCount } = this.tree;
    let namesakes: number[] = [];
    for (let place = 0; place < placeCount; place++) {
      const isNext = parents[place] === parents[place - 1] && names[place] === names[place - 1];
      if (!isNext && namesakes.length > 0) {
        yield namesakes;
        namesakes = [];
      }
      if (types[place] === LOCALITY_TYPE) namesakes.push(place);
    }
    if (namesakes.length > 0) yield namesakes;
  }

  /** A recipient belongs to the city of the nearest locality near; far from all it is its own, such as "APO AE". */
  private addRecipients(cities: Uint32Array): void {
    const { latitudes, longitudes, types } = this.tree;
    for (const [place, type] of types.entries()) {
      if (type !== RECIPIENT_TYPE) continue;
      const nearest = this.areas.nearestLeaf(latitudes[place] as number, longitudes[place] as number, NEAR_KM);
      cities[place] = nearest === undefined ? place : (cities[nearest] as number);
    }
  }

  /**
   * A unit belongs to a city if all of its leaves do, and others do too: a district, and not the province around a city.
   * A unit that stands for a city belongs to it, or to the city of which it is a part.
   */
  private addUnits(cities: Uint32Array): void {
    const { tree, areas } = this;
    const leafCounts = new Map<number, number>();
    for (const city of cities) leafCounts.set(city, (leafCounts.get(city) ?? 0) + 1);
    for (let unit = tree.placeCount - 1; unit >= 0; unit--) {
      if (areas.isLeaf(unit)) continue;
      const seat = this.byPlace.get(unit);
      const own = seat && mainPlaceOf(seat) === unit ? mainPlaceOf(this.wholeOf(seat)) : undefined;
      cities[unit] = own ?? this.cityAround(unit, cities, leafCounts);
    }
    // The parts of New York have towns of their own: only the units are the city's.
    for (const [unit, seat] of this.listers) cities[unit] = mainPlaceOf(seat) ?? NO_CITY;
  }

  private cityAround(unit: number, cities: Uint32Array, leafCounts: ReadonlyMap<number, number>): number {
    let [city, count] = [NO_CITY, 0];
    for (const leaf of this.areas.leavesOf(unit)) {
      if (count++ === 0) city = cities[leaf] as number;
      else if (cities[leaf] !== city) return NO_CITY;
    }
    return city !== NO_CITY && count < (leafCounts.get(city) as number) ? city : NO_CITY;
  }

  /** Undefined for a place of which no city is near. */
  private seatOfLeaf(leaf: number): Seat | undefined {
    const holder = this.holders.get(leaf);
    if (holder !== undefined) return holder;
    const named = this.named(leaf);
    if (named !== undefined) {
      const whole = this.wholeOf(named);
      return whole.region === undefined || this.isIn(whole.region, leaf) ? whole : named;
    }
    const seat = this.hasOneLeaf
      ? this.seats.find(({ isTown }) => isTown)
      : (this.beginningOf(leaf, this.namesTowns) ?? this.unitOf(leaf) ?? this.circles.get(leaf));
    return seat && this.wholeOf(seat);
  }

  /** The folded names of a place, each once. */
  private namesOf(place: number): readonly string[] {
    const [name, localName] = [this.tree.names[place], this.tree.localNames[place]] as [string, string];
    return name === localName ? [this.fold(name)] : [...new Set([this.fold(name), this.fold(localName)])];
  }

  private kmTo({ city }: Seat, place: number): number {
    const { latitudes, longitudes } = this.tree;
    return kmBetween(latitudes[place] as number, longitudes[place] as number, city.latitude, city.longitude);
  }

  /** The city that a leaf is, or whose name it has: the nearest that is near. */
  private readonly named = memoize((leaf: number): Seat | undefined => {
    const own = this.byPlace.get(leaf);
    if (own !== undefined) return own;
    let [nearest, leastKm]: [Seat | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const name of this.namesOf(leaf)) {
      for (const seat of this.byName.get(name) ?? []) {
        const km = this.kmTo(seat, leaf);
        if (km <= seat.radiusKm + NEAR_KM && km < leastKm) [nearest, leastKm] = [seat, km];
      }
    }
    return nearest;
  });

  /**
   * The largest city near with whose name a leaf's name begins. `isStrict`: the rest must be a number or a word for an
   * office, except within a large city.
   */
  private beginningOf(leaf: number, isStrict: boolean): Seat | undefined {
    let best: Seat | undefined;
    for (const name of this.namesOf(leaf)) {
      for (const { start, rest } of splitName(name)) {
        const isOffice = OFFICE.test(rest);
        const isWord = isStrict && !isOffice && !isLesserName(rest);
        for (const seat of this.byName.get(start) ?? []) {
          const { population } = seat.city;
          if (!seat.isTown || (best !== undefined && population <= best.city.population)) continue;
          const km = this.kmTo(seat, leaf);
          if (isWord && (population < MIN_PEOPLE_OF_WORDS || km > seat.radiusKm)) continue;
          const isNear = km <= BEGINNING_RADII * seat.radiusKm + BEGINNING_KM;
          if (
            isNear ||
            (isOffice && this.isInUnitOf(seat, leaf)) ||
            (km <= NAMESAKE_UNIT_KM && this.isInNamesake(seat, leaf))
          )
            best = seat;
        }
      }
    }
    return best;
  }

  /** Whether a leaf lies in the first-level unit of a city. */
  private isInUnitOf({ places }: Seat, leaf: number): boolean {
    const root = this.areas.rootOf(leaf);
    return root !== leaf && places[0] !== undefined && this.areas.rootOf(places[0]) === root;
  }

  /** Whether the unit directly around a leaf has the main name of a city: positions within can be the unit's. */
  private isInNamesake({ city }: Seat, leaf: number): boolean {
    const unit = this.tree.parents[leaf] as number;
    return (
      unit !== NO_PARENT && this.tree.parents[unit] !== NO_PARENT && this.namesOf(unit).includes(this.fold(city.name))
    );
  }

  private unitOf(leaf: number): Seat | undefined {
    if (this.namesTowns) return undefined;
    const { parents } = this.tree;
    for (let unit = parents[leaf] as number; unit !== NO_PARENT; unit = parents[unit] as number) {
      const seat = this.byPlace.get(unit);
      if (seat === undefined || !seat.isTown || seat.isWider) continue;
      const isNear = this.kmTo(seat, leaf) <= UNIT_RADII * seat.radiusKm + UNIT_KM;
      return isNear && seat.city.population >= MIN_PEOPLE_AROUND ? seat : undefined;
    }
    return undefined;
  }

  /** Whether the leaves of large cities have names of cities: most are no more than parts where rows name streets. */
  private learnWhetherRowsNameTowns(): boolean {
    const shares: number[] = [];
    for (const { city, kind, radiusKm, isTown, isNamed } of this.seats) {
      if (city.population < SAMPLE_PEOPLE) break;
      if (!isTown || !(isNamed || kind === 'parts around')) continue;
      const leaves = this.areas.leavesAround(city.latitude, city.longitude, SAMPLE_RADII * radiusKm);
      if (leaves.length < SAMPLE_LEAVES) continue;
      const isUnknown = (leaf: number): boolean =>
        !this.named(leaf)?.isTown && this.beginningOf(leaf, false) === undefined;
      shares.push(leaves.filter(isUnknown).length / leaves.length);
    }
    const sum = shares.reduce((total, share) => total + share, 0);
    return shares.length > 0 && sum / shares.length < MAX_UNKNOWN_SHARE;
  }

  private findSurrounding(): ReadonlyMap<Seat, Seat> {
    const parts = this.seats.filter(({ isSynthesised }) => isSynthesised || !this.namesTowns);
    const found = new Map<Seat, Seat>();
    if (parts.length === 0) return found;
    const index = new KDBush(parts.length);
    for (const { city } of parts) index.add(city.longitude, city.latitude);
    index.finish();
    const shares = new Map<Seat, number>();
    for (const larger of this.seats) {
      const { city, radiusKm, isTown, isNamed, kind } = larger;
      if (!isTown || city.population === 0) continue;
      const inside = around(index, city.longitude, city.latitude, Number.POSITIVE_INFINITY, MAX_PART_RADII * radiusKm);
      for (const number of inside) {
        const seat = parts[number as number] as Seat;
        if (seat === larger || (!seat.isTown && !(isNamed || kind === 'parts around'))) continue;
        const kindOfPart = this.kindOfPart(seat, larger);
        if (this.namesTowns && kindOfPart === 'named') continue;
        const { radii, times } = PARTS[kindOfPart];
        const share = kmBetween(city.latitude, city.longitude, seat.city.latitude, seat.city.longitude) / radiusKm;
        if (city.population < times * seat.city.population || share >= radii) continue;
        if (share >= (shares.get(seat) ?? radii)) continue;
        if (larger.region !== undefined && seat.places[0] !== undefined && !this.isIn(larger.region, seat.places[0]))
          continue;
        found.set(seat, larger);
        shares.set(seat, share);
      }
    }
    return found;
  }

  private isIn(region: number, place: number): boolean {
    return place === region || this.areas.isWithin(place, region);
  }

  private kindOfPart(part: Seat, larger: Seat): keyof typeof PARTS {
    const { areas } = this;
    const [main] = larger.places;
    if (!part.isTown) return 'section';
    if (!part.isNamed) {
      const [own, other] = [this.regionAround(part), this.regionAround(larger)];
      return own === undefined || other === undefined || own === other ? 'unnamed' : 'unit';
    }
    const isOwnUnit = (place: number): boolean =>
      !areas.isLeaf(place) && (main === undefined || !areas.isWithin(place, main));
    return part.places.some(isOwnUnit) ? 'unit' : 'named';
  }

  /** The first-level unit in which a city's place lies, else most leaves within its radius; undefined without units. */
  private readonly regionAround = memoize(({ city, places: [own], radiusKm }: Seat): number | undefined => {
    const { parents } = this.tree;
    const counts = new Map<number, number>();
    const isInside = own !== undefined && parents[own] !== NO_PARENT;
    for (const place of isInside ? [own] : this.areas.leavesAround(city.latitude, city.longitude, radiusKm)) {
      let root = place;
      while (parents[root] !== NO_PARENT) root = parents[root] as number;
      if (root !== place) counts.set(root, (counts.get(root) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0];
  });

  private findCircles(): ReadonlyMap<number, Seat> {
    const circles = new Map<number, Seat>();
    const shares = new Map<number, number>();
    for (const seat of this.seats) {
      const { city, radiusKm, isTown } = seat;
      if (!isTown || city.population < MIN_PEOPLE_AROUND) continue;
      for (const leaf of this.areas.leavesAround(city.latitude, city.longitude, radiusKm)) {
        const share = this.kmTo(seat, leaf) / radiusKm;
        if (seat.region !== undefined && !this.isIn(seat.region, leaf)) continue;
        if (share >= (shares.get(leaf) ?? 1)) continue;
        circles.set(leaf, seat);
        shares.set(leaf, share);
      }
    }
    return circles;
  }

  /** The largest city of which a city is a part; the city itself if it is none. */
  private readonly wholeOf = memoize((part: Seat): Seat => {
    let whole = part;
    // Each is larger than the one before.
    for (let next = this.largerOf(whole); next !== undefined; next = this.largerOf(whole)) whole = next;
    return whole;
  });

  private largerOf(seat: Seat): Seat | undefined {
    const [main] = seat.places;
    const lister = main === undefined ? undefined : this.listers.get(main);
    const isLarger = lister !== undefined && lister.city.population > seat.city.population;
    return isLarger ? lister : (this.namesakeOf(seat) ?? this.surrounding.get(seat));
  }

  /** The city after which a section is named ("Paris 13e Arrondissement"), or a town with a number ("Marseille 03"). */
  private namesakeOf({ city, names, isTown: isWhole }: Seat): Seat | undefined {
    for (const name of names) {
      for (const { start, rest } of splitName(name)) {
        if (isWhole && !OFFICE.test(rest)) continue;
        for (const seat of this.byName.get(start) ?? []) {
          const { city: larger, radiusKm, isTown } = seat;
          if (!isTown || larger.population <= city.population) continue;
          const km = kmBetween(city.latitude, city.longitude, larger.latitude, larger.longitude);
          if (km <= NAMESAKE_RADII * radiusKm + NAMESAKE_KM) return seat;
        }
      }
    }
    return undefined;
  }
}

/** The units that cities hold or list by data/city-units.tsv, with the city. */
function listUnits<One extends Pick<PlacedCity, 'city'>>(
  tree: CountryTree,
  cities: readonly One[],
  wanted: CityUnitRole,
): [number, One][] {
  return cities.flatMap((one) =>
    unitsOfCity(one.city.geonameId).flatMap(({ path, role }): [number, One][] => {
      const place = role === wanted ? tree.paths.indexOf(path) : -1;
      return place === -1 ? [] : [[place, one]];
    }),
  );
}

/** A folded name, cut at each of its spaces. */
function* splitName(name: string): Generator<{ start: string; rest: string }> {
  for (let space = name.indexOf(' '); space !== -1; space = name.indexOf(' ', space + 1)) {
    yield { start: name.slice(0, space), rest: name.slice(space + 1) };
  }
}

/** The place that stands for a city; undefined for one that has only parts. */
function mainPlaceOf({ places, isWider }: Pick<PlacedCity, 'places' | 'isWider'>): number | undefined {
  return isWider ? undefined : places[0];
}
