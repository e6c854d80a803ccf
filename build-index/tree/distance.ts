/** Distances on a sphere with a radius of 6371 km, as in reverse lookup. */
import { distance } from 'geokdbush';

export function kmBetween(lat: number, lng: number, otherLat: number, otherLng: number): number {
  return distance(lng, lat, otherLng, otherLat);
}
