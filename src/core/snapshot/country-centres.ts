/**
 * The centres of countries as unit vectors, and the country whose centre is nearest to a point.
 */

/** One degree in radians. */
const DEGREES = Math.PI / 180;

/**
 * The centres as unit vectors (x, y and z of each), in the order of the countries; NaN for a country without a centre.
 */
export function centreVectors(
  centres: readonly ({ readonly latitude: number; readonly longitude: number } | null)[],
): Float64Array {
  return Float64Array.from(
    centres.flatMap((centre) =>
      centre === null ? [Number.NaN, Number.NaN, Number.NaN] : unitVector(centre.latitude, centre.longitude),
    ),
  );
}

/**
 * The number of the country with the nearest centre, the first if several are equally near; undefined if no country has
 * a centre. Compares chords instead of great circles: the order is the same, and a chord needs no sine.
 */
export function nearestCentre(vectors: Float64Array, lat: number, lng: number): number | undefined {
  const [x, y, z] = unitVector(lat, lng);
  let nearest: number | undefined;
  let least = Infinity;
  for (let at = 0; at < vectors.length; at += 3) {
    const [dx, dy, dz] = [
      (vectors[at] as number) - x,
      (vectors[at + 1] as number) - y,
      (vectors[at + 2] as number) - z,
    ];
    const squaredChord = dx * dx + dy * dy + dz * dz;
    if (squaredChord < least) {
      least = squaredChord;
      nearest = at / 3;
    }
  }
  return nearest;
}

function unitVector(lat: number, lng: number): [x: number, y: number, z: number] {
  const fromAxis = Math.cos(lat * DEGREES);
  return [fromAxis * Math.cos(lng * DEGREES), fromAxis * Math.sin(lng * DEGREES), Math.sin(lat * DEGREES)];
}
