/** The stretches of latitude and longitude that a circle on the globe lies in. */

const EARTH_RADIUS_KM = 6371;

/** Degrees, the ends included. No box crosses the antimeridian. */
export interface Box {
  readonly minLat: number;
  readonly maxLat: number;
  readonly minLng: number;
  readonly maxLng: number;
}

/** The boxes that hold every point of the circle: one or, across the antimeridian, two. */
export function boxesAround(lat: number, lng: number, radiusKm: number): Box[] {
  // A hair more, so that rounding leaves no point out.
  const angle = (radiusKm * 1.000001) / EARTH_RADIUS_KM;
  const minLat = Math.max(-90, lat - toDegrees(angle));
  const maxLat = Math.min(90, lat + toDegrees(angle));
  // A circle that holds a pole is at every longitude, and no sine tells how far it reaches.
  const reach = minLat <= -90 || maxLat >= 90 ? 180 : toDegrees(Math.asin(Math.min(1, Math.sin(angle) / cosine(lat))));
  return stretches(lng, reach).map(([minLng, maxLng]) => ({ minLat, maxLat, minLng, maxLng }));
}

/** First and last longitude of what lies within `reach` degrees of one. */
function stretches(lng: number, reach: number): [minLng: number, maxLng: number][] {
  if (reach >= 180) return [[-180, 180]];
  const [west, east] = [lng - reach, lng + reach];
  if (west > -180 && east < 180) return [[west, east]];
  const [behindEast, behindWest] = west <= -180 ? [west + 360, east] : [west, east - 360];
  return [
    [-180, behindWest],
    [behindEast, 180],
  ];
}

function cosine(degrees: number): number {
  return Math.cos((degrees * Math.PI) / 180);
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
