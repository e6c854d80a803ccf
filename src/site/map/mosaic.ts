/**
 * The ground of a map made of codes: the cell of each code in view (cells.ts), cut to land, below water, rivers, borders
 * and lines between states. Cells of the page's own code or place are strong, those of its city or unit are tinted, others
 * are pale. A cell leads to the page of its code. Where a map has too many codes, those that begin alike have one cell, which
 * leads to their list. Colours are the stylesheet's.
 */

import { readCityName } from '../../core/snapshot/city-name.js';
import { cityOfPlace } from '../../core/snapshot/place-cities.js';
import { escapeHtml } from '../html/html.js';
import type { CodePoint } from '../reading/codes-in-view.js';
import { browsePath, postcodePath } from '../reading/page-paths.js';
import { drawCells } from './cells.js';
import { clippedLines, clippedRings, closedPath, STEPS } from './clipped-paths.js';
import { type FeatureKind, packagedMapFeatures } from './map-features.js';
import type { MapWindow } from './map-window.js';
import { packagedOutlines, ringOf } from './outlines.js';

/** From the lowest layer to the uppermost. */
const CELL_KINDS = ['around', 'in', 'own'] as const;
export type CellKind = (typeof CELL_KINDS)[number];

/** Maximum number of cells: more have no room for a finger, and need more than 14 kB. */
const MAX_CELLS = { in: 320, around: 130 };
/** Maximum number of points with a cell: the borders of more are longer than 14 kB. */
const MAX_POINTS = 1_100;
/** Least side of the squares in units of which each has one point at most: a smaller cell can't be seen. */
const LEAST_APART = 2;
/** Share of the map's width and height around it from which points have cells, so that those at the edges are right. */
const OUTSIDE = 0.15;
/** Radius of the ground around the page's own points in steps. */
const OWN_GROUND = 30;
/** Width of the narrowest map with land, water and rivers, in km: most are right to 1 km. */
const LEAST_LAND_KM = 12;
/** Width of the narrowest map with features of the scale 1:50 million, in km. */
const LEAST_COARSE_KM = 200;
/** Width of the widest map with borders and lines between states, in km. */
export const MOST_BORDERS_KM = 8_000;
/** Maximum rank of the features on a map by its width in km. */
const MAX_RANK: readonly (readonly [number, number])[] = [
  [150, 9],
  [400, 7],
  [1_000, 5],
  [MOST_BORDERS_KM, 3],
  [Infinity, 0],
];

export interface MosaicRequest {
  /** The code of the page's country, to whose land its cells are cut. */
  readonly home: string;
  readonly window: MapWindow;
  readonly points: readonly CodePoint[];
  readonly kindOf: (point: CodePoint) => CellKind;
}

/** Cells as links, and what lies over them. */
export function drawMosaic(request: MosaicRequest): string {
  const { home, window, points, kindOf } = request;
  const apart = keepApart(points, window, kindOf);
  const cells = cellsByKind(apart, window);
  const layer = (kind: CellKind): string => `<g class="cells ${kind}">${cells[kind].join('')}</g>`;
  const urban = window.widthKm < LEAST_COARSE_KM ? '' : `<path class="urban" d="${featurePath('urban', window)}"/>`;
  const land = `<rect class="land" width="${window.width * STEPS}" height="${window.height * STEPS}"/>${urban}`;
  const mosaic = `<g class="mosaic" transform="scale(${1 / STEPS})">`;
  if (!(window.widthKm >= LEAST_LAND_KM)) return `${mosaic}${land}${layer('around')}${layer('in')}${layer('own')}</g>`;
  const outlines = packagedOutlines();
  const shore = clippedRings(outlines.ringsOf(home), window);
  // The smallest countries and islands have no outline.
  const cut = shore === '' ? 'land' : 'home';
  return (
    `<defs><path id="shore" d="${shore}"/>` +
    `<path id="abroad" d="${clippedRings(outlines.ringsBeside(home), window)}"/>` +
    '<clipPath id="home"><use href="#shore" clip-rule="evenodd"/></clipPath>' +
    `<clipPath id="own"><use href="#${cut === 'home' ? 'shore' : 'abroad'}" clip-rule="evenodd"/>${ownGround(apart)}</clipPath>` +
    '<clipPath id="land"><use href="#shore" clip-rule="evenodd"/><use href="#abroad" clip-rule="evenodd"/></clipPath></defs>' +
    `${mosaic}<g clip-path="url(#land)">${land}${layer('around')}</g><g clip-path="url(#${cut})">${layer('in')}</g>` +
    `${drawFeatures(window)}<g clip-path="url(#own)">${layer('own')}</g>` +
    '<g class="border"><use href="#abroad"/><use href="#shore"/></g></g>'
  );
}

/** The ground around the page's own points: a shore that is right to a kilometre could hide all of a small cell. */
function ownGround(points: readonly PlacedPoint[]): string {
  return points
    .filter(({ kind }) => kind === 'own')
    .map(({ x, y }) => `<circle cx="${Math.round(x * STEPS)}" cy="${Math.round(y * STEPS)}" r="${OWN_GROUND}"/>`)
    .join('');
}

/** Rivers, lakes and lines between states, as far as a map of this width shows them. */
export function drawFeatures(window: MapWindow): string {
  const hasStates = window.widthKm >= LEAST_COARSE_KM && window.widthKm <= MOST_BORDERS_KM;
  const states = hasStates ? `<path class="state" d="${featurePath('state', window)}"/>` : '';
  return `<path class="river" d="${featurePath('river', window)}"/><path class="lake" d="${featurePath('lake', window)}"/>${states}`;
}

function featurePath(kind: FeatureKind, window: MapWindow): string {
  const [, maxRank] = MAX_RANK.find(([km]) => !(window.widthKm > km)) as readonly [number, number];
  const features = packagedMapFeatures()[kind].filter(({ rank }) => rank <= maxRank);
  return kind === 'lake' || kind === 'urban' ? clippedRings(features, window) : clippedLines(features, window);
}

/** Points that have one cell. */
interface CellGroup {
  readonly kind: CellKind;
  readonly number: number;
  readonly first: CodePoint;
  /** Number of characters at the end of codes in which its codes differ. */
  readonly cut: number;
}

function cellsByKind(apart: readonly PlacedPoint[], window: MapWindow): Record<CellKind, string[]> {
  const cells: Record<CellKind, string[]> = { around: [], in: [], own: [] };
  const { groups, groupOf } = groupPoints(apart);
  const spots = Float64Array.from(apart.flatMap(({ x, y }) => [x * STEPS, y * STEPS]));
  const size = { width: window.width * STEPS, height: window.height * STEPS };
  const rings = drawCells(spots, groupOf, groups.length, size);
  for (const { kind, number, first, cut } of groups) {
    const path = (rings[number] as readonly (readonly number[])[])
      .filter((ring) => isVisible(ring, size))
      .map(closedPath)
      .join('');
    if (path === '') continue;
    const [href, title] = cut > 0 ? linkOfCodes(first, startOf(first.postcode, cut)) : linkOfCode(first);
    cells[kind].push(
      `<a href="${escapeHtml(href)}" tabindex="-1"><title>${escapeHtml(title)}</title><path d="${path}"/></a>`,
    );
  }
  return cells;
}

interface PlacedPoint {
  readonly x: number;
  readonly y: number;
  readonly point: CodePoint;
  readonly kind: CellKind;
}

/** One point for each square of the map and its margin, the page's own before others; of many points the squares are larger. */
function keepApart(points: readonly CodePoint[], window: MapWindow, kindOf: MosaicRequest['kindOf']): PlacedPoint[] {
  const [width, height] = [window.width * (1 + 2 * OUTSIDE), window.height * (1 + 2 * OUTSIDE)];
  const [left, top] = [window.width * OUTSIDE, window.height * OUTSIDE];
  const apart =
    points.length <= MAX_POINTS ? LEAST_APART : Math.max(LEAST_APART, Math.sqrt((width * height) / MAX_POINTS));
  const columns = Math.ceil(width / apart);
  // By number of the square.
  const kept = new Map<number, PlacedPoint>();
  for (const point of points) {
    const { x, y } = window.locate(point);
    const [column, row] = [Math.floor((x + left) / apart), Math.floor((y + top) / apart)];
    if (!(column >= 0 && column < columns && row >= 0 && y + top < height)) continue;
    const square = row * columns + column;
    const other = kept.get(square);
    if (other?.kind === 'own') continue;
    const kind = kindOf(point);
    if (other === undefined || CELL_KINDS.indexOf(kind) > CELL_KINDS.indexOf(other.kind)) {
      kept.set(square, { x, y, point, kind });
    }
  }
  return [...kept.values()];
}

/** The points by code, or, where a layer has too many codes, by all but their last characters. */
function groupPoints(points: readonly PlacedPoint[]): { groups: readonly CellGroup[]; groupOf: readonly number[] } {
  const cuts = { own: 0, in: cutFor(points, 'in'), around: cutFor(points, 'around') };
  const groups = new Map<string, CellGroup>();
  const groupOf = points.map(({ point, kind }) => {
    const key = keyOf(point, kind, cuts[kind]);
    const group = groups.get(key) ?? { kind, number: groups.size, first: point, cut: cuts[kind] };
    groups.set(key, group);
    return group.number;
  });
  return { groups: [...groups.values()], groupOf };
}

/** The least number of characters to leave out at the end of codes so that a layer has at most its share of cells. */
function cutFor(points: readonly PlacedPoint[], kind: 'in' | 'around'): number {
  const ofKind = points.filter((one) => one.kind === kind);
  for (let cut = 0; ; cut++) {
    const isShortest = ofKind.every(({ point }) => point.postcode.length <= cut + 1);
    const keys = new Set(ofKind.map(({ point }) => keyOf(point, kind, cut)));
    if (keys.size <= MAX_CELLS[kind] || isShortest) return cut;
  }
}

function keyOf({ country, postcode }: CodePoint, kind: CellKind, cut: number): string {
  return kind === 'own' ? kind : `${kind} ${country.number} ${startOf(postcode, cut)}`;
}

function startOf(postcode: string, cut: number): string {
  return postcode.slice(0, Math.max(1, postcode.length - cut)).trimEnd();
}

/** Whether the bounds of a ring on the drawing overlap the map. */
function isVisible(ring: readonly number[], { width, height }: { width: number; height: number }): boolean {
  const { west: left, east: right, south: top, north: bottom } = ringOf(Float64Array.from(ring));
  return right > 0 && left < width && bottom > 0 && top < height;
}

function linkOfCode({ country, place, postcode, codes }: CodePoint): [href: string, title: string] {
  const more = codes.length > 1 ? ` and ${codes.length - 1} more` : '';
  const city = readCityName(country.structures, cityOfPlace(country.structures, place));
  return [postcodePath(country, postcode), `${postcode}${more}, ${city}`];
}

function linkOfCodes({ country }: CodePoint, prefix: string): [href: string, title: string] {
  return [browsePath(country, prefix), `${prefix}…`];
}
