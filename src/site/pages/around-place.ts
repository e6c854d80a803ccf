/**
 * The neighbourhood of a page's place: its map, and the list of what is near it or of its sibling units. The map of an
 * area or a city with several parts shows the parts. Any other map of a city shows the cities nearest to it, that of a part
 * of a city the nearest codes.
 */

import type { Range } from '../../core/snapshot/array-bundle.js';
import { cityOf, membersOf } from '../../core/snapshot/place-cities.js';
import { readPointField } from '../../core/snapshot/place-fields.js';
import { childRange, isArea, parentOf, treeRangesBelow } from '../../core/snapshot/place-tree.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { Circle } from '../../core/snapshot/sphere.js';
import { nearCities, nearCodes } from '../components/near-lists.js';
import { placeList } from '../components/unit-children-list.js';
import { inSentence } from '../html/country-in-sentence.js';
import { type Content, type Html, html } from '../html/html.js';
import { section } from '../html/section.js';
import type { MapDot } from '../map/linked-dots.js';
import { dotsOfCity, dotsWithin, samplePlaces, sampleWithin } from '../map/map-dots.js';
import type { CellKind } from '../map/mosaic.js';
import { CELLS_CAPTION, drawPageMap, NEAR_SHOWN } from '../map/page-map.js';
import { type CodePoint, listCodePoints } from '../reading/codes-in-view.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import { listCitiesNearCity, listNearCities, listNearCodes, type NearEntry } from '../reading/near-cities-and-codes.js';
import { browsePath } from '../reading/page-paths.js';
import type { PlaceDetails } from '../reading/place-details.js';
import { childrenByKind, type UnitChildren } from '../reading/unit-children.js';
import { termOfAll } from '../reading/unit-terms.js';

const SIBLING_COUNT = 12;
/** Least number of parts that an area's map shows in place of what is around the area. */
const LEAST_PARTS = 2;
/** Maximum number of a city's points on its map: a city is a few dots wide. */
export const MAX_POINTS_OF_CITY = 12;
/** Maximum number of a city's units that its map names before towns. */
const MAX_NAMED_PARTS = 8;

export interface Surroundings {
  /** The units that the page lists as parts. */
  readonly areas: readonly number[];
  /** The linked parts of an area or a city with several; empty for other places. */
  readonly parts: readonly MapDot[];
  /** The cities near a city, or near a place that belongs to none. */
  readonly cities: readonly NearEntry[];
  /** The codes near a place that has no code, or belongs to a city. */
  readonly codes: readonly NearEntry[];
}

/** `children` are the places that the page lists. */
export function readAroundPlace(snapshot: Snapshot, details: PlaceDetails, children: UnitChildren): Surroundings {
  const { country, number, city, partOf, place, ranks, summary } = details;
  const { structures } = country;
  const point = readPointField(structures, number);
  const { areas } = children;
  const dots = isDivided(details)
    ? dotsWithin(country, childRange(structures.tree, number), place.name)
    : dotsOfCity(country, children, place.name);
  const parts = dots.length >= LEAST_PARTS ? dots : [];
  const isPart = partOf !== undefined && city === undefined;
  if (isDivided(details) && parts.length > 0) return { areas, parts, cities: [], codes: [] };
  if (summary === undefined || isPart) {
    return { areas, parts, cities: [], codes: listNearCodes(snapshot, country, point, ranks) };
  }
  const cities =
    number === city
      ? listCitiesNearCity(country, city, snapshot)
      : listNearCities(snapshot, country, point, city ?? number);
  return { areas, parts, cities, codes: [] };
}

/** Whether a place is a unit with several areas or cities. */
function isDivided({ country, number, chain }: PlaceDetails): boolean {
  return chain.city === undefined && isArea(country.structures.tree, number);
}

export function placeMap(snapshot: Snapshot, details: PlaceDetails, surroundings: Surroundings): Html {
  const { country, number, place, rows, city, partOf } = details;
  const { structures } = country;
  const { tree } = structures;
  const { parts, areas, cities, codes } = surroundings;
  const listPoints = (circle: Circle): readonly CodePoint[] => listCodePoints(snapshot, circle);
  const request = { countries: [country], ownName: place.name, caption: CELLS_CAPTION };
  if (isDivided(details)) {
    const below = treeRangesBelow(tree, number);
    const isIn = ({ country: other, place }: CodePoint): boolean => other === country && isInRanges(below, place);
    const cells = { listPoints, kindOf: (point: CodePoint): CellKind => (isIn(point) ? 'in' : 'around') };
    return drawPageMap(snapshot, {
      ...request,
      dots: [],
      faint: sampleWithin(country, childRange(tree, number)),
      cells,
    });
  }
  const own = readPointField(structures, number);
  const ownRows = new Set(partOf === undefined ? [] : rows);
  const whole = city ?? partOf;
  const listed = areas.flatMap((area) => treeRangesBelow(tree, area));
  const isIn = (place: number): boolean => cityOf(structures, place) === whole || isInRanges(listed, place);
  const kindOf = (point: CodePoint): CellKind => {
    if (point.country !== country) return 'around';
    return ownRows.has(point.place) ? 'own' : isIn(point.place) ? 'in' : 'around';
  };
  const near = codes.length > 0 ? codes : cities;
  const members = city === undefined ? [] : [city, ...membersOf(structures, city), ...listed.flatMap(placesOf)];
  const faint = members.length > 1 ? samplePlaces(country, members) : [own, ...near.slice(0, NEAR_SHOWN)];
  const dots = areas.length > 0 ? parts.slice(0, MAX_NAMED_PARTS) : [];
  const cells = { listPoints, kindOf, except: whole };
  return drawPageMap(snapshot, { ...request, own: [own], dots, faint, cells });
}

function isInRanges(ranges: readonly Range[], place: number): boolean {
  return ranges.some(({ start, end }) => place >= start && place < end);
}

function placesOf({ start, end }: Range): number[] {
  return Array.from({ length: end - start }, (_, at) => start + at);
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

/** The cities nearest to a city; for a district, or a unit with several cities, its siblings; for another part, codes. */
export function aroundSection(details: PlaceDetails, { cities, codes }: Surroundings): Content {
  const { country, number, partOf, summary, within } = details;
  const { structures } = country;
  const isDistrict = partOf !== undefined && isArea(structures.tree, number);
  if (cities.length > 0) return section('nearest', 'Nearby', nearCities(cities));
  if (!isDivided(details) && !isDistrict) {
    return summary !== undefined && section('nearest', 'Nearest codes', nearCodes(codes));
  }
  const siblings = listSiblings(structures, number);
  const heading = `Other ${termOfAll(country, [number, ...siblings]).many} in ${inSentence(within.at(-1)?.name ?? '')}`;
  return section('beside', heading, siblings.length > 0 && placeList(country, 'areas', siblings));
}

/** Areas with the same parent, the nearest ones in the order of names. */
function listSiblings(structures: CoveredCountry['structures'], number: number): number[] {
  const { areas } = childrenByKind(structures, parentOf(structures.tree, number));
  const at = areas.indexOf(number);
  const start = Math.max(0, Math.min(at - SIBLING_COUNT / 2, areas.length - SIBLING_COUNT - 1));
  return areas.slice(start, start + SIBLING_COUNT + 1).filter((area) => area !== number);
}
