/**
 * The postal codes that a line has, in whole or in part, each once for each country. Codes that fit more of the line come
 * first (suggest.ts). Of codes that fit alike, the first code of each country comes first, then the second of each, in
 * the order of the countries by population. If the search favours a point, the nearest country comes first instead: the
 * code is then typed as it is, and only the country is unknown.
 */

import { structuresOf } from '../lookup/countries.js';
import { cityOfPostcode } from '../lookup/main-place.js';
import type { FullCode } from '../snapshot/full-codes.js';
import { cityOfPlace } from '../snapshot/place-cities.js';
import { isRecipient, readListFields, readPointField } from '../snapshot/place-fields.js';
import { isPlace } from '../snapshot/place-tree.js';
import { findPostcode } from '../snapshot/postcode-index.js';
import { compactPostcode } from '../snapshot/postcode-spelling.js';
import type { Country } from '../snapshot/snapshot.js';
import { distanceKm } from '../snapshot/sphere.js';
import { WORK } from '../snapshot/work-budget.js';
import type { NameQuery } from './name-query.js';
import { rankAroundOf } from './rank-around.js';
import type { Suggestion } from './suggestion.js';

/** Maximum number of places of a code that are compared to find the main place. */
const MAX_COMPARED_CODES = 4;

export interface CodeSuggestion {
  readonly country: Country;
  /** As the data have it. */
  readonly postcode: string;
  /**
   * The most important of the place that was found and the first places of the code. A recipient only if these are all
   * recipients.
   */
  readonly mainPlace: number;
  /** The places of the code; of a full code the one that has it. */
  readonly places: Uint32Array;
  /** The full code, if the code is one. */
  readonly fullCode?: FullCode | undefined;
}

/** The codes of some places, at most `limit`; `lists` are in the order of the reasons. */
export function listCodeSuggestions(
  names: NameQuery,
  lists: readonly (readonly Suggestion[])[],
  limit: number,
): CodeSuggestion[] {
  const seen = new Set<string>();
  const codes: FoundCode[] = [];
  for (const list of lists) {
    if (codes.length >= limit) break;
    codes.push(...orderByCountry(names, findCodes(list, seen)));
  }
  const rankAround = rankAroundOf(names);
  return codes.slice(0, limit).map((code) => describeCode(code, rankAround));
}

interface FoundCode extends Suggestion {
  readonly postcode: string;
}

/** The codes of the places that are not in `seen`, which they join. */
function findCodes(list: readonly Suggestion[], seen: Set<string>): FoundCode[] {
  const found: FoundCode[] = [];
  for (const { country, place, fullCode } of list) {
    const postalCode = fullCode?.postcode ?? readListFields(structuresOf(country), place).postalCode;
    const key = `${country.number} ${postalCode}`;
    if (postalCode === null || seen.has(key)) continue;
    seen.add(key);
    found.push({ country, place, fullCode, postcode: postalCode });
  }
  return found;
}

function orderByCountry(names: NameQuery, codes: readonly FoundCode[]): FoundCode[] {
  const { near } = names.scope;
  const counts = new Map<Country, number>();
  const placed = codes.map((code) => {
    const { country, place, fullCode } = code;
    const round = counts.get(country) ?? 0;
    counts.set(country, round + 1);
    const isMeasured = near !== undefined && names.work.spend(WORK.text);
    const km = isMeasured
      ? distanceKm(near, fullCode ?? readPointField(structuresOf(country), place))
      : Number.MAX_VALUE;
    return { code, round, km, people: country.entry.population };
  });
  return placed.sort((a, b) => a.round - b.round || a.km - b.km || b.people - a.people).map(({ code }) => code);
}

function describeCode(
  { country, place, postcode, fullCode }: FoundCode,
  rankAround: (suggestion: Suggestion) => number,
): CodeSuggestion {
  if (fullCode !== undefined) return { country, postcode, mainPlace: place, places: Uint32Array.of(place), fullCode };
  const structures = structuresOf(country);
  const places = findPostcode(structures.postcodes, postcode, compactPostcode(postcode))?.places ?? new Uint32Array();
  const compared = [place, ...places.slice(0, MAX_COMPARED_CODES)].filter((one) => isPlace(structures.tree, one));
  const localities = compared.filter((one) => !isRecipient(structures, one));
  const candidates = localities.length > 0 ? localities : compared;
  const ranks = candidates.map((one) => (candidates.length === 1 ? 0 : rankAround({ country, place: one })));
  const mainPlace = candidates[ranks.indexOf(Math.min(...ranks))] ?? place;
  return { country, postcode, mainPlace, places };
}

/** The city of a suggested code: for answers that show it, since it compares all places of the code. */
export function cityOfCodeSuggestion({ country, mainPlace, places }: CodeSuggestion): number {
  const structures = structuresOf(country);
  return cityOfPostcode(structures, { places }) ?? cityOfPlace(structures, mainPlace);
}
