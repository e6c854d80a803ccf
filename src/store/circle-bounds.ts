/** The bounding boxes of a circle on the globe. */

/** The mean radius of the Earth in kilometres, as geokdbush uses it for distances. */
const EARTH_RADIUS_KM = 6371;

/** In degrees, the bounds included. No box crosses the antimeridian. */
export interface Box {
  readonly minLat: number;
  readonly maxLat: number;
  readonly minLng: number;
  readonly maxLng: number;
}

/** The boxes that contain every point of the circle: one box, or two if the circle crosses the antimeridian. */
export function boxesAround(lat: number, lng: number, radiusKm: number): Box[] {
  const reach = reachOf(lat, radiusKm);
  const minLat = Math.max(-90, lat - reach.lat);
  const maxLat = Math.min(90, lat + reach.lat);
  return longitudeRanges(lng, reach.lng).map(([minLng, maxLng]) => ({ minLat, maxLat, minLng, maxLng }));
}

/**
 * The extent of the circle from its centre in degrees of latitude and longitude. A circle around a pole has 180 of
 * longitude.
 */
export function reachOf(lat: number, radiusKm: number): { readonly lat: number; readonly lng: number } {
  // A millionth and a millimetre larger, so that rounding excludes no point.
  const angle = (radiusKm * 1.000001 + 1e-6) / EARTH_RADIUS_KM;
  const degrees = toDegrees(angle);
  // A circle that contains a pole has points at every longitude; the formula below doesn't apply to it.
  const holdsPole = lat - degrees <= -90 || lat + degrees >= 90;
  return {
    lat: degrees,
    lng: holdsPole ? 180 : toDegrees(Math.asin(Math.min(1, Math.sin(angle) / cosine(lat)))),
  };
}

/** The ranges of longitudes within `reach` degrees of `lng`. */
function longitudeRanges(lng: number, reach: number): [minLng: number, maxLng: number][] {
  if (reach >= 180) return [[-180, 180]];
  const [west, east] = [lng - reach, lng + reach];
  if (west > -180 && east < 180) return [[west, east]];
  const [easternMin, westernMax] = west <= -180 ? [west + 360, east] : [west, east - 360];
  return [
    [-180, westernMax],
    [easternMin, 180],
  ];
}

function cosine(degrees: number): number {
  return Math.cos((degrees * Math.PI) / 180);
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
