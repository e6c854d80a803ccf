/**
 * Finds the place that the cells of a row lead to: by postal code and country, or by position; by an address line:
 * address-finder.ts. A finder is a pure function of its cells. `match` says how the place was found, in the words of
 * GET …/postcodes/{postcode}/check, and `nearest` for a position.
 */
import { MAX_POSTCODE_LENGTH } from '../../src/api/rules.js';
import { normalizePostcode } from '../../src/format/postcode.js';
import { matchKindOf, type PostcodeMatchKind } from '../../src/service/check-postcode.js';
import { roundToMetres } from '../../src/service/distance-km.js';
import { MAX_POSTCODE_PLACES } from '../../src/service/find-postcode.js';
import { lookUpPostcode } from '../../src/service/postcode-candidates.js';
import { ANY_COUNTRY, findNear } from '../../src/service/reverse.js';
import { populationOf } from '../../src/store/place-facts.js';
import { isRecipient } from '../../src/store/place-fields.js';
import { isPlace } from '../../src/store/place-tree.js';
import type { PostcodeMatch } from '../../src/store/postcode-index.js';
import type { Country, CountryStructures, Snapshot } from '../../src/store/snapshot.js';
import type { FoundPlace } from './fields.js';

export const MATCHES = ['exact', 'normalised', 'partial', 'nearest', 'none'] as const;
export type Match = PostcodeMatchKind | 'nearest';

export interface Finding {
  readonly match: Match;
  /** Undefined where `match` is `none`. */
  readonly found?: FoundPlace | undefined;
  /** The country without data that the cells are about, where nothing is found. */
  readonly absent?: Country | undefined;
}

export const NOTHING_FOUND: Finding = { match: 'none' };

/** `cells` are those of the key columns, `country` is that of the row if it has one. */
export type Find = (cells: readonly string[], country: Country | undefined) => Finding;

export function createPostcodeFinder(snapshot: Snapshot): Find {
  return ([cell = ''], country) => {
    if (country?.structures === undefined || cell.trim().length > MAX_POSTCODE_LENGTH) return NOTHING_FOUND;
    const found = lookUpPostcode(snapshot, country, normalizePostcode(cell));
    if (found === undefined) return NOTHING_FOUND;
    const { match, structures } = found;
    const place = mainPlaceOf(structures, match);
    if (place === undefined) return NOTHING_FOUND;
    return { match: matchKindOf(found, cell), found: { structures, place, placeCount: match.places.length } };
  };
}

/** Of the places of a code, recipients aside, the one with most people, or else the first by name. */
function mainPlaceOf(structures: CountryStructures, { places }: PostcodeMatch): number | undefined {
  const shown = [...places.subarray(0, MAX_POSTCODE_PLACES)].filter((place) => isPlace(structures.tree, place));
  if (shown.length < 2) return shown[0];
  const localities = shown.filter((place) => !isRecipient(structures, place));
  let main: number | undefined;
  let most = -1;
  for (const place of localities.length > 0 ? localities : shown) {
    const people = populationOf(structures, place) ?? 0;
    if (people > most) [main, most] = [place, people];
  }
  return main;
}

/** A decimal number with a point or a comma. */
const DECIMAL = /^[+-]?\d{1,3}(?:[.,]\d{1,30})?$/;

export function createPositionFinder(snapshot: Snapshot): Find {
  return ([latCell = '', lngCell = ''], country) => {
    const [lat, lng] = [parseDegrees(latCell, 90), parseDegrees(lngCell, 180)];
    if (lat === undefined || lng === undefined) return NOTHING_FOUND;
    if (country !== undefined && country.structures === undefined) return NOTHING_FOUND;
    const near = findNear(snapshot, { lat, lng, country: country?.entry.code ?? ANY_COUNTRY });
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
