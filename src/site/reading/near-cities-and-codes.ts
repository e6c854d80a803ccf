/**
 * The cities, or the postal codes, nearest to a point in any country, each once: entries of lists and maps. Only
 * localities with reliable coordinates are searched, in the k-d trees of the snapshot
 * (src/core/snapshot/point-index.ts): the home country first, since a full list narrows the search of its neighbours. A
 * search costs some 20 µs, and 0.1 µs for each place that is left out: these don't narrow the search.
 */

import { codeRanksOf } from '../../core/lookup/code-ranks.js';
import { countriesAround } from '../../core/snapshot/country-grid.js';
import { type FullCode, fullCodeAt, listNearestCodes } from '../../core/snapshot/full-codes.js';
import { visitKdTree } from '../../core/snapshot/kd-tree.js';
import { readListFields, readPointField } from '../../core/snapshot/place-fields.js';
import { isPlace } from '../../core/snapshot/place-tree.js';
import { POINT_TIERS, pointTier } from '../../core/snapshot/point-index.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { Position } from '../../core/snapshot/sphere.js';
import { codeOfRank } from './code-summary.js';
import { type CoveredCountry, isCovered } from './covered-country.js';
import { oncePerLargeCity } from './once-per-large-city.js';
import { countryPath, postcodePath } from './page-paths.js';

/** Radius in km beyond which nothing is near. */
const RADIUS_KM = 80;

export interface Near extends Position {
  readonly country: CoveredCountry;
  /** The city, or the code's rank. */
  readonly key: number;
  /** The nearest place of the city or of the code; the position is the place's. */
  readonly place: number;
  readonly distanceKm: number;
}

interface NearRequest {
  readonly home: CoveredCountry;
  readonly point: Position;
  readonly by: 'city' | 'code';
  /** The cities or the codes of `home` that are left out. */
  readonly except: ReadonlySet<number>;
  readonly limit: number;
}

/** At most `limit`, the nearest first, then by number of the place. */
export function listNear(snapshot: Snapshot, { home, point, by, except, limit }: NearRequest): Near[] {
  const { latitude: lat, longitude: lng } = point;
  const found: Near[] = [];
  let radiusKm = RADIUS_KM;
  const around = [...countriesAround(snapshot.countryGrid, lat, lng, RADIUS_KM)].map((at) => snapshot.countries[at]);
  for (const country of new Set([home, ...around])) {
    if (country === undefined || !isCovered(country)) continue;
    const { cities, tree, points } = country.structures;
    const keys = by === 'city' ? cities.cities : codeRanksOf(country.structures).ranks;
    const tier = pointTier(points, POINT_TIERS.indexOf('sure'));
    visitKdTree(tier, { lat, lng, radiusKm }, (at, distanceKm) => {
      const place = tier.places[at] as number;
      const key = keys[place] as number;
      const isFound = isPlace(tree, place) && (by === 'code' || isPlace(tree, key));
      if (isFound && (country !== home || !except.has(key))) {
        const [longitude, latitude] = [tier.degrees(at, 0), tier.degrees(at, 1)];
        insert(found, { country, key, place, latitude, longitude, distanceKm });
        if (found.length > limit) found.pop();
      }
      if (found.length === limit) radiusKm = (found[limit - 1] as Near).distanceKm;
      return radiusKm;
    });
  }
  return found;
}

/** Keeps `found` in order, with each city or code once, at its nearest place. */
function insert(found: Near[], near: Near): void {
  let at = found.findIndex((other) => isBefore(near, other));
  if (at === -1) at = found.length;
  const known = found.findIndex(({ country, key }) => country === near.country && key === near.key);
  if (known !== -1 && known < at) return;
  if (known !== -1) found.splice(known, 1);
  found.splice(at, 0, near);
}

function isBefore(a: Near, b: Near): boolean {
  return a.distanceKm < b.distanceKm || (a.distanceKm === b.distanceKm && a.place < b.place);
}

/* Entries of lists and maps, the nearest first. */
export interface NearEntry extends Position {
  readonly name: string;
  readonly postalCode: string;
  /** Path of the page of the city or of the code. */
  readonly path: string;
  readonly distanceKm: number;
  /** The name of its country, if that is another one. */
  readonly abroad: string | undefined;
}

/** Number of entries: a map shows all, a list the first of them. Each costs a page 2 µs. */
const NEAR_COUNT = 16;
/** Number of cities found beyond NEAR_COUNT: neighbouring units can have cities of one name, which is shown once. */
const SPARE_COUNT = 3;

/** Each name once. Leaves out the city `except` of the country `home`, and other cities with its name. */
export function listNearCities(
  snapshot: Snapshot,
  home: CoveredCountry,
  point: Position,
  except: number | undefined,
): readonly NearEntry[] {
  const own = except === undefined ? [] : [except];
  const names = new Set(own.map((city) => readListFields(home.structures, city).name));
  const entries: NearEntry[] = [];
  const found = listNear(snapshot, { home, point, by: 'city', except: new Set(own), limit: NEAR_COUNT + SPARE_COUNT });
  for (const { country, key, place, latitude, longitude, distanceKm } of found) {
    if (entries.length === NEAR_COUNT) break;
    const { name, path } = readListFields(country.structures, key);
    if (names.has(name)) continue;
    names.add(name);
    const { postalCode } = readListFields(country.structures, place);
    const abroad = country === home ? undefined : country.entry.name;
    entries.push({
      name,
      postalCode: postalCode ?? '',
      path: countryPath(country) + path,
      latitude,
      longitude,
      distanceKm,
      abroad,
    });
  }
  return entries;
}

/** The cities near a city, from its own point. Singapore is left out with 119,000 places. */
export const listCitiesNearCity = oncePerLargeCity((country, city, snapshot: Snapshot) =>
  listNearCities(snapshot, country, readPointField(country.structures, city), city),
);

/** Each with the nearest of its places. Leaves out the codes with these ranks of the country `home`. */
export function listNearCodes(
  snapshot: Snapshot,
  home: CoveredCountry,
  point: Position,
  except: readonly number[],
): readonly NearEntry[] {
  const found = listNear(snapshot, { home, point, by: 'code', except: new Set(except), limit: NEAR_COUNT });
  return found.map(({ country, key, place, latitude, longitude, distanceKm }) => {
    const postalCode = codeOfRank(country, key);
    const { name } = readListFields(country.structures, place);
    const abroad = country === home ? undefined : country.entry.name;
    return { name, postalCode, path: postcodePath(country, postalCode), latitude, longitude, distanceKm, abroad };
  });
}

/** Radius in km beyond which no full code is near. */
const FULL_CODE_RADIUS_KM = 20;

/**
 * Maximum number of full codes that are searched, in 2 ms (32 in 0.6 ms): a mail centre has a thousand at one point.
 */
const MAX_SEARCHED = 2048;

/** The full codes of the country nearest to another one, the first at each point. */
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
      const { name } = readListFields(structures, place);
      const entry = { name, postalCode: postcode, path: postcodePath(country, postcode), latitude, longitude };
      byPoint.set(point, { ...entry, distanceKm, abroad: undefined });
    }
    if (byPoint.size === NEAR_COUNT || near.length < limit || limit >= MAX_SEARCHED) return [...byPoint.values()];
  }
}
