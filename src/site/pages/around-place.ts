/**
 * The neighbourhood of a page's place: its map, and the list of what is near it or of its sibling units. The map of an
 * area or a city with several parts shows the parts. Any other map of a city shows the cities nearest to it, that of a part
 * of a city the nearest codes.
 */

import { cityOf, membersOf } from '../../core/snapshot/place-cities.js';
import { readListFields, readPointField } from '../../core/snapshot/place-fields.js';
import { isArea, parentOf, treeRangesBelow } from '../../core/snapshot/place-tree.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { nearCities, nearCodes } from '../components/near-lists.js';
import { placeList } from '../components/unit-children-list.js';
import { inSentence } from '../html/country-in-sentence.js';
import { type Content, type Html, html } from '../html/html.js';
import { section } from '../html/section.js';
import type { MapDot } from '../map/linked-dots.js';
import { windowOf } from '../map/map-window.js';
import type { CellKind } from '../map/mosaic.js';
import { CELLS_CAPTION, drawPageMap, LONELY_KM, MOSAIC_SIZE, NEAR_SHOWN } from '../map/page-map.js';
import { samplePlaces } from '../map/sampled-places.js';
import { type CodePoint, listCodePoints } from '../reading/codes-in-view.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import { listCitiesNearCity, listNearCities, listNearCodes, type NearEntry } from '../reading/near-cities-and-codes.js';
import { browsePath, countryPath } from '../reading/page-paths.js';
import type { PlaceDetails } from '../reading/place-details.js';
import { childrenByKind, type UnitChildren } from '../reading/unit-children.js';
import { termOfAll } from '../reading/unit-terms.js';

const SIBLING_COUNT = 12;
/** Width of the narrowest map of a place with others near it, in km: some villages or quarters. */
const LEAST_KM = 12;
/** Likewise of a unit. */
const LEAST_UNIT_KM = 25;
/** Number of points up to which a unit is shown with what is near it. */
const FEW_POINTS = 4;
/** Maximum number of a city's units that its map names before towns. */
const MAX_NAMED_PARTS = 8;

export interface Surroundings {
  /** The units that the page lists as parts. */
  readonly areas: readonly number[];
  /** The cities near a city, or near a place that belongs to none. */
  readonly cities: readonly NearEntry[];
  /** The codes near a place that has no code, or belongs to a city. */
  readonly codes: readonly NearEntry[];
}

/** `children` are the places that the page lists. */
export function readAroundPlace(snapshot: Snapshot, details: PlaceDetails, children: UnitChildren): Surroundings {
  const { country, number, city, partOf, ranks, summary } = details;
  const { structures } = country;
  const point = readPointField(structures, number);
  const { areas } = children;
  const isPart = partOf !== undefined && city === undefined;
  if (city === undefined && isDivided(details) && areas.length + children.cities.length > 0)
    return { areas, cities: [], codes: [] };
  if (summary === undefined || isPart) {
    return { areas, cities: [], codes: listNearCodes(snapshot, country, point, ranks) };
  }
  const cities =
    city !== undefined && (number === city || isDivided(details))
      ? listCitiesNearCity(country, city, snapshot)
      : listNearCities(snapshot, country, point, city ?? number);
  return { areas, cities, codes: [] };
}

/** Whether a place is a unit with several areas or cities. */
function isDivided({ country, number, chain }: PlaceDetails): boolean {
  return chain.city === undefined && isArea(country.structures.tree, number);
}

export function placeMap(snapshot: Snapshot, details: PlaceDetails, surroundings: Surroundings): Html {
  const { country, number, name, rows, city, partOf } = details;
  const { structures } = country;
  const { tree } = structures;
  const { areas, cities, codes } = surroundings;
  const isUnit = isDivided(details);
  const whole = city ?? partOf;
  const ownRows = new Set(partOf === undefined ? [] : rows);
  const ranges = (isUnit ? [number] : areas).flatMap((unit) => treeRangesBelow(tree, unit));
  const isIn = (one: number): boolean =>
    ranges.some(({ start, end }) => one >= start && one < end) ||
    (whole !== undefined && cityOf(structures, one) === whole);
  const kindOf = (point: CodePoint): CellKind =>
    point.country !== country ? 'around' : ownRows.has(point.place) ? 'own' : isIn(point.place) ? 'in' : 'around';
  const members = city === undefined ? [] : membersOf(structures, city);
  const own = readPointField(structures, number);
  const isNamed = !isUnit || city !== undefined;
  const sampled = samplePlaces(country, ranges, members);
  // In a damaged file no sample may have a position.
  const within = [...(isNamed || sampled.length === 0 ? [own] : []), ...sampled];
  // A city that is a unit fills its map, unless its codes share a few points.
  const isLarge =
    isUnit && new Set(within.map(({ latitude, longitude }) => `${latitude} ${longitude}`)).size > FEW_POINTS;
  const near = isLarge ? [] : (codes.length > 0 ? codes : cities).slice(0, NEAR_SHOWN);
  const leastKm = isUnit ? LEAST_UNIT_KM : near.length > 0 ? LEAST_KM : LONELY_KM;
  return drawPageMap(snapshot, {
    country,
    ...(isNamed ? { own: { name, ...own } } : {}),
    window: windowOf([...within, ...near], { ...MOSAIC_SIZE, leastKm }),
    dots: city === undefined ? [] : areas.slice(0, MAX_NAMED_PARTS).map((area) => dotOf(country, area)),
    caption: CELLS_CAPTION,
    cells: { kindOf, listPoints: (circle) => listCodePoints(snapshot, circle), except: whole },
  });
}

function dotOf(country: CoveredCountry, place: number): MapDot {
  const { name, path } = readListFields(country.structures, place);
  return { name, href: countryPath(country) + path, ...readPointField(country.structures, place) };
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
