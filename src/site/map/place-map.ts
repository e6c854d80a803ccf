/**
 * The map of a page: linked dots that show their names when a reader points at them or reaches them by keyboard, the
 * page's own place, a scale bar, and the country in a corner with the window on it. The map of a country is its own
 * drawing with its regions as linked dots. Outlines and a country's dots are images that browsers keep; a page has 2 to
 * 8 kB of its own. It needs no script. A map costs 15 to 30 µs.
 */

import type { Position } from '../../core/snapshot/sphere.js';
import { type Content, Html, html } from '../html/html.js';
import { formatNumber } from '../html/place-parts.js';
import type { CoveredCountry, SiteSnapshot } from '../site-snapshot.js';
import { type CountryMap, findLandCell, type LandCell, type MapSpot } from './country-map.js';
import {
  type DrawnDot,
  drawLabel,
  drawLink,
  type LabelBox,
  leastDistanceOf,
  type MapDot,
  placeLabels,
  shorten,
  shortenLabels,
} from './dot-labels.js';
import { packagedOutlines } from './land.js';
import { describeDots } from './map-dots.js';
import { type MapWindow, windowAround, windowOf } from './map-window.js';

/* The small map of the country in a corner of a map, with the window, or where it is small a dot, on it. */

/** Of its longer side, and its distance to the edges of the map, in units. */
const SIZE = 84;
const MARGIN = 6;
/** A window of fewer cells of the country's map on its longer side is shown as a dot. */
const LEAST_CELLS = 5;
/** Of a linked dot, beside one that is not. */
const DOT_WEIGHT = 4;

export interface Locator {
  readonly box: LabelBox;
  readonly map: CountryMap;
  /** The window on the country's map, in its cells. */
  readonly mark: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/**
 * In the corner that hides the fewest dots; the lower left has the scale bar. Undefined where the country's map does not
 * show the middle of the window, or shows little more than the window.
 */
export function placeLocator(
  map: CountryMap,
  window: MapWindow,
  dots: readonly MapSpot[],
  others: readonly MapSpot[],
): Locator | undefined {
  const mark = markOf(map, window);
  if (mark === undefined) return undefined;
  const scale = SIZE / Math.max(map.width, map.height);
  const [width, height] = [map.width * scale, map.height * scale];
  const [right, bottom] = [window.width - MARGIN, window.height - MARGIN];
  const boxes = [
    { left: right - width, right, top: bottom - height, bottom },
    { left: right - width, right, top: MARGIN, bottom: MARGIN + height },
    { left: MARGIN, right: MARGIN + width, top: MARGIN, bottom: MARGIN + height },
  ];
  const hidden = boxes.map((box) => DOT_WEIGHT * countIn(box, dots) + countIn(box, others));
  return { box: boxes[hidden.indexOf(Math.min(...hidden))] as LabelBox, map, mark };
}

function countIn({ left, right, top, bottom }: LabelBox, spots: readonly MapSpot[]): number {
  let count = 0;
  for (const { x, y } of spots) if (x >= left && x <= right && y >= top && y <= bottom) count++;
  return count;
}

function markOf(map: CountryMap, window: MapWindow): Locator['mark'] | undefined {
  const { west, east, south, north } = window.bounds;
  const centre = map.locate({ latitude: (south + north) / 2, longitude: (west + east) / 2 });
  if (centre === undefined) return undefined;
  const { unitsPerDegree } = centre;
  const [width, height] = [(east - west) * unitsPerDegree.x, (north - south) * unitsPerDegree.y];
  if (width > map.width * 0.9 || height > map.height * 0.9) return undefined;
  return { x: centre.x - width / 2, y: centre.y - height / 2, width, height };
}

export function drawLocator({ box, map, mark }: Locator, href: string): string {
  const [x, y] = [Math.round(box.left), Math.round(box.top)];
  const [width, height] = [Math.round(box.right - box.left), Math.round(box.bottom - box.top)];
  const round = (value: number): number => Math.round(value * 10) / 10;
  const isSmall = Math.max(mark.width, mark.height) < LEAST_CELLS;
  const [middleX, middleY] = [round(mark.x + mark.width / 2), round(mark.y + mark.height / 2)];
  const drawnMark = isSmall
    ? `<path class="spot" d="M${middleX} ${middleY}h0"/>`
    : `<rect class="view" x="${round(mark.x)}" y="${round(mark.y)}" width="${round(mark.width)}" height="${round(mark.height)}"/>`;
  return (
    `<svg x="${x}" y="${y}" width="${width}" height="${height}" viewBox="0 0 ${map.width} ${map.height}">` +
    `<rect class="corner" width="${map.width}" height="${map.height}"/>` +
    `<image href="${href}" width="${map.width}" height="${map.height}"/>${drawnMark}</svg>`
  );
}

/* The addresses of the images of maps: others where their contents change, so browsers may keep them for good. */

/** Of a country's own map: another one for each snapshot. */
export function mapPath({ snapshot }: SiteSnapshot, code: string): string {
  return `/maps/${snapshot.id}/${code}.svg`;
}

/** Of the outline behind the map of a place: another one where the outlines have changed. */
export function landCellPath(code: string, { name }: LandCell): string {
  return `/maps/${packagedOutlines().digest}/${code}-${name}.svg`;
}

/* The scale bar of a map: a length of 1, 2 or 5 with zeros, in the lower left corner. */

/** Its greatest length, and its distance to the corner, in units. */
const MAX_LENGTH = 90;
const BAR_MARGIN = 10;

export function scaleBarBox(height: number): LabelBox {
  return { left: 0, right: BAR_MARGIN + MAX_LENGTH, top: height - 30, bottom: height };
}

export function drawScaleBar({ kmPerUnit, height }: MapWindow): string {
  const km = roundLength(MAX_LENGTH * kmPerUnit);
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

export interface PlaceMapRequest {
  /** The countries whose outlines are drawn. A single one is shown in a corner too. */
  readonly countries: readonly CoveredCountry[];
  /**
   * What the map shows: the country, or all of these points. With a `centre` they lie around it. There is one point or
   * a centre at least.
   */
  readonly extent: 'country' | readonly Position[];
  readonly centre?: Position | undefined;
  /** Width of the map where its points lie close together, in km. */
  readonly leastKm?: number | undefined;
  /** The page's own points, marked; the name stands at the first. */
  readonly own?: readonly Position[];
  readonly ownName?: string;
  /** The most important first: their names are shown where there is room. */
  readonly dots: readonly MapDot[];
  /** Points that are neither named nor linked. */
  readonly faint?: readonly Position[];
  readonly caption: Content;
}

/** Of a drawing, in units: a pixel on a wide screen. The map of a country can be lower. */
const WIDTH = 400;
const HEIGHT = 330;
/** Width of the narrowest map with an outline, in km: most outlines are right to 1 km, which is 3 units of it. */
const LEAST_OUTLINED_KM = 150;
/** Width of the map of a place with no other near it, in km: wide enough for the outline. */
const LONELY_KM = 250;
/** Half of the side of the square around one of the page's own dots that names leave free, in units: dot and halo. */
const OWN_DOT = 10;
/** Maximum number of the page's own dots that no name covers. */
const MAX_AVOIDED = 16;
/** Maximum number of countries with an outline: each is a file. */
const MAX_OUTLINES = 8;

/** Where a map is drawn: the place of each point, and the images behind. */
interface Ground {
  readonly height: number;
  /** Undefined for a point outside of the map. */
  readonly locate: (point: Position) => MapSpot | undefined;
  readonly images: string;
  /** Undefined for a country, whose parts have several scales. */
  readonly window?: MapWindow;
}

/** The map of a place or code at the points `own` and the dots around them. */
export function drawSurroundings(
  data: SiteSnapshot,
  country: CoveredCountry,
  centre: Position,
  own: readonly Position[],
  ownName: string,
  dots: readonly MapDot[],
  caption: Content,
): Html {
  const leastKm = dots.length === 0 ? LONELY_KM : undefined;
  return drawPlaceMap(data, {
    countries: [country],
    centre,
    own,
    ownName,
    extent: [...own, ...dots],
    dots,
    leastKm,
    caption,
  });
}

export function drawPlaceMap(data: SiteSnapshot, request: PlaceMapRequest): Html {
  const { countries, own = [], faint = [], caption } = request;
  const ground = request.extent === 'country' ? countryGround(data, request) : windowGround(request);
  const { window, height } = ground;
  const ownSpots = spotsOf(own, ground);
  const faintSpots = spotsOf(faint, ground);
  const locator = locatorOf(data, request, ground, [...ownSpots, ...faintSpots]);
  const drawn = spread(request.dots, ground, ownSpots, locator?.box);
  const text =
    `<svg class="drawing" viewBox="0 0 ${WIDTH} ${height}" role="group" aria-label="Map">${ground.images}` +
    pathOf('faint', faintSpots) +
    drawDots(drawn, ownSpots, request.ownName, height, locator) +
    (window === undefined ? '' : drawScaleBar(window)) +
    (locator === undefined ? '' : drawLocator(locator, mapPath(data, countries[0]?.entry.code ?? ''))) +
    '</svg>';
  return html`<figure class="map">
${new Html(text)}
<figcaption>${caption}${window !== undefined && ` The map is ${formatWidth(window.widthKm)} wide.`}${new Html(describeDots(drawn, WIDTH / 2, height / 2))}</figcaption>
</figure>`;
}

function formatWidth(km: number): string {
  return `${km < 10 ? km.toFixed(1) : formatNumber(Math.round(km))} km`;
}

function spotsOf(points: readonly Position[], { locate }: Ground): readonly MapSpot[] {
  const spots: MapSpot[] = [];
  for (const point of points) {
    const spot = locate(point);
    if (spot !== undefined) spots.push(spot);
  }
  return spots;
}

function locatorOf(
  data: SiteSnapshot,
  { countries: [country, ...others], dots }: PlaceMapRequest,
  ground: Ground,
  covered: readonly MapSpot[],
): Locator | undefined {
  if (ground.window === undefined || country === undefined || others.length > 0) return undefined;
  return placeLocator(data.mapOf(country), ground.window, spotsOf(dots, ground), covered);
}

function windowGround({ countries, extent, centre, leastKm, own = [], dots }: PlaceMapRequest): Ground {
  const points = extent === 'country' ? [...own, ...dots] : extent;
  const size = { width: WIDTH, height: HEIGHT, leastKm };
  const window = centre === undefined ? windowOf(points, size) : windowAround(centre, points, size);
  const outlined = window.widthKm < LEAST_OUTLINED_KM ? [] : countries.slice(0, MAX_OUTLINES);
  return {
    height: HEIGHT,
    window,
    images: outlined.map(({ entry }) => landImage(entry.code, window)).join(''),
    locate: (point) => {
      const spot = window.locate(point);
      return spot.x >= 0 && spot.x <= WIDTH && spot.y >= 0 && spot.y <= HEIGHT ? spot : undefined;
    },
  };
}

function landImage(code: string, window: MapWindow): string {
  const cell = findLandCell(window.bounds, packagedOutlines().ringsOf(code));
  if (cell === undefined) return '';
  const { x, y, width, height } = window.boxOf(cell.bounds);
  return (
    `<image href="${landCellPath(code, cell)}" x="${Math.round(x)}" y="${Math.round(y)}" ` +
    `width="${Math.round(width)}" height="${Math.round(height)}" preserveAspectRatio="none"/>`
  );
}

/** The country's own drawing in the middle. */
function countryGround(data: SiteSnapshot, { countries: [country] }: PlaceMapRequest): Ground {
  if (country === undefined) throw new Error('the map of a country needs a country');
  const map = data.mapOf(country);
  const scale = Math.min(WIDTH / map.width, (HEIGHT * 1.3) / map.height);
  const [left, height] = [(WIDTH - map.width * scale) / 2, Math.ceil(map.height * scale)];
  return {
    height,
    images: `<image href="${mapPath(data, country.entry.code)}" width="${WIDTH}" height="${height}"/>`,
    locate: (point) => {
      const spot = map.locate(point);
      return spot && { x: left + spot.x * scale, y: spot.y * scale };
    },
  };
}

/** The dots that lie on the map, apart from each other and from the page's own, and not below the corner map. */
function spread(
  dots: readonly MapDot[],
  ground: Ground,
  ownSpots: readonly MapSpot[],
  corner: LabelBox | undefined,
): readonly DrawnDot[] {
  const drawn: DrawnDot[] = [];
  for (const dot of dots) {
    const spot = ground.locate(dot);
    if (spot === undefined || (corner !== undefined && isIn(corner, spot.x, spot.y))) continue;
    const [x, y] = [Math.round(spot.x), Math.round(spot.y)];
    const leastDistance = leastDistanceOf(dot);
    if (!isNear(drawn, x, y, leastDistance) && !isNear(ownSpots, x, y, leastDistance))
      drawn.push({ x, y, label: dot.name, dot });
  }
  return shortenLabels(drawn);
}

function isNear(spots: readonly MapSpot[], x: number, y: number, distance: number): boolean {
  for (const spot of spots) if (Math.abs(spot.x - x) < distance && Math.abs(spot.y - y) < distance) return true;
  return false;
}

function isIn({ left, right, top, bottom }: LabelBox, x: number, y: number): boolean {
  return x >= left && x <= right && y >= top && y <= bottom;
}

/** The page's own dots and its name, then the linked dots with theirs. */
function drawDots(
  drawn: readonly DrawnDot[],
  ownSpots: readonly MapSpot[],
  ownName: string | undefined,
  height: number,
  locator: Locator | undefined,
): string {
  const [first] = ownSpots;
  const own =
    first === undefined || ownName === undefined
      ? undefined
      : { x: Math.round(first.x), y: Math.round(first.y), label: shorten(ownName) };
  const named = own === undefined ? drawn : [own, ...drawn];
  const taken = [scaleBarBox(height)];
  if (locator !== undefined) taken.push(locator.box);
  for (const { x, y } of ownSpots.slice(1, MAX_AVOIDED))
    taken.push({ left: x - OWN_DOT, top: y - OWN_DOT, right: x + OWN_DOT, bottom: y + OWN_DOT });
  const sides = placeLabels(named, WIDTH, height, taken);
  let text = pathOf('halo', ownSpots) + pathOf('here', ownSpots);
  if (own !== undefined) text += `<g class="own">${drawLabel(own, sides[0], WIDTH)}</g>`;
  const skipped = named.length - drawn.length;
  for (let at = 0; at < drawn.length; at++) text += drawLink(drawn[at] as DrawnDot, sides[at + skipped], WIDTH);
  return text;
}

/** A dot for each spot, as a line of no length with round ends. */
function pathOf(kind: string, spots: readonly MapSpot[]): string {
  if (spots.length === 0) return '';
  let path = '';
  for (const { x, y } of spots) path += `M${Math.round(x)} ${Math.round(y)}h0`;
  return `<path class="${kind}" d="${path}"/>`;
}
