/**
 * The map of a page: linked dots that show their names when a reader points at them or reaches them by keyboard, the
 * page's own place, a scale bar, and the country in a corner with the window on it. It needs no script.
 */

import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { Circle, Position } from '../../core/snapshot/sphere.js';
import { formatNumber } from '../html/formats.js';
import { type Content, Html, html } from '../html/html.js';
import type { CodePoint } from '../reading/codes-in-view.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import { listTowns } from '../reading/largest-cities.js';
import { countryMapOf } from './country-map.js';
import { drawLabel, drawLabelOver, type LabelBox, labelBoxOver, placeLabels } from './dot-labels.js';
import { drawGround } from './ground.js';
import { countryImage } from './light-figures.js';
import { type DrawnDot, drawLinkedDot, type MapDot } from './linked-dots.js';
import { describeDots } from './map-in-words.js';
import type { MapSpot, MapWindow } from './map-window.js';
import { drawMosaic, type MosaicRequest } from './mosaic.js';
import { shorten, shortenLabels } from './short-labels.js';

export interface PageMapRequest {
  /** Shown in a corner. */
  readonly country?: CoveredCountry | undefined;
  readonly window: MapWindow;
  /** A part of the map that is marked. */
  readonly part?: MapWindow | undefined;
  /** The page's own place, marked. */
  readonly own?: Position & { readonly name: string };
  /** The most important first: their names are shown where there is room. */
  readonly dots: readonly MapDot[];
  /** Points without a link, drawn faintly. */
  readonly faint?: readonly Position[];
  /** Makes a mosaic of codes, with the largest towns in view named, in place of outlines and dots of its own. */
  readonly cells?: {
    readonly kindOf: MosaicRequest['kindOf'];
    readonly listPoints: (circle: Circle) => readonly CodePoint[];
    /** Left out of the towns: the city that has the page's name. */
    readonly except?: number | undefined;
  };
  readonly caption: Content;
}

/** Width and height of a drawing in units, each a pixel on a wide screen. */
export const WIDTH = 400;
export const HEIGHT = 330;
/** Width of the map of a place with no other near it, in km: wide enough for the outline. */
export const LONELY_KM = 250;
/** Least distance of two linked dots, in units: fingers need to tell them apart. */
const LEAST_DISTANCE = 12;
/** The size of a mosaic. Cells reach beyond the outermost points, so these have more space around them. */
export const MOSAIC_SIZE = { width: WIDTH, height: HEIGHT, margin: 64 };
/** Number of the nearest codes or cities that the mosaic of a place shows at least. */
export const NEAR_SHOWN = 8;
export const CELLS_CAPTION =
  'Areas are estimated: each is what lies nearer to the point of its code than to any other.';
/** Maximum number of towns that a map names beside its dots, and width of the widest such map without cells, in km. */
const MAX_TOWNS = 6;
const MOST_TOWNS_KM = 700;
/** Least distance of a town from the edges of the map, in units. */
const DOT_ROOM = 8;
/** Distance below which a town and a unit are one place under two names, as Brooklyn and Kings County, in units. */
const SAME_PLACE = 30;

/** Maximum length of the scale bar, and its distance from the lower left corner, in units. */
const MAX_BAR = 90;
/** Width of the widest map with a scale, in km: further from the middle of a wider one the scale is another. */
const MOST_TO_SCALE_KM = 6_000;
const BAR_MARGIN = 10;
/** Length of the corner map's longer side, and its distance from the edges of the map, in units. */
const CORNER_SIZE = 84;
const CORNER_MARGIN = 6;
/** Least side of the mark of the window on the corner map, in units of the country's. */
const LEAST_MARK = 24;
/** Least side of the mark of a part of the map, in units. */
const LEAST_VIEW = 12;

export function drawPageMap(snapshot: Snapshot, request: PageMapRequest): Html {
  const { window, own, faint = [], caption, cells, part } = request;
  const { height } = window;
  const partBox = part && boxOfPart(part, window);
  const hasTowns = cells !== undefined || window.widthKm <= MOST_TOWNS_KM;
  const dots = hasTowns ? withTowns(snapshot, request) : request.dots;
  const ownSpot = own && window.find(own);
  const faintSpots = spotsOf(faint, window);
  const shown = [...(ownSpot ? [ownSpot] : []), ...faintSpots, ...spotsOf(dots, window)];
  const corner = placeCorner(snapshot, request, shown);
  const drawn = spread(dots, window, ownSpot, corner?.box);
  const isToScale = window.widthKm <= MOST_TO_SCALE_KM;
  const text =
    `<svg class="drawing" viewBox="0 0 ${WIDTH} ${height}" role="group" aria-label="Map">${groundOf(request)}` +
    (partBox ? drawView(partBox) : '') +
    pathOf('faint', faintSpots) +
    drawDots(drawn, ownSpot, request, [corner?.box, partBox]) +
    (isToScale ? drawScaleBar(window) : '') +
    (corner?.drawing ?? '') +
    '</svg>';
  return html`<figure class="map">
${new Html(text)}
<figcaption>${caption}${isToScale && ` The map is ${formatWidth(window.widthKm)} wide.`}${new Html(describeDots(drawn, WIDTH / 2, height / 2))}</figcaption>
</figure>`;
}

function formatWidth(km: number): string {
  return `${km < 10 ? km.toFixed(1) : formatNumber(Math.round(km))} km`;
}

function spotsOf(points: readonly Position[], window: MapWindow): readonly MapSpot[] {
  return points.map((point) => window.find(point)).filter((spot) => spot !== undefined);
}

function groundOf({ country, cells, window }: PageMapRequest): string {
  if (cells === undefined) return drawGround(window);
  const home = country?.entry.code ?? '';
  return drawMosaic({ home, window, points: cells.listPoints(circleOf(window)), kindOf: cells.kindOf });
}

/** The circle around a window. */
function circleOf({ centre, width, height, kmPerUnit }: MapWindow): Circle {
  return { lat: centre.latitude, lng: centre.longitude, radiusKm: (Math.hypot(width, height) / 2) * kmPerUnit };
}

/**
 * Of a mosaic the largest towns in view, then the page's dots elsewhere; of other maps the dots, then towns of other
 * names.
 */
function withTowns(snapshot: Snapshot, { dots, cells, own, window }: PageMapRequest): readonly MapDot[] {
  const isFree = (town: Position & { readonly place: number }): boolean => {
    const { x, y } = window.locate(town);
    const isShown =
      Math.min(x, WIDTH - x) > DOT_ROOM && Math.min(y, HEIGHT - y) > DOT_ROOM && !isIn(barBox(HEIGHT), { x, y });
    return isShown && town.place !== cells?.except;
  };
  const towns = listTowns(snapshot, circleOf(window), MAX_TOWNS, isFree)
    .filter(({ name }) => name !== own?.name)
    .map((town) => ({ ...town, isTown: true }));
  if (cells === undefined) return [...dots, ...towns.filter(({ name }) => !dots.some((dot) => dot.name === name))];
  const isNamed = (dot: Position): boolean => {
    const { x, y } = window.locate(dot);
    return towns.map((town) => window.locate(town)).some((town) => Math.hypot(town.x - x, town.y - y) < SAME_PLACE);
  };
  return [...towns, ...dots.filter((dot) => !isNamed(dot))];
}

/** Where a map shows the part of the world that another map shows. */
function boxOfPart({ centre, widthKm, kmPerUnit, height }: MapWindow, whole: MapWindow): LabelBox {
  return boxAround(whole.locate(centre), widthKm / whole.kmPerUnit, (height * kmPerUnit) / whole.kmPerUnit, LEAST_VIEW);
}

function boxAround({ x, y }: MapSpot, width: number, height: number, least: number): LabelBox {
  const [halfWidth, halfHeight] = [Math.max(width, least) / 2, Math.max(height, least) / 2];
  return { left: x - halfWidth, right: x + halfWidth, top: y - halfHeight, bottom: y + halfHeight };
}

function drawView({ left, right, top, bottom }: LabelBox): string {
  return (
    `<rect class="view" x="${left.toFixed(1)}" y="${top.toFixed(1)}" ` +
    `width="${(right - left).toFixed(1)}" height="${(bottom - top).toFixed(1)}"/>`
  );
}

/**
 * The small map of a country with the window on it, in the corner that hides the fewest dots; the lower left has
 * the scale bar. Undefined where the country's map does not show the middle of the window, or little more than the
 * window.
 */
function placeCorner(
  snapshot: Snapshot,
  { country, window }: PageMapRequest,
  spots: readonly MapSpot[],
): { readonly box: LabelBox; readonly drawing: string } | undefined {
  if (country === undefined) return undefined;
  const map = countryMapOf(country);
  const middle = map.find(window.centre);
  if (middle === undefined) return undefined;
  const [wide, high] = [
    (window.width / window.unitsX) * middle.unitsX,
    (window.height / window.unitsY) * middle.unitsY,
  ];
  if (wide > map.width * 0.9 || high > map.height * 0.9) return undefined;
  const scale = CORNER_SIZE / Math.max(map.width, map.height);
  const [width, height] = [Math.round(map.width * scale), Math.round(map.height * scale)];
  const [right, bottom] = [WIDTH - CORNER_MARGIN - width, HEIGHT - CORNER_MARGIN - height];
  const corners = [[right, bottom] as const, [right, CORNER_MARGIN] as const, [CORNER_MARGIN, CORNER_MARGIN] as const];
  const boxes = corners.map(([left, top]) => ({ left, right: left + width, top, bottom: top + height }));
  const hidden = boxes.map((box) => spots.filter((spot) => isIn(box, spot)).length);
  const box = boxes[hidden.indexOf(Math.min(...hidden))] as LabelBox;
  const drawing =
    `<svg x="${box.left}" y="${box.top}" width="${width}" height="${height}" viewBox="0 0 ${map.width} ${map.height}">` +
    `<rect class="corner" width="${map.width}" height="${map.height}"/>` +
    `${countryImage(snapshot, country, map.width, map.height)}${drawView(boxAround(middle, wide, high, LEAST_MARK))}</svg>`;
  return { box, drawing };
}

/** The space of the scale bar. */
function barBox(height: number): LabelBox {
  return { left: 0, right: BAR_MARGIN + MAX_BAR, top: height - 30, bottom: height };
}

/** A length of 1, 2 or 5 with zeros. */
function drawScaleBar({ kmPerUnit, height }: MapWindow): string {
  const km = roundLength(MAX_BAR * kmPerUnit);
  const [length, y] = [Math.round(km / kmPerUnit), height - BAR_MARGIN];
  return (
    `<path class="scale" d="M${BAR_MARGIN} ${y - 5}v5h${length}v-5"/>` +
    `<text class="unit" x="${BAR_MARGIN + 4}" y="${y - 6}">${km < 1 ? `${Math.round(km * 1000)} m` : `${km} km`}</text>`
  );
}

/** The longest round length below. */
export function roundLength(km: number): number {
  const power = 10 ** Math.floor(Math.log10(km));
  const step = [5, 2].find((one) => one * power <= km) ?? 1;
  return Number((step * power).toPrecision(1));
}

/** The dots that lie on the map, apart from each other and from the page's own place, and not below the corner map. */
function spread(
  dots: readonly MapDot[],
  window: MapWindow,
  ownSpot: MapSpot | undefined,
  corner: LabelBox | undefined,
): readonly DrawnDot[] {
  const drawn: DrawnDot[] = [];
  for (const dot of dots) {
    const spot = window.find(dot);
    if (spot === undefined || (corner !== undefined && isIn(corner, spot))) continue;
    const [x, y] = [Math.round(spot.x), Math.round(spot.y)];
    const isNear = (other: MapSpot): boolean =>
      Math.abs(other.x - x) < LEAST_DISTANCE && Math.abs(other.y - y) < LEAST_DISTANCE;
    const isDrawn = drawn.some((other) => isNear(other) || other.dot.href === dot.href);
    if (!isDrawn && !(ownSpot && isNear(ownSpot))) drawn.push({ x, y, label: dot.name, dot });
  }
  return shortenLabels(drawn);
}

function isIn({ left, right, top, bottom }: LabelBox, { x, y }: MapSpot): boolean {
  return x >= left && x <= right && y >= top && y <= bottom;
}

/** The page's own dot with its name, then the linked dots with theirs. */
function drawDots(
  drawn: readonly DrawnDot[],
  spot: MapSpot | undefined,
  { own: ownPlace, cells, window: { height } }: PageMapRequest,
  boxes: readonly (LabelBox | undefined)[],
): string {
  const own = spot && ownPlace ? [{ x: Math.round(spot.x), y: Math.round(spot.y), label: shorten(ownPlace.name) }] : [];
  const taken = [barBox(height), ...boxes.filter((box) => box !== undefined)];
  if (cells !== undefined) taken.push(...own.map(labelBoxOver));
  const labelled = cells === undefined ? own : [];
  const sides = placeLabels([...labelled, ...drawn], WIDTH, height, taken);
  const links = drawn
    .map((dot, at) => ({ dot, side: sides[labelled.length + at] }))
    // Among cells a dot without a name says nothing, and a town without a name says nothing anywhere.
    .filter(({ dot, side }) => side !== undefined || (cells === undefined && dot.dot.isTown !== true))
    .map(({ dot, side }) => drawLinkedDot(dot, side, WIDTH))
    .join('');
  // A cell has its name in its middle, in place of a dot.
  if (cells !== undefined) return links + own.map(drawLabelOver).join('');
  const ownLabel = own.map((dot) => `<g class="own">${drawLabel(dot, sides[0], WIDTH)}</g>`);
  return pathOf('halo', own) + pathOf('here', own) + ownLabel.join('') + links;
}

/** A dot for each spot, as a line of no length with round ends. */
function pathOf(kind: string, spots: readonly MapSpot[]): string {
  const path = spots.map(({ x, y }) => `M${Math.round(x)} ${Math.round(y)}h0`).join('');
  return path && `<path class="${kind}" d="${path}"/>`;
}
