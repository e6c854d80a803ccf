/** Distances on a sphere of 6371 km, as reverse lookup measures them. */
import { distance } from 'geokdbush';

export function kmBetween(lat: number, lng: number, otherLat: number, otherLng: number): number {
  return distance(lng, lat, otherLng, otherLat);
}
