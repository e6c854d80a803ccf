/**
 * How a country lies on its map: an equirectangular projection, true to scale at the middle latitude of the country's
 * points. East is right across the antimeridian too: the map begins behind the widest stretch of longitudes without a
 * point, so Fiji and Russia are in one piece. Coordinates of the map are cells of a grid, x to the right and y down.
 */

/** The longer side of a map, in cells. */
const LONGEST_SIDE = 84;
/** Around the outermost points. */
const MARGIN = 1.5;
/** Height of the map of a country with a single point, in degrees of latitude. */
const LEAST_SPAN = 0.05;
/** Half a degree: finer than any gap that matters. */
const LONGITUDE_BINS = 720;

export interface Projection {
  /** In cells. */
  readonly width: number;
  readonly height: number;
  readonly x: (longitude: number) => number;
  readonly y: (latitude: number) => number;
}

/** The bounds of a map, in degrees: `east` is counted eastwards from `west`, so it may exceed 180. */
interface Frame {
  readonly west: number;
  readonly minEast: number;
  readonly maxEast: number;
  readonly minLat: number;
  readonly maxLat: number;
}

/** The share of points at each edge that the main map may leave out, and how far it reaches beyond the rest. */
const FAR_SHARE = 0.04;
const REACH = 0.3;
/**
 * The map of all points counts as mostly empty where it is this many times as long or high as the map without far
 * points.
 */
const MOSTLY_EMPTY = 3;

/**
 * Two projections, of the points that lie together and of all points: some countries have a few far out, on islands or
 * abroad. They are one and the same where nothing lies far out. `coords` are longitude and latitude of each point;
 * there is one at least.
 */
export function fitProjections(coords: Float64Array): { readonly main: Projection; readonly whole: Projection } {
  const west = westernEdge(coords);
  const count = coords.length / 2;
  const easts = Float64Array.from({ length: count }, (_, point) => eastOf(coords[point * 2] as number, west)).sort();
  const lats = Float64Array.from({ length: count }, (_, point) => coords[point * 2 + 1] as number).sort();
  const [minEast, maxEast] = [easts[0] as number, easts[count - 1] as number];
  const [minLat, maxLat] = [lats[0] as number, lats[count - 1] as number];
  const whole = { west, minEast, maxEast, minLat, maxLat };
  const [nearEast, nearLat] = [withoutFar(easts), withoutFar(lats)];
  const isFarOut =
    maxEast - minEast > MOSTLY_EMPTY * Math.max(nearEast.span, LEAST_SPAN) ||
    maxLat - minLat > MOSTLY_EMPTY * Math.max(nearLat.span, LEAST_SPAN);
  const main = { west, minEast: nearEast.from, maxEast: nearEast.to, minLat: nearLat.from, maxLat: nearLat.to };
  const wholeProjection = project(whole);
  return { main: isFarOut ? project(main) : wholeProjection, whole: wholeProjection };
}

/** How long a stretch is without the farthest values, and its ends a little beyond that. */
function withoutFar(sorted: Float64Array): { readonly span: number; readonly from: number; readonly to: number } {
  const last = sorted.length - 1;
  const skipped = Math.floor(sorted.length * FAR_SHARE);
  const [first, end] = [sorted[skipped] as number, sorted[last - skipped] as number];
  const span = end - first;
  const from = Math.max(sorted[0] as number, first - span * REACH);
  const to = Math.min(sorted[last] as number, end + span * REACH);
  return { span, from, to };
}

function project({ west, minEast, maxEast, minLat, maxLat }: Frame): Projection {
  // Near a pole a degree of longitude is next to nothing.
  const shrink = Math.max(0.05, Math.cos((((minLat + maxLat) / 2) * Math.PI) / 180));
  const [spanX, spanY] = [(maxEast - minEast) * shrink, maxLat - minLat];
  const scale = (LONGEST_SIDE - 2 * MARGIN) / Math.max(spanX, spanY, LEAST_SPAN);
  const [centreEast, centreLat] = [(minEast + maxEast) / 2, (minLat + maxLat) / 2];
  const sideOf = (span: number): number => Math.max(LONGEST_SIDE / 2, Math.ceil(span * scale + 2 * MARGIN));
  const [width, height] = [Math.round(sideOf(spanX)), Math.round(sideOf(spanY))];
  return {
    width,
    height,
    x: (longitude) => width / 2 + (eastOf(longitude, west) - centreEast) * shrink * scale,
    y: (latitude) => height / 2 - (latitude - centreLat) * scale,
  };
}

function eastOf(longitude: number, west: number): number {
  return (((longitude - west) % 360) + 360) % 360;
}

/** The longitude at which the widest stretch without a point ends. */
function westernEdge(coords: Float64Array): number {
  const hasPoint = new Uint8Array(LONGITUDE_BINS);
  for (let at = 0; at < coords.length; at += 2) hasPoint[binOf(coords[at] as number)] = 1;
  let [edge, widest, width] = [0, 0, 0];
  // Twice around, so that a stretch across the start is seen whole.
  for (let step = 0; step < 2 * LONGITUDE_BINS; step++) {
    const bin = step % LONGITUDE_BINS;
    if (hasPoint[bin] === 0) {
      width++;
      continue;
    }
    if (width > widest) [edge, widest] = [bin, width];
    width = 0;
  }
  // A hair before it, so that no point of the bin falls behind by rounding.
  return (edge / LONGITUDE_BINS) * 360 - 180 - 1e-6;
}

function binOf(longitude: number): number {
  const bin = Math.floor(((longitude + 180) / 360) * LONGITUDE_BINS);
  // 180 degrees are -180; in a damaged file a longitude can be any number.
  return ((bin % LONGITUDE_BINS) + LONGITUDE_BINS) % LONGITUDE_BINS || 0;
}
