/**
 * What is around and in the place of a page: its map, and the list of cities near it or of units beside it. An area with
 * several parts is shown with these on its map, and any other place with the cities or codes nearest to it.
 */
import { readPoint } from '../../store/place-fields.js';
import { childRange } from '../../store/place-tree.js';
import { browsePath } from '../addresses.js';
import { inSentence } from '../html/country-name.js';
import { type Content, type Html, html } from '../html/html.js';
import { nearCities, nearCodes } from '../html/near-list.js';
import { placeList } from '../html/part-list.js';
import { section } from '../html/place-parts.js';
import type { MapDot } from '../map/map-dot.js';
import { drawPlaceMap, drawSurroundings } from '../map/place-map.js';
import { citiesOf, isArea, isLocalityAt, parentOf } from '../reading/country-cities.js';
import { citiesAround, codesAround, dotsWithin, sampleWithin } from '../reading/map-dots.js';
import { listNearCities, listNearCodes, type NearEntry } from '../reading/near-places.js';
import { partsOf } from '../reading/unit-parts.js';
import { termOfAll } from '../reading/unit-terms.js';
import type { CoveredCountry } from '../site-snapshot.js';
import type { PlaceSubject } from './place-subject.js';

const SIBLING_COUNT = 12;
/** Number of parts from which on an area's map shows its parts. */
const LEAST_PARTS = 2;
/** Maximum number of a city's points on its map: a city is a few dots wide. */
const MAX_POINTS_OF_CITY = 12;

export interface Surroundings {
  /** The linked parts of an area with several; empty for other places. */
  readonly parts: readonly MapDot[];
  /** The cities near a place that has codes and not several parts. */
  readonly cities: readonly NearEntry[];
  /** The codes near a place that has no code. */
  readonly codes: readonly NearEntry[];
}

export function readSurroundings({ context, country, number, chain, place, summary }: PlaceSubject): Surroundings {
  const { data } = context;
  const { structures } = country;
  if (summary === undefined) {
    const codes = listNearCodes(data, country, readPoint(structures, number), undefined);
    return { parts: [], cities: [], codes };
  }
  const parts = chain.city === undefined ? dotsWithin(country, childRange(structures.tree, number), place.name) : [];
  if (parts.length >= LEAST_PARTS) return { parts, cities: [], codes: [] };
  const own = chain.city ?? (isLocalityAt(citiesOf(structures), number) ? number : undefined);
  return { parts: [], cities: listNearCities(data, country, place, own), codes: [] };
}

export function placeMap({ context, country, number, place, rows }: PlaceSubject, around: Surroundings): Html {
  const { structures } = country;
  const { parts, cities, codes } = around;
  if (parts.length > 0) {
    const faint = sampleWithin(country, childRange(structures.tree, number));
    const caption = html`<b dir="auto">${place.name}</b> and places in it.`;
    return drawPlaceMap(context.data, { countries: [country], extent: faint, dots: parts, faint, caption });
  }
  const own = rows.length > 1 ? pointsOf(country, rows) : [readPoint(structures, number)];
  const dots = codes.length > 0 ? codesAround(codes) : citiesAround(cities);
  const caption = html`<b dir="auto">${place.name}</b>${dots.length > 0 && ` and the ${codes.length > 0 ? 'postal codes' : 'places'} around it`}.`;
  return drawSurroundings(context.data, country, place, own, place.name, dots, caption);
}

function pointsOf({ structures }: CoveredCountry, rows: readonly number[]): ReturnType<typeof readPoint>[] {
  const step = Math.ceil(rows.length / MAX_POINTS_OF_CITY);
  return rows.filter((_, at) => at % step === 0).map((row) => readPoint(structures, row));
}

/**
 * The codes nearest to a place without one, with their places: of a city that the release has only in parts, those of
 * its parts. The country's codes are a link further.
 */
export function nearestCodes({ country }: PlaceSubject, { codes }: Surroundings): Content {
  const list = html`${nearCodes(codes)}
<p class="more"><a href="${browsePath(country, '')}">All postal codes of ${inSentence(country.entry.name)}</a></p>`;
  return section('codes', 'Nearest postal codes', codes.length > 0 && list);
}

/** The cities nearest to a city with codes; of a unit with several cities, the units beside it. */
export function aroundSection(subject: PlaceSubject, { cities }: Surroundings): Content {
  const { country, number, chain, within } = subject;
  const { structures } = country;
  const isCity = chain.city !== undefined || !isArea(structures, number);
  if (isCity) return section('nearest', 'Nearby', nearCities(cities));
  const siblings = listSiblings(structures, number);
  const heading = `Other ${termOfAll(country, [number, ...siblings]).many} in ${inSentence(within.at(-1)?.name ?? '')}`;
  return section('beside', heading, siblings.length > 0 && placeList(country, 'areas', siblings));
}

/** The areas with the same parent, those around it in the order of names. */
function listSiblings(structures: CoveredCountry['structures'], number: number): number[] {
  const { areas } = partsOf(structures, parentOf(structures, number));
  const at = areas.indexOf(number);
  const start = Math.max(0, Math.min(at - SIBLING_COUNT / 2, areas.length - SIBLING_COUNT - 1));
  return areas.slice(start, start + SIBLING_COUNT + 1).filter((area) => area !== number);
}
