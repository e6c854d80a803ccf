/**
 * Finds the place that the cells of a row lead to: by postal code and country, by position, or by an address. A finder is
 * a pure function of its cells. `match` says how the place was found, in the words of GET …/postcodes/{postcode}/check,
 * and `nearest` for a position.
 */

import { MAX_POSTCODE_LENGTH } from '../../src/api/description/parameter-rules.js';
import { structuresOf } from '../../src/core/lookup/countries.js';
import { findCountryAt } from '../../src/core/lookup/country-at-point.js';
import { mainPlaceOf } from '../../src/core/lookup/main-place.js';
import { withLostZeros } from '../../src/core/lookup/national-postcodes.js';
import { countryOfForm } from '../../src/core/lookup/postcode-forms.js';
import {
  type PostcodeMatchKind,
  type PostcodeResolution,
  resolvePostcode,
} from '../../src/core/lookup/postcode-lookup.js';
import { reverseGeocode } from '../../src/core/lookup/reverse.js';
import { compactPostcode, normalizePostcode, plainPostcode } from '../../src/core/snapshot/postcode-spelling.js';
import type { Country, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { roundToMetres } from '../../src/core/snapshot/sphere.js';
import { matchAddress } from '../../src/core/suggest/address-match.js';
import type { RowPlace } from './added-fields.js';
import type { KeyKind } from './plan-table.js';

export const MATCHES = ['exact', 'normalised', 'partial', 'inferred', 'withdrawn', 'nearest', 'none'] as const;
export type Match = PostcodeMatchKind | 'nearest';

interface Finding {
  readonly match: Match;
  /** Undefined where `match` is `none` or `withdrawn`. */
  readonly found?: RowPlace | undefined;
  /** Whether zeros were put back before the code, which a column of numbers has lost. */
  readonly hadLostZeros?: boolean;
  /** Whether the postal code of an address is not one of its town. */
  readonly isCodeElsewhere?: boolean;
  /** The country without data that the cells are about, where nothing is found. */
  readonly absent?: Country | undefined;
}

export const NOTHING_FOUND: Finding = { match: 'none' };

/** `cells` are those of the key columns, `country` is that of the row if it has one. */
export type Find = (cells: readonly string[], country: Country | undefined) => Finding;

function createPostcodeFinder(snapshot: Snapshot): Find {
  return ([cell = ''], rowCountry) => {
    if (cell.trim().length > MAX_POSTCODE_LENGTH) return NOTHING_FOUND;
    const country = rowCountry ?? countryOfForm(snapshot, normalizePostcode(cell));
    if (country?.structures === undefined) return { match: 'none', absent: country };
    const asTyped = resolvePostcode(snapshot, country, cell);
    const padded = withLostZeros(country.entry.code, compactPostcode(plainPostcode(normalizePostcode(cell))));
    if ('found' in asTyped || padded === undefined) {
      // Where codes have no separators, the rules of a lookup put zeros back.
      const hadLostZeros = 'found' in asTyped && compactPostcode(asTyped.found.match.postcode) === padded;
      return { ...findingOf(asTyped), hadLostZeros };
    }
    const finding = findingOf(resolvePostcode(snapshot, country, padded));
    const match = finding.match === 'exact' ? 'normalised' : finding.match;
    return { ...finding, match, hadLostZeros: match !== 'none' };
  };
}

function findingOf(resolution: PostcodeResolution): Finding {
  if (resolution.match === 'inferred') {
    const { country, place } = resolution.inferred;
    return { match: 'inferred', found: { structures: structuresOf(country), place, isTown: true } };
  }
  if (!('found' in resolution)) return { match: resolution.match };
  const { match, structures, fullCode } = resolution.found;
  const place = mainPlaceOf(structures, match);
  if (place === undefined) return NOTHING_FOUND;
  return { match: resolution.match, found: { structures, place, placeCount: match.places.length, fullCode } };
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
    ([cell = ''], country) => {
      const { match, found, conflict } = matchAddress(snapshot, cell, country);
      const isCodeElsewhere = conflict?.reason === 'postcode_elsewhere';
      return { match, found, isCodeElsewhere, absent: isCodeElsewhere ? undefined : conflict?.country };
    },
};
