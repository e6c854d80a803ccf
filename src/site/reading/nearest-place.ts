/** The place nearest to a reader, in the reader's country, for "Where am I?". */

import { findCountryAt } from '../../core/lookup/country-at-point.js';
import { reverseGeocode } from '../../core/lookup/reverse.js';
import { readListFields } from '../../core/snapshot/place-fields.js';
import { listAncestors } from '../../core/snapshot/place-tree.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { roundToMetres } from '../../core/snapshot/sphere.js';
import { countryPath } from './page-paths.js';
import { placeWords } from './place-search.js';

export interface NearestPlace {
  readonly name: string;
  readonly where: string;
  readonly path: string;
  readonly distanceKm: number;
}

/** A position in a country without data. */
interface WithoutData {
  readonly countryWithoutData: string;
}

/** Undefined where nothing is near, or a text is no coordinate. */
export function findNearestPlace(
  snapshot: Snapshot,
  latText: string,
  lngText: string,
): NearestPlace | WithoutData | undefined {
  const [lat, lng] = [parseDegrees(latText, 90), parseDegrees(lngText, 180)];
  if (lat === undefined || lng === undefined) return undefined;
  const at = findCountryAt(snapshot, lat, lng);
  if (at !== undefined && at.structures === undefined) return { countryWithoutData: at.entry.name };
  const near = reverseGeocode(snapshot, { lat, lng, country: at?.entry.code });
  const country = snapshot.countries.find(
    ({ structures }) => structures !== undefined && structures === near?.structures,
  );
  if (near === undefined || country === undefined) return undefined;
  const { structures, point } = near;
  const { name, path, postalCode } = readListFields(structures, point.place);
  const units = listAncestors(structures.tree, point.place).map((unit) => readListFields(structures, unit).name);
  const where = placeWords(name, [postalCode, ...units.reverse(), country.entry.name]);
  return { name, where, path: countryPath(country) + path, distanceKm: roundToMetres(point.distanceKm) };
}

function parseDegrees(text: string, most: number): number | undefined {
  const value = /^-?\d{1,3}(?:\.\d{1,20})?$/.test(text) ? Number(text) : Number.NaN;
  return Math.abs(value) <= most ? value : undefined;
}
