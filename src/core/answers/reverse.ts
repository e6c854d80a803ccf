/** Endpoint 9: the place nearest to a point, within 80 km, by default in the country that contains the point. */

import { findCountryAt } from '../lookup/country-at-point.js';
import { DomainError } from '../lookup/domain-error.js';
import { ANY_COUNTRY, REVERSE_RADIUS_KM, type ReverseGeocodeRequest, reverseGeocode } from '../lookup/reverse.js';
import type { ByteString } from '../snapshot/byte-string.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { roundToMetres } from '../snapshot/sphere.js';
import { type Include, renderPlaceDetail } from './place-detail.js';

interface ReverseRequest extends ReverseGeocodeRequest {
  readonly include?: Include;
}

export function reverse(snapshot: Snapshot, request: ReverseRequest): ByteString {
  const { lat, lng, country } = request;
  const found = reverseGeocode(snapshot, request);
  if (found === undefined) {
    const searched = country ?? findCountryAt(snapshot, lat, lng)?.entry.code ?? ANY_COUNTRY;
    const where = searched === ANY_COUNTRY ? '' : ` in ${searched}`;
    throw new DomainError(
      'NO_NEARBY_PLACE',
      `There is no place within ${REVERSE_RADIUS_KM} km of ${lat}, ${lng}${where}.`,
    );
  }
  const { structures, point } = found;
  const detail = renderPlaceDetail(structures, point.place, request.include);
  return `{"place":${detail},"distanceKm":${roundToMetres(point.distanceKm)}}`;
}
