/** The place nearest to a reader, for "Where am I?". */

import type { PlaceResource } from '../../core/snapshot/rendered-places.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { DomainError } from '../../core/use-cases/domain-error.js';
import { ANY_COUNTRY, reverse } from '../../core/use-cases/nearby.js';
import { readResponseData } from '../../core/use-cases/response-data.js';
import { countryPath } from './page-paths.js';
import { placeWords } from './place-search.js';

export interface NearestPlace {
  readonly name: string;
  readonly where: string;
  readonly path: string;
  readonly distanceKm: number;
}

interface ReverseAnswer {
  readonly place: PlaceResource & { readonly ancestors: readonly PlaceResource[] };
  readonly distanceKm: number;
}

/** Undefined where nothing is near, or a text is no coordinate. */
export function findNearestPlace(snapshot: Snapshot, latText: string, lngText: string): NearestPlace | undefined {
  const [lat, lng] = [parseDegrees(latText, 90), parseDegrees(lngText, 180)];
  if (lat === undefined || lng === undefined) return undefined;
  try {
    const { place, distanceKm } = JSON.parse(
      readResponseData(reverse(snapshot, { lat, lng, country: ANY_COUNTRY })),
    ) as ReverseAnswer;
    const country = snapshot.countryByCode.get(place.countryCode);
    if (country === undefined) return undefined;
    const names = [place.postalCode, ...place.ancestors.map(({ name }) => name).reverse(), country.entry.name];
    const where = placeWords(place.name, names);
    return { name: place.name, where, path: countryPath(country) + place.path, distanceKm };
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

function parseDegrees(text: string, most: number): number | undefined {
  const value = /^-?\d{1,3}(?:\.\d{1,20})?$/.test(text) ? Number(text) : Number.NaN;
  return Math.abs(value) <= most ? value : undefined;
}
