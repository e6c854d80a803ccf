/** Endpoint 7: the places of a postal code, by name then id. */
import { type ByteString, encodeUtf8 } from '../store/byte-string.js';
import { isPlace } from '../store/place-tree.js';
import type { PostcodeMatch } from '../store/postcode-index.js';
import type { CountryStructures, Snapshot } from '../store/snapshot.js';
import { DomainError } from './domain-error.js';
import { findCountry, structuresOf } from './find-country.js';
import { renderPlaceDetails } from './place-detail.js';
import { lookUpPostcode } from './postcode-candidates.js';

/** Maximum number of places of a postal code in a response: the contract's limit. */
export const MAX_POSTCODE_PLACES = 100;

interface FindPostcodeRequest {
  readonly country: string;
  /** In the contract's normal form. */
  readonly postcode: string;
}

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or POSTCODE_NOT_FOUND. */
export function findPostcode(snapshot: Snapshot, { country: code, postcode }: FindPostcodeRequest): ByteString {
  const country = findCountry(snapshot, code);
  structuresOf(country);
  const found = lookUpPostcode(snapshot, country, postcode);
  if (found === undefined) {
    throw new DomainError('POSTCODE_NOT_FOUND', `No place in ${code} uses the postcode ${JSON.stringify(postcode)}.`);
  }
  return render(code, found.structures, found.match);
}

/** `structures` belong to the country with the code, which can be a territory of `country`. */
function render(country: string, structures: CountryStructures, { postcode, places }: PostcodeMatch): ByteString {
  const shown = Array.from(places.subarray(0, MAX_POSTCODE_PLACES)).filter((place) => isPlace(structures.tree, place));
  const details = renderPlaceDetails(structures, shown);
  return `{"countryCode":"${country}","postcode":${encodeUtf8(JSON.stringify(postcode))},"places":[${details}]}`;
}
