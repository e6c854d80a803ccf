/**
 * The dots of a map: the cities or codes around a place, or the places in an area. Every dot has a name of its own: of
 * places with one name the first has it, and a place in an area of its own name is called by its postal code.
 */

import { citiesOf, isRecipientAt } from '../../core/lookup/cities.js';
import type { Range } from '../../core/snapshot/array-bundle.js';
import { readEntry, readPoint } from '../../core/snapshot/place-fields.js';
import { childRange, deepestRange, LEVEL_COUNT } from '../../core/snapshot/place-tree.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';
import type { Position } from '../../core/snapshot/sphere.js';
import { countryPath } from '../addresses.js';
import { escapeHtml } from '../html/html.js';
import { formatKm } from '../html/place-parts.js';
import type { NearEntry } from '../reading/near-cities.js';
import type { CoveredCountry } from '../site-snapshot.js';
import type { DrawnDot, MapDot } from './dot-labels.js';

/** Maximum number of linked dots of an area: all states of the US. */
const MAX_PARTS = 60;
/** Maximum number of linked dots of leaves, which are some of many: with 60, Hamburg's page has 40 kB. */
const MAX_LEAVES = 40;
/** Maximum number of siblings that are compared by their size. */
const MAX_COMPARED = 500;
/** Number of points that show where an area lies: reading one costs 0.5 µs. */
const SAMPLE_SIZE = 100;
/** Share of the points on each side that lie far out where they are beyond the others by REACH of the others' span. */
const FAR_SHARE = 0.03;
const REACH = 0.4;

/** The cities nearest to the page's place. */
export function citiesAround(near: readonly NearEntry[]): readonly MapDot[] {
  return near.map(({ name, path, postalCode, latitude, longitude, distanceKm, abroad }) => ({
    ...{ name, href: path, latitude, longitude },
    detail: `${postalCode}, ${abroad === undefined ? '' : `${abroad}, `}${formatKm(distanceKm)}`,
  }));
}

/** The codes nearest to the page's point. Of one code in two countries the nearer has a dot. */
export function codesAround(near: readonly NearEntry[], format = formatKm): readonly MapDot[] {
  const dots: MapDot[] = [];
  for (const { name, path, postalCode, latitude, longitude, distanceKm, abroad } of near) {
    if (dots.some((dot) => dot.name === postalCode)) continue;
    const detail = `${name}, ${abroad === undefined ? '' : `${abroad}, `}${format(distanceKm)}`;
    dots.push({ name: postalCode, href: path, detail, latitude, longitude });
  }
  return dots;
}

/**
 * The dots of siblings: of areas, those with the most children first; of many leaves some of all. Where there is one
 * area only, its parts are shown.
 */
export function dotsWithin(country: CoveredCountry, siblings: Range, ownName: string): readonly MapDot[] {
  const { structures } = country;
  const dots = new Map<string, MapDot>();
  for (const place of chooseParts(structures, siblings, LEVEL_COUNT)) {
    const { name, path, postalCode } = readEntry(structures, place);
    const shown = name === ownName && postalCode !== null ? postalCode : name;
    if (dots.has(shown)) continue;
    const detail = shown === name && postalCode !== null ? { detail: postalCode } : {};
    dots.set(shown, { name: shown, href: countryPath(country) + path, ...detail, ...readPoint(structures, place) });
  }
  return [...dots.values()];
}

/**
 * Recipients are no parts of an area. `levels` is the number of levels that are left: in a damaged file a range can lead
 * back to itself.
 */
function chooseParts(structures: CountryStructures, siblings: Range, levels: number): readonly number[] {
  const { tree } = structures;
  const sizeOf = (place: number): number => {
    const { start, end } = childRange(tree, place);
    return end - start;
  };
  // More are compared at even distances only: a country has up to 100,000 places at one level.
  const cities = citiesOf(structures);
  const compared = sample(siblings, MAX_COMPARED).filter((place) => !isRecipientAt(cities, place));
  const areas = compared.filter((place) => sizeOf(place) > 0).sort((a, b) => sizeOf(b) - sizeOf(a) || a - b);
  const [area, another] = areas;
  if (area !== undefined && another === undefined && levels > 1) {
    return chooseParts(structures, childRange(tree, area), levels - 1);
  }
  if (areas.length > 0) return areas.slice(0, MAX_PARTS);
  return sample({ start: 0, end: compared.length }, MAX_LEAVES).map((at) => compared[at] as number);
}

/** Points that show where an area lies, without those far out, whose coordinates are mistakes or islands. */
export function sampleWithin({ structures }: CoveredCountry, siblings: Range): readonly Position[] {
  const leaves = deepestRange(structures.tree, siblings);
  const points = sample(leaves, SAMPLE_SIZE).map((place) => readPoint(structures, place));
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

/** At most `limit` of a range, at even distances. */
function sample({ start, end }: Range, limit: number): number[] {
  const count = Math.max(0, Math.min(end - start, limit));
  return Array.from({ length: count }, (_, at) => start + Math.floor((at * (end - start)) / count));
}

/* A map in words, for readers who can't see it: its dots by their direction from the middle, in their order. */

const NAMES = [
  'North',
  'North-east',
  'East',
  'South-east',
  'South',
  'South-west',
  'West',
  'North-west',
  'In the middle',
];
const MIDDLE = 8;
/** Distance to the middle of the map below which a dot has no direction, in units. */
const CENTRAL = 12;

/** As markup. */
export function describeDots(dots: readonly DrawnDot[], middleX: number, middleY: number): string {
  if (dots.length === 0) return '';
  const found: string[] = [];
  for (const { dot, x, y } of dots) {
    const [east, north] = [x - middleX, middleY - y];
    const isCentral = Math.abs(east) < CENTRAL && Math.abs(north) < CENTRAL;
    const direction = isCentral ? MIDDLE : (Math.round(Math.atan2(east, north) / (Math.PI / 4)) + 8) % 8;
    const text = dot.number === undefined ? dot.name : `${dot.number} ${dot.name}`;
    const others = found[direction];
    found[direction] = others === undefined ? text : `${others}, ${text}`;
  }
  let text = '<details><summary>The map in words</summary><dl>';
  for (const [at, names] of found.entries())
    if (names !== undefined) text += `<dt>${NAMES[at]}</dt><dd dir="auto">${escapeHtml(names)}</dd>`;
  return `${text}</dl></details>`;
}
