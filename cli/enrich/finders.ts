/**
 * Finds the place that the cells of a row lead to: by postal code and country, by position, or by the last line of an
 * address. A finder is a pure function of its cells. `match` says how the place was found, in the words of
 * GET …/postcodes/{postcode}/check, and `nearest` for a position.
 */
import { MAX_POSTCODE_LENGTH, MAX_SEARCH_LENGTH, MIN_SEARCH_LENGTH } from '../../src/api/rules.js';
import { compactPostcode, normalizePostcode } from '../../src/format/postcode.js';
import { findQueryFaults } from '../../src/service/autocomplete.js';
import { matchKindOf, type PostcodeMatchKind } from '../../src/service/check-postcode.js';
import { roundToMetres } from '../../src/service/distance-km.js';
import { MAX_POSTCODE_PLACES } from '../../src/service/find-postcode.js';
import { lookUpPostcode } from '../../src/service/postcode-candidates.js';
import { ANY_COUNTRY, findNear } from '../../src/service/reverse.js';
import { listSuggestedItems } from '../../src/service/suggest/suggested-items.js';
import { populationOf } from '../../src/store/place-facts.js';
import { isRecipient, readEntry } from '../../src/store/place-fields.js';
import { isPlace } from '../../src/store/place-tree.js';
import type { PostcodeMatch } from '../../src/store/postcode-index.js';
import type { Country, CountryStructures, Snapshot } from '../../src/store/snapshot.js';
import type { FoundPlace } from './fields.js';
import { isNamedIn } from './named-in-line.js';

export const MATCHES = ['exact', 'normalised', 'partial', 'nearest', 'none'] as const;
export type Match = PostcodeMatchKind | 'nearest';

export interface Finding {
  readonly match: Match;
  /** Undefined where `match` is `none`. */
  readonly found?: FoundPlace | undefined;
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

/** A digit of any script. */
const HAS_DIGIT = /\p{N}/u;

export function createTextFinder(snapshot: Snapshot): Find {
  return ([cell = ''], country) => {
    const query = lastLineOf(cell);
    if (query.length < MIN_SEARCH_LENGTH || query.length > MAX_SEARCH_LENGTH) return NOTHING_FOUND;
    if (country !== undefined && country.structures === undefined) return NOTHING_FOUND;
    if (findQueryFaults({ query }).length > 0) return NOTHING_FOUND;
    const scope = {
      countries: country === undefined ? undefined : [country],
      types: undefined,
      near: undefined,
      areRecipientsLast: true,
    };
    const [item] = listSuggestedItems(snapshot, { query, kinds: ['place', 'postcode'], scope, limit: 1 });
    const structures = item?.country.structures;
    if (item === undefined || item.kind === 'country' || structures === undefined) return NOTHING_FOUND;
    const [code, found] =
      item.kind === 'place'
        ? [readEntry(structures, item.place).postalCode, { structures, place: item.place }]
        : [item.postcode, { structures, place: item.mainPlace, placeCount: item.placeCount }];
    const match = matchInLine(query, code);
    // A line with a code that the place lacks: only its words say that the place is meant.
    const isGuess = match === 'partial' && HAS_DIGIT.test(query);
    if (isGuess && !isNamedIn(query, snapshot, { country: item.country, place: found.place })) return NOTHING_FOUND;
    return { match, found };
  };
}

/** `exact` if the line has the code of the place, `normalised` if in another spelling, `partial` if it has no such code. */
function matchInLine(line: string, code: string | null): Match {
  if (code === null) return 'partial';
  if (line.includes(code)) return 'exact';
  return compactPostcode(normalizePostcode(line)).includes(compactPostcode(code)) ? 'normalised' : 'partial';
}

function lastLineOf(cell: string): string {
  const lines = cell.split(/[\r\n]+/).map((line) => line.trim());
  return lines.findLast((line) => line !== '') ?? '';
}
