/**
 * The neighbourhood of a page's place: its map, and the list of cities near it or of its sibling units. The map of an
 * area with several parts shows the parts, any other map the cities or codes nearest to the place.
 */

import { citiesOf, isArea, isLocalityAt, parentOf } from '../../core/lookup/cities.js';
import { readPointField } from '../../core/snapshot/place-fields.js';
import { childRange } from '../../core/snapshot/place-tree.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { nearCities, nearCodes } from '../components/near-lists.js';
import { placeList } from '../components/unit-children-list.js';
import { inSentence } from '../html/country-in-sentence.js';
import { type Content, type Html, html } from '../html/html.js';
import { section } from '../html/section.js';
import type { MapDot } from '../map/linked-dots.js';
import { cityDotsAround, codeDotsAround, dotsWithin, sampleWithin } from '../map/map-dots.js';
import { drawPageMap } from '../map/page-map.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import { listNearCities, listNearCodes, type NearEntry } from '../reading/near-cities-and-codes.js';
import { browsePath } from '../reading/page-paths.js';
import type { PlaceDetails } from '../reading/place-details.js';
import { childrenByKind } from '../reading/unit-children.js';
import { termOfAll } from '../reading/unit-terms.js';

const SIBLING_COUNT = 12;
/** Least number of parts that an area's map shows in place of what is around the area. */
const LEAST_PARTS = 2;
/** Maximum number of a city's points on its map: a city is a few dots wide. */
export const MAX_POINTS_OF_CITY = 12;

export interface Surroundings {
  /** The linked parts of an area with several; empty for other places. */
  readonly parts: readonly MapDot[];
  /** The cities near a place that has codes and not several parts. */
  readonly cities: readonly NearEntry[];
  /** The codes near a place that has no code. */
  readonly codes: readonly NearEntry[];
}

export function readAroundPlace(
  snapshot: Snapshot,
  { country, number, chain, place, summary }: PlaceDetails,
): Surroundings {
  const { structures } = country;
  if (summary === undefined) {
    const codes = listNearCodes(snapshot, country, readPointField(structures, number), undefined);
    return { parts: [], cities: [], codes };
  }
  const parts = chain.city === undefined ? dotsWithin(country, childRange(structures.tree, number), place.name) : [];
  if (parts.length >= LEAST_PARTS) return { parts, cities: [], codes: [] };
  const own = chain.city ?? (isLocalityAt(citiesOf(structures), number) ? number : undefined);
  return { parts: [], cities: listNearCities(snapshot, country, place, own), codes: [] };
}

export function placeMap(
  snapshot: Snapshot,
  { country, number, place, rows }: PlaceDetails,
  around: Surroundings,
): Html {
  const { structures } = country;
  const { parts, cities, codes } = around;
  if (parts.length > 0) {
    const faint = sampleWithin(country, childRange(structures.tree, number));
    const caption = html`<b dir="auto">${place.name}</b> and places in it.`;
    return drawPageMap(snapshot, { countries: [country], dots: parts, faint, caption });
  }
  const own = rows.length > 1 ? pointsOf(country, rows) : [readPointField(structures, number)];
  const dots = codes.length > 0 ? codeDotsAround(codes) : cityDotsAround(cities);
  const caption = html`<b dir="auto">${place.name}</b>${dots.length > 0 && ` and the ${codes.length > 0 ? 'postal codes' : 'places'} around it`}.`;
  const request = { countries: [country], centre: place, own, ownName: place.name, dots, caption };
  return drawPageMap(snapshot, request);
}

function pointsOf({ structures }: CoveredCountry, rows: readonly number[]): ReturnType<typeof readPointField>[] {
  const step = Math.ceil(rows.length / MAX_POINTS_OF_CITY);
  return rows.filter((_, at) => at % step === 0).map((row) => readPointField(structures, row));
}

/**
 * The codes nearest to a place without a code, with their places: for a city that the release has only in parts, the
 * codes of its parts. A link leads to all codes of the country.
 */
export function nearestCodes({ country }: PlaceDetails, { codes }: Surroundings): Content {
  const list = html`${nearCodes(codes)}
<p class="more"><a href="${browsePath(country, '')}">All postal codes of ${inSentence(country.entry.name)}</a></p>`;
  return section('codes', 'Nearest postal codes', codes.length > 0 && list);
}

/** The cities nearest to a city with codes; for a unit with several cities, its sibling units. */
export function aroundSection(details: PlaceDetails, { cities }: Surroundings): Content {
  const { country, number, chain, within } = details;
  const { structures } = country;
  const isCity = chain.city !== undefined || !isArea(structures, number);
  if (isCity) return section('nearest', 'Nearby', nearCities(cities));
  const siblings = listSiblings(structures, number);
  const heading = `Other ${termOfAll(country, [number, ...siblings]).many} in ${inSentence(within.at(-1)?.name ?? '')}`;
  return section('beside', heading, siblings.length > 0 && placeList(country, 'areas', siblings));
}

/** Areas with the same parent, the nearest ones in the order of names. */
function listSiblings(structures: CoveredCountry['structures'], number: number): number[] {
  const { areas } = childrenByKind(structures, parentOf(structures, number));
  const at = areas.indexOf(number);
  const start = Math.max(0, Math.min(at - SIBLING_COUNT / 2, areas.length - SIBLING_COUNT - 1));
  return areas.slice(start, start + SIBLING_COUNT + 1).filter((area) => area !== number);
}
