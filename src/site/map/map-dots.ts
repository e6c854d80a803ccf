/**
 * The dots of a map: the cities or codes around a place, or the places in an area. No two dots share a name: the first
 * of several places with one name has the dot, and a place with the name of its area is called by its postal code.
 */

import { codeRanksOf, isRecipientAt } from '../../core/lookup/code-ranks.js';
import type { Range } from '../../core/snapshot/array-bundle.js';
import { readListFields, readPointField } from '../../core/snapshot/place-fields.js';
import { childRange, LEVEL_COUNT } from '../../core/snapshot/place-tree.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';
import type { Position } from '../../core/snapshot/sphere.js';
import { formatKm } from '../html/formats.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import type { NearEntry } from '../reading/near-cities-and-codes.js';
import { countryPath } from '../reading/page-paths.js';
import type { UnitChildren } from '../reading/unit-children.js';
import type { MapDot } from './linked-dots.js';

/** Maximum number of linked dots of an area: all states of the US. */
const MAX_PARTS = 60;
/** Maximum number of linked dots of leaves: with 60, Hamburg's page has 40 kB. */
const MAX_LEAVES = 40;
/** Maximum number of siblings that are compared by their size. */
const MAX_COMPARED = 500;
/** Number of points that show where an area lies: reading one costs 0.5 µs. */
const SAMPLE_SIZE = 200;
/** Share of the points on each side that are left out if they lie beyond the others by REACH times the others' span. */
const FAR_SHARE = 0.03;
const REACH = 0.4;

/** The cities nearest to the page's place. */
export function cityDotsAround(near: readonly NearEntry[]): readonly MapDot[] {
  return near.map(({ name, path, postalCode, latitude, longitude, distanceKm, abroad }) => ({
    ...{ name, href: path, latitude, longitude },
    detail: `${postalCode}, ${abroad === undefined ? '' : `${abroad}, `}${formatKm(distanceKm)}`,
  }));
}

/** The codes nearest to the page's point. A code of two countries has one dot, for the nearer. */
export function codeDotsAround(near: readonly NearEntry[], format = formatKm): readonly MapDot[] {
  const dots: MapDot[] = [];
  for (const { name, path, postalCode, latitude, longitude, distanceKm, abroad } of near) {
    if (dots.some((dot) => dot.name === postalCode)) continue;
    const detail = `${name}, ${abroad === undefined ? '' : `${abroad}, `}${format(distanceKm)}`;
    dots.push({ name: postalCode, href: path, detail, latitude, longitude });
  }
  return dots;
}

/**
 * The dots of siblings: areas, those with the most children first, or a sample of the leaves. A single area is replaced
 * by the places in it.
 */
export function dotsWithin(country: CoveredCountry, siblings: Range, ownName: string): readonly MapDot[] {
  return dotsOf(country, chooseParts(country.structures, siblings, LEVEL_COUNT), ownName);
}

/** The dots of the parts of a city: its areas, and a sample of its localities. */
export function dotsOfCity(
  country: CoveredCountry,
  { areas, cities }: UnitChildren,
  ownName: string,
): readonly MapDot[] {
  const sampled = sample({ start: 0, end: cities.length }, Math.max(0, MAX_LEAVES - areas.length));
  const shown = [...areas.slice(0, MAX_PARTS), ...sampled.map((at) => cities[at] as number)];
  return dotsOf(country, shown, ownName);
}

function dotsOf(country: CoveredCountry, places: readonly number[], ownName: string): readonly MapDot[] {
  const { structures } = country;
  const dots = new Map<string, MapDot>();
  for (const place of places) {
    const { name, path, postalCode } = readListFields(structures, place);
    const shown = name === ownName && postalCode !== null ? postalCode : name;
    if (dots.has(shown)) continue;
    const detail = shown === name && postalCode !== null ? { detail: postalCode } : {};
    dots.set(shown, {
      name: shown,
      href: countryPath(country) + path,
      ...detail,
      ...readPointField(structures, place),
    });
  }
  return [...dots.values()];
}

/**
 * Leaves out recipients. `levels` is the number of levels to go down at most: in a damaged file a range can lead back
 * to itself.
 */
function chooseParts(structures: CountryStructures, siblings: Range, levels: number): readonly number[] {
  const { tree } = structures;
  const sizeOf = (place: number): number => {
    const { start, end } = childRange(tree, place);
    return end - start;
  };
  // A sample, since a country has up to 100,000 places at one level.
  const ranks = codeRanksOf(structures);
  const compared = sample(siblings, MAX_COMPARED).filter((place) => !isRecipientAt(ranks, place));
  const areas = compared.filter((place) => sizeOf(place) > 0).sort((a, b) => sizeOf(b) - sizeOf(a) || a - b);
  const [area, another] = areas;
  if (area !== undefined && another === undefined && levels > 1) {
    return chooseParts(structures, childRange(tree, area), levels - 1);
  }
  if (areas.length > 0) return areas.slice(0, MAX_PARTS);
  return sample({ start: 0, end: compared.length }, MAX_LEAVES).map((at) => compared[at] as number);
}

/** Points that show where these places lie, without those far out, which are mistakes or islands. */
export function samplePlaces(
  { structures }: CoveredCountry,
  ranges: readonly Range[],
  members: ArrayLike<number>,
): readonly Position[] {
  const rangeCount = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  const sampled = sample({ start: 0, end: rangeCount + members.length }, SAMPLE_SIZE);
  let [passed, at] = [0, 0];
  const places = sampled.map((index) => {
    if (index >= rangeCount) return members[index - rangeCount] as number;
    // Samples ascend.
    for (let range = ranges[at] as Range; index >= passed + range.end - range.start; range = ranges[++at] as Range)
      passed += range.end - range.start;
    return (ranges[at] as Range).start + index - passed;
  });
  return withoutFar(places.map((place) => readPointField(structures, place)));
}

function withoutFar(points: readonly Position[]): readonly Position[] {
  const [first] = points;
  if (first === undefined) return [];
  const isLatitudeNear = nearTest(points.map(({ latitude }) => latitude));
  const isEastNear = nearTest(points.map(({ longitude }) => eastFrom(first.longitude, longitude)));
  return points.filter(
    ({ latitude, longitude }) => isLatitudeNear(latitude) && isEastNear(eastFrom(first.longitude, longitude)),
  );
}

/** Degrees from -180 to 180. */
function eastFrom(from: number, longitude: number): number {
  return ((((longitude - from + 180) % 360) + 360) % 360) - 180;
}

function nearTest(values: readonly number[]): (value: number) => boolean {
  const sorted = Float64Array.from(values).sort();
  const skipped = Math.ceil(sorted.length * FAR_SHARE);
  const [low, high] = [sorted[skipped] ?? 0, sorted[sorted.length - 1 - skipped] ?? 0];
  const reach = sorted.length * FAR_SHARE < 1 ? Infinity : (high - low) * REACH;
  return (value) => value >= low - reach && value <= high + reach;
}

/** At most `limit` numbers of a range, at even distances. */
function sample({ start, end }: Range, limit: number): number[] {
  const count = Math.max(0, Math.min(end - start, limit));
  return Array.from({ length: count }, (_, at) => start + Math.floor((at * (end - start)) / count));
}
