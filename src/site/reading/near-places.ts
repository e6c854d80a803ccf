/** What lists and maps show of the cities, or of the postal codes, nearest to a point, the nearest first. */
import type { Position } from '../../format/spherical-mean.js';
import { readEntry, readPath } from '../../store/place-fields.js';
import { countryPath, postcodePath } from '../addresses.js';
import type { CoveredCountry, SiteSnapshot } from '../site-snapshot.js';
import { codeOfRank } from './code-runs.js';
import { listNear } from './near-cities.js';

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
