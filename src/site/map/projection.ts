/**
 * How a country lies on its map: an equirectangular projection, true to scale at the middle latitude of the country's
 * points. East is right across the antimeridian too: the map begins behind the widest stretch of longitudes without a
 * point, so Fiji and Russia are in one piece. Coordinates of the map are cells of a grid, x to the right and y down.
 */

/** The longer side of a map, in cells. */
const LONGEST_SIDE = 84;
/** Around the outermost points. */
const MARGIN = 1.5;
/** What a country of a single point shows, degrees of latitude. */
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

/** `coords` are longitude and latitude of each point; there is one at least. */
export function fitProjection(coords: Float64Array): Projection {
  const west = westernEdge(coords);
  const eastOf = (longitude: number): number => (((longitude - west) % 360) + 360) % 360;
  let [minEast, maxEast, minLat, maxLat] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let at = 0; at < coords.length; at += 2) {
    const [east, latitude] = [eastOf(coords[at] as number), coords[at + 1] as number];
    minEast = Math.min(minEast, east);
    maxEast = Math.max(maxEast, east);
    minLat = Math.min(minLat, latitude);
    maxLat = Math.max(maxLat, latitude);
  }
  // Near a pole a degree of longitude is next to nothing.
  const shrink = Math.max(0.05, Math.cos((((minLat + maxLat) / 2) * Math.PI) / 180));
  const [spanX, spanY] = [(maxEast - minEast) * shrink, maxLat - minLat];
  const scale = (LONGEST_SIDE - 2 * MARGIN) / Math.max(spanX, spanY, LEAST_SPAN);
  const [centreEast, centreLat] = [(minEast + maxEast) / 2, (minLat + maxLat) / 2];
  const sideOf = (span: number): number => Math.max(LONGEST_SIDE / 3, Math.ceil(span * scale + 2 * MARGIN));
  const [width, height] = [Math.round(sideOf(spanX)), Math.round(sideOf(spanY))];
  return {
    width,
    height,
    x: (longitude) => width / 2 + (eastOf(longitude) - centreEast) * shrink * scale,
    y: (latitude) => height / 2 - (latitude - centreLat) * scale,
  };
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
  return (edge / LONGITUDE_BINS) * 360 - 180;
}

function binOf(longitude: number): number {
  const bin = Math.floor(((longitude + 180) / 360) * LONGITUDE_BINS);
  // 180 degrees are -180; in a damaged file a longitude can be any number.
  return ((bin % LONGITUDE_BINS) + LONGITUDE_BINS) % LONGITUDE_BINS || 0;
}
