/**
 * The cities, or the postal codes, nearest to a point in any country, each once. Only localities that lie where their
 * coordinates say are searched, in the k-d trees of the snapshot (src/core/snapshot/kd-tree.ts). Within RADIUS_KM a plane
 * is as good as the sphere for comparing distances, and costs a tenth: a search takes some 5 µs. The distances of the
 * results are those of the sphere.
 */

import { oncePer } from '../../base/once-per.js';
import { citiesOf } from '../../core/lookup/cities.js';
import { countriesAround } from '../../core/snapshot/country-grid.js';
import { type FullCode, fullCodeAt, listNearestCodes } from '../../core/snapshot/full-codes.js';
import { POINT_NODE_SIZE } from '../../core/snapshot/kd-tree.js';
import { readEntry, readPath } from '../../core/snapshot/place-fields.js';
import { isPlace } from '../../core/snapshot/place-tree.js';
import { POINT_TIERS, type PointTier, pointTier } from '../../core/snapshot/point-index.js';
import type { CountryStructures, Snapshot } from '../../core/snapshot/snapshot.js';
import { distanceKm, type Position } from '../../core/snapshot/sphere.js';
import { countryPath, postcodePath } from '../addresses.js';
import { type CoveredCountry, isCovered, type SiteSnapshot } from '../site-snapshot.js';
import { codeOfRank } from './code-groups.js';

/** Radius in km beyond which nothing is near. */
const RADIUS_KM = 80;
/** Kilometres of a degree of latitude on a sphere with a radius of 6371 km. */
const DEGREE_KM = 111.195;
/** Least cosine of a latitude: of one half a degree from a pole, where a plane is no map, and no place is. */
const MIN_COSINE = 0.01;

/** Making the views of a tier costs more than finding a city in it. */
const sureTierOf = oncePer(({ points }: CountryStructures) => pointTier(points, POINT_TIERS.indexOf('sure')));

export interface Near extends Position {
  readonly country: CoveredCountry;
  /** The city's first place, or the code's rank. */
  readonly key: number;
  /** The nearest place of the city or of the code; the position is the place's. */
  readonly place: number;
  readonly distanceKm: number;
}

interface NearRequest {
  readonly home: CoveredCountry;
  readonly point: Position;
  readonly by: 'city' | 'code';
  /** The city or the code of `home` that is left out. */
  readonly except: number | undefined;
  readonly limit: number;
}

/** At most `limit`, the nearest first. */
export function listNear(snapshot: Snapshot, { home, point, by, except, limit }: NearRequest): Near[] {
  const search = new NearSearch(point, limit);
  search.visit(home, by, except);
  const { latitude, longitude } = point;
  for (const number of countriesAround(snapshot.countryGrid, latitude, longitude, search.reachKm)) {
    const country = snapshot.countries[number];
    if (country !== undefined && country !== home && isCovered(country)) search.visit(country, by, undefined);
  }
  return search.results();
}

/** A result, with its squared distance in degrees of latitude. */
interface Candidate {
  readonly country: CoveredCountry;
  readonly key: number;
  readonly place: number;
  readonly point: number;
  readonly squared: number;
}

/** The points of a country that are searched, and by what each place is told apart from others. */
interface Searched {
  readonly country: CoveredCountry;
  readonly tier: PointTier;
  readonly keys: Uint32Array;
  readonly except: number | undefined;
}

/** Whether a result comes before a point at this distance, by the number of the place if both are equally far. */
function isBefore(result: Candidate, squared: number, place: number): boolean {
  return result.squared < squared || (result.squared === squared && result.place <= place);
}

class NearSearch {
  readonly #found: Candidate[] = [];
  readonly #lat: number;
  readonly #lng: number;
  readonly #cosine: number;
  /** Of the last result if there are enough. */
  #squaredReach = (RADIUS_KM / DEGREE_KM) ** 2;

  constructor(
    private readonly position: Position,
    private readonly limit: number,
  ) {
    this.#lat = position.latitude;
    this.#lng = position.longitude;
    this.#cosine = Math.max(MIN_COSINE, Math.cos((this.#lat * Math.PI) / 180));
  }

  get reachKm(): number {
    return Math.sqrt(this.#squaredReach) * DEGREE_KM;
  }

  visit(country: CoveredCountry, by: 'city' | 'code', except: number | undefined): void {
    const { structures } = country;
    const { cities, ranks } = citiesOf(structures);
    const tier = sureTierOf(structures);
    const searched = { country, tier, keys: by === 'city' ? cities : ranks, except };
    const reach = Math.sqrt(this.#squaredReach) / this.#cosine;
    const last = tier.places.length - 1;
    this.#visitNode(searched, this.#lng, 0, last, true);
    if (this.#lng + reach > 180) this.#visitNode(searched, this.#lng - 360, 0, last, true);
    if (this.#lng - reach < -180) this.#visitNode(searched, this.#lng + 360, 0, last, true);
  }

  /** The points of a node around a longitude, the nearer half first. */
  #visitNode(searched: Searched, lng: number, first: number, last: number, isLongitude: boolean): void {
    const { coords } = searched.tier;
    const lat = this.#lat;
    const cosine = this.#cosine;
    if (last - first <= POINT_NODE_SIZE) {
      for (let point = first; point <= last; point++) this.#visitPoint(searched, lng, point);
      return;
    }
    const middle = (first + last) >>> 1;
    const offset = isLongitude
      ? (lng - (coords[middle * 2] as number)) * cosine
      : lat - (coords[middle * 2 + 1] as number);
    const isBelow = offset <= 0;
    if (isBelow) this.#visitNode(searched, lng, first, middle - 1, !isLongitude);
    else this.#visitNode(searched, lng, middle + 1, last, !isLongitude);
    this.#visitPoint(searched, lng, middle);
    if (offset * offset > this.#squaredReach) return;
    if (isBelow) this.#visitNode(searched, lng, middle + 1, last, !isLongitude);
    else this.#visitNode(searched, lng, first, middle - 1, !isLongitude);
  }

  #visitPoint(searched: Searched, lng: number, point: number): void {
    const { coords } = searched.tier;
    const x = ((coords[point * 2] as number) - lng) * this.#cosine;
    const y = (coords[point * 2 + 1] as number) - this.#lat;
    const squared = x * x + y * y;
    // False also for NaN, which a damaged file can contain.
    if (squared <= this.#squaredReach) this.#insert(searched, point, squared);
  }

  /** In the order of distances, in place of the same city or code farther away, or of the last result. */
  #insert({ country, tier, keys, except }: Searched, point: number, squared: number): void {
    const place = tier.places[point] as number;
    const key = keys[place] as number;
    if (key === except || !isPlace(country.structures.tree, place)) return;
    const found = this.#found;
    const isFull = found.length === this.limit;
    let at = isFull ? this.limit - 1 : found.length;
    for (let other = 0; other < found.length; other++) {
      const known = found[other] as Candidate;
      if (known.key === key && known.country === country) at = other;
    }
    const replaced = found[at];
    if (replaced !== undefined && isBefore(replaced, squared, place)) return;
    for (; at > 0 && !isBefore(found[at - 1] as Candidate, squared, place); at--)
      found[at] = found[at - 1] as Candidate;
    found[at] = { country, key, place, point, squared };
    if (found.length === this.limit) this.#squaredReach = (found[this.limit - 1] as Candidate).squared;
  }

  results(): Near[] {
    const near = this.#found.map(({ country, key, place, point }) => {
      const { coords } = sureTierOf(country.structures);
      const [longitude, latitude] = [coords[point * 2] as number, coords[point * 2 + 1] as number];
      const km = distanceKm(this.position, { latitude, longitude });
      return { country, key, place, latitude, longitude, distanceKm: km };
    });
    return near.sort((a, b) => a.distanceKm - b.distanceKm);
  }
}

/* What lists and maps show of the cities, or of the postal codes, nearest to a point, the nearest first. */

export interface NearEntry extends Position {
  readonly name: string;
  readonly postalCode: string;
  /** Of the page of the city or of the code. */
  readonly path: string;
  readonly distanceKm: number;
  /** The name of its country, if that is another one. */
  readonly abroad: string | undefined;
}

/** Number of entries: a map shows all, a list the first of them. Each costs a page 2 µs. */
const NEAR_COUNT = 16;
/** Cities that are searched for more than are shown: neighbouring units can have cities of one name. */
const SPARE_COUNT = 3;

/** Each name once. Leaves out the city `except` of the country `home`, and other cities with its name. */
export function listNearCities(
  { snapshot }: SiteSnapshot,
  home: CoveredCountry,
  point: Position,
  except: number | undefined,
): readonly NearEntry[] {
  const names = new Set<string>(except === undefined ? [] : [readEntry(home.structures, except).name]);
  const entries: NearEntry[] = [];
  const found = listNear(snapshot, { home, point, by: 'city', except, limit: NEAR_COUNT + SPARE_COUNT });
  for (const { country, key, place, latitude, longitude, distanceKm } of found) {
    if (entries.length === NEAR_COUNT) break;
    const { name, path, postalCode } = readEntry(country.structures, place);
    if (names.has(name)) continue;
    names.add(name);
    const pathOfCity = countryPath(country) + (key === place ? path : readPath(country.structures, key));
    const abroad = country === home ? undefined : country.entry.name;
    entries.push({ name, postalCode: postalCode ?? '', path: pathOfCity, latitude, longitude, distanceKm, abroad });
  }
  return entries;
}

/** Each with the nearest of its places. Leaves out the code with the rank `except` of the country `home`. */
export function listNearCodes(
  { snapshot }: SiteSnapshot,
  home: CoveredCountry,
  point: Position,
  except: number | undefined,
): readonly NearEntry[] {
  const found = listNear(snapshot, { home, point, by: 'code', except, limit: NEAR_COUNT });
  return found.map(({ country, key, place, latitude, longitude, distanceKm }) => {
    const postalCode = codeOfRank(country, key);
    const { name } = readEntry(country.structures, place);
    const abroad = country === home ? undefined : country.entry.name;
    return { name, postalCode, path: postcodePath(country, postalCode), latitude, longitude, distanceKm, abroad };
  });
}

/** Radius in km beyond which no full code is near. */
const FULL_CODE_RADIUS_KM = 20;

/** Maximum number of full codes that are searched: a thousand of a mail centre have one point. 2 ms; 32 cost 0.6 ms. */
const MAX_SEARCHED = 2048;

/** The full codes nearest to another one, the first at each point. Those of other countries are left out. */
export function listNearFullCodes(country: CoveredCountry, own: FullCode): readonly NearEntry[] {
  const { structures } = country;
  const { fullCodes } = structures;
  if (fullCodes === undefined) return [];
  const circle = { lat: own.latitude, lng: own.longitude, radiusKm: FULL_CODE_RADIUS_KM };
  for (let limit = NEAR_COUNT * 2; ; limit *= 8) {
    const near = listNearestCodes(fullCodes, circle, limit);
    const byPoint = new Map<string, NearEntry>();
    for (const { place: number, distanceKm } of near) {
      const { postcode, place, latitude, longitude } = fullCodeAt(fullCodes, number);
      const point = `${latitude} ${longitude}`;
      if (number === own.number || byPoint.has(point) || !isPlace(structures.tree, place)) continue;
      if (byPoint.size === NEAR_COUNT) break;
      const { name } = readEntry(structures, place);
      const entry = { name, postalCode: postcode, path: postcodePath(country, postcode), latitude, longitude };
      byPoint.set(point, { ...entry, distanceKm, abroad: undefined });
    }
    if (byPoint.size === NEAR_COUNT || near.length < limit || limit >= MAX_SEARCHED) return [...byPoint.values()];
  }
}
