/**
 * Finds the place that the cells of a row lead to: by postal code and country, by position, or by an address. A finder is
 * a pure function of its cells. `match` says how the place was found, in the words of GET …/postcodes/{postcode}/check,
 * and `nearest` for a position.
 */

import { MAX_POSTCODE_LENGTH } from '../../src/api/description/parameter-rules.js';
import { findCountryAt } from '../../src/core/lookup/country-at-point.js';
import { mainPlaceOf } from '../../src/core/lookup/main-place.js';
import { lookUpPostcode, matchKindOf, type PostcodeMatchKind } from '../../src/core/lookup/postcode-lookup.js';
import { reverseGeocode } from '../../src/core/lookup/reverse.js';
import { normalizePostcode } from '../../src/core/snapshot/postcode-spelling.js';
import type { Country, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { roundToMetres } from '../../src/core/snapshot/sphere.js';
import { matchAddress } from '../../src/core/suggest/address-match.js';
import type { FoundPlace } from './added-fields.js';
import type { KeyKind } from './plan-table.js';

export const MATCHES = ['exact', 'normalised', 'partial', 'nearest', 'none'] as const;
export type Match = PostcodeMatchKind | 'nearest';

interface Finding {
  readonly match: Match;
  /** Undefined where `match` is `none`. */
  readonly found?: FoundPlace | undefined;
  /** The country without data that the cells are about, where nothing is found. */
  readonly absent?: Country | undefined;
}

export const NOTHING_FOUND: Finding = { match: 'none' };

/** `cells` are those of the key columns, `country` is that of the row if it has one. */
export type Find = (cells: readonly string[], country: Country | undefined) => Finding;

function createPostcodeFinder(snapshot: Snapshot): Find {
  return ([cell = ''], country) => {
    if (country?.structures === undefined || cell.trim().length > MAX_POSTCODE_LENGTH) return NOTHING_FOUND;
    const found = lookUpPostcode(snapshot, country, normalizePostcode(cell));
    if (found === undefined) return NOTHING_FOUND;
    const { match, structures, fullCode } = found;
    const place = mainPlaceOf(structures, match);
    if (place === undefined) return NOTHING_FOUND;
    const placeCount = match.places.length;
    return { match: matchKindOf(found, cell), found: { structures, place, placeCount, fullCode } };
  };
}

/** A decimal number with a point or a comma. */
const DECIMAL = /^[+-]?\d{1,3}(?:[.,]\d{1,30})?$/;

function createPositionFinder(snapshot: Snapshot): Find {
  return ([latCell = '', lngCell = ''], country) => {
    const [lat, lng] = [parseDegrees(latCell, 90), parseDegrees(lngCell, 180)];
    if (lat === undefined || lng === undefined) return NOTHING_FOUND;
    const searched = country ?? findCountryAt(snapshot, lat, lng);
    if (searched !== undefined && searched.structures === undefined) return { match: 'none', absent: searched };
    const near = reverseGeocode(snapshot, { lat, lng, country: searched?.entry.code });
    if (near === undefined) return NOTHING_FOUND;
    const { structures, point } = near;
    return { match: 'nearest', found: { structures, place: point.place, distanceKm: roundToMetres(point.distanceKm) } };
  };
}

function parseDegrees(cell: string, most: number): number | undefined {
  const text = cell.trim();
  if (!DECIMAL.test(text)) return undefined;
  const degrees = Number(text.replace(',', '.'));
  return Math.abs(degrees) <= most ? degrees : undefined;
}

export const FINDERS: Readonly<Record<KeyKind, (snapshot: Snapshot) => Find>> = {
  postcode: createPostcodeFinder,
  position: createPositionFinder,
  text:
    (snapshot) =>
    ([cell = ''], country) =>
      matchAddress(snapshot, cell, country),
};
