/** Endpoint 7: the places of a postal code, by name then id. */
import { plainPostcode } from '../format/postcode.js';
import { type ByteString, encodeUtf8 } from '../store/byte-string.js';
import { isPlace } from '../store/place-tree.js';
import { findPostcode as findInIndex } from '../store/postcode-index.js';
import type { Snapshot } from '../store/snapshot.js';
import { DomainError } from './domain-error.js';
import { findCountry, structuresOf } from './find-country.js';
import { renderPlaceDetails } from './place-detail.js';
import { readPostcode } from './postcode-readings.js';

export const MAX_POSTCODE_PLACES = 100;

interface FindPostcodeRequest {
  readonly country: string;
  /** In the contract's normal form. */
  readonly postcode: string;
}

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or POSTCODE_NOT_FOUND. */
export function findPostcode(snapshot: Snapshot, { country: code, postcode }: FindPostcodeRequest): ByteString {
  const country = findCountry(snapshot, code);
  const structures = structuresOf(country);
  const exact = findInIndex(structures.postcodes, postcode);
  const found =
    exact === undefined ? readPostcode(snapshot, country, plainPostcode(postcode)) : { ...exact, structures };
  if (found === undefined) {
    throw new DomainError('POSTCODE_NOT_FOUND', `No place in ${code} uses the postcode ${JSON.stringify(postcode)}.`);
  }
  const { structures: owner } = found;
  const shown = [...found.places.subarray(0, MAX_POSTCODE_PLACES)].filter((place) => isPlace(owner.tree, place));
  const places = renderPlaceDetails(owner, shown);
  return `{"countryCode":"${code}","postcode":${encodeUtf8(JSON.stringify(found.postcode))},"places":[${places}]}`;
}
