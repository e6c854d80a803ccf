/**
 * New points where a country's points are: each lies in the box between one point and the next one of the rows, which
 * mostly is of the same unit, so dense parts of the country get the more points the denser they are. Rows that share a
 * point share the new one.
 */

/** In degrees: so far at most a new point is from the old one, about 11 km on a meridian. */
const FARTHEST = 0.1;
/** Where no other point is to be had. */
const NEAR = 0.01;

export class PointMaker {
  #random;
  #newPoints = new Map();

  constructor(random) {
    this.#random = random;
  }

  startCopy() {
    this.#newPoints.clear();
  }

  /** Texts of degrees, `[latitude, longitude]`, for a point and another one beside it, which may be the same. */
  move(point, beside) {
    const key = point.join();
    let moved = this.#newPoints.get(key);
    if (moved === undefined) {
      const [lat, lng] = point.map((degrees, axis) => this.#between(Number(degrees), Number(beside[axis])));
      moved = [toText(Math.max(-90, Math.min(90, lat))), toText(lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng)];
      this.#newPoints.set(key, moved);
    }
    return moved;
  }

  #between(degrees, others) {
    const way = Math.max(-FARTHEST, Math.min(FARTHEST, others - degrees)) || (this.#random() - 0.5) * NEAR;
    return degrees + way * this.#random();
  }
}

/** Four decimals at most, as GeoNames writes them. */
function toText(degrees) {
  return String(Math.round(degrees * 1e4) / 1e4);
}
