/** The places nearest to a point, in any country, with what lists and maps show of them: about 20 µs. */
import type { Position } from '../../format/spherical-mean.js';
import { listNearest } from '../../service/list-nearest.js';
import { readEntry } from '../../store/place-fields.js';
import { countryPath } from '../addresses.js';
import { type CoveredCountry, isCovered, type SiteSnapshot } from '../site-snapshot.js';

export interface NearPlaceEntry extends Position {
  readonly country: CoveredCountry;
  readonly name: string;
  readonly path: string;
  readonly postalCode: string | null;
  readonly distanceKm: number;
  /** The name of its country, if that is another one. */
  readonly abroad: string | undefined;
}

const NEAREST_RADIUS_KM = 80;
/** Number of places that a map shows beside its own. Each costs a page 2 µs. */
const NEAREST_COUNT = 16;

/** Excludes the places `own` of the country `home`, which the page is about. */
export function listNearPlaces(
  { snapshot }: SiteSnapshot,
  home: CoveredCountry,
  { latitude: lat, longitude: lng }: Position,
  own: readonly number[],
): readonly NearPlaceEntry[] {
  const limit = NEAREST_COUNT + own.length;
  const search = { lat, lng, radiusKm: NEAREST_RADIUS_KM, limit, home, tiers: ['sure'] } as const;
  const entries: NearPlaceEntry[] = [];
  for (const { country, place, latitude, longitude, distanceKm } of listNearest(snapshot, search)) {
    if (!isCovered(country) || (country === home && own.includes(place))) continue;
    if (entries.length === NEAREST_COUNT) break;
    const { name, path: pathInCountry, postalCode } = readEntry(country.structures, place);
    const path = countryPath(country) + pathInCountry;
    const abroad = country === home ? undefined : country.entry.name;
    entries.push({ country, name, path, postalCode, latitude, longitude, distanceKm, abroad });
  }
  return entries;
}
