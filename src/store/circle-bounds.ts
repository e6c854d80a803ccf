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
  const reach = reachOf(lat, radiusKm);
  const minLat = Math.max(-90, lat - reach.lat);
  const maxLat = Math.min(90, lat + reach.lat);
  return stretches(lng, reach.lng).map(([minLng, maxLng]) => ({ minLat, maxLat, minLng, maxLng }));
}

/** How many degrees of latitude and longitude the circle reaches from its centre: all of 180 where it holds a pole. */
export function reachOf(lat: number, radiusKm: number): { readonly lat: number; readonly lng: number } {
  // A hair more, and a millimetre, so that rounding leaves no point out.
  const angle = (radiusKm * 1.000001 + 1e-6) / EARTH_RADIUS_KM;
  const degrees = toDegrees(angle);
  // A circle that holds a pole is at every longitude, and no sine tells how far it reaches.
  const holdsPole = lat - degrees <= -90 || lat + degrees >= 90;
  return {
    lat: degrees,
    lng: holdsPole ? 180 : toDegrees(Math.asin(Math.min(1, Math.sin(angle) / cosine(lat)))),
  };
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
