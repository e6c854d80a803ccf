/** The distance between two postal codes or places, each of any country. */

import { findCountry } from '../lookup/countries.js';
import { findPlacePosition, type PlaceRequest } from '../lookup/places.js';
import { findPostcodePosition, type PostcodeRequest } from '../lookup/postcode-position.js';
import { type ByteString, encodeUtf8 } from '../snapshot/byte-string.js';
import { renderedShownName } from '../snapshot/rendered-places.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { distanceKm, type Position, roundToMetres } from '../snapshot/sphere.js';

export type PostcodeOrPlace = PostcodeRequest | PlaceRequest;

interface Side {
  readonly json: ByteString;
  readonly position: Position;
}

export function measureDistance(
  snapshot: Snapshot,
  request: { readonly from: PostcodeOrPlace; readonly to: PostcodeOrPlace },
): ByteString {
  const from = findSide(snapshot, request.from, 'from');
  const to = findSide(snapshot, request.to, 'to');
  const km = roundToMetres(distanceKm(from.position, to.position));
  return `{"from":${from.json},"to":${to.json},"distanceKm":${km}}`;
}

function findSide(snapshot: Snapshot, request: PostcodeOrPlace, param: string): Side {
  findCountry(snapshot, request.country, param);
  if ('postcode' in request) {
    const { postcode, position } = findPostcodePosition(snapshot, request);
    const postcodeJson = encodeUtf8(JSON.stringify(postcode));
    return { position, json: renderSide(request.country, postcodeJson, 'null', 'null', position) };
  }
  const { structures, place, position } = findPlacePosition(snapshot, request);
  const name = renderedShownName(structures.renderedPlaces, place);
  return { position, json: renderSide(request.country, 'null', `"${request.id}"`, name, position) };
}

function renderSide(
  country: string,
  postcode: ByteString,
  id: ByteString,
  name: ByteString,
  { latitude, longitude }: Position,
): ByteString {
  const fields = `"postcode":${postcode},"id":${id},"name":${name}`;
  return `{"countryCode":"${country}",${fields},"latitude":${latitude},"longitude":${longitude}}`;
}
