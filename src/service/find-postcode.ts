/** Endpoint 7: the places of a postal code, by name then id. */
import type { ByteSink } from '../store/byte-sink.js';
import { quoteJson } from '../store/byte-string.js';
import type { PostcodeMatch } from '../store/postcode-index.js';
import type { CountryStructures, Snapshot } from '../store/snapshot.js';
import { DomainError } from './domain-error.js';
import { findCountry, structuresOf } from './find-country.js';
import { addPlaceDetails, type Include } from './place-detail.js';
import { lookUpPostcode } from './postcode-candidates.js';
import type { DataWriter } from './response-data.js';

/** Maximum number of places of a postal code in a response: the contract's limit. */
export const MAX_POSTCODE_PLACES = 100;

interface FindPostcodeRequest {
  readonly country: string;
  /** In the contract's normal form. */
  readonly postcode: string;
  readonly include?: Include;
}

/** A code of the data, and the structures of its country, which can be a territory of the country of the request. */
interface FoundPostcode {
  readonly match: PostcodeMatch;
  readonly structures: CountryStructures;
}

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or POSTCODE_NOT_FOUND. */
export function findPostcode(snapshot: Snapshot, request: FindPostcodeRequest): DataWriter {
  const found = matchPostcode(snapshot, request);
  return (out) => addPostcode(out, request.country, found, request.include);
}

/** The code that is meant. Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or POSTCODE_NOT_FOUND. */
export function matchPostcode(snapshot: Snapshot, { country: code, postcode }: FindPostcodeRequest): FoundPostcode {
  const country = findCountry(snapshot, code);
  structuresOf(country);
  const found = lookUpPostcode(snapshot, country, postcode);
  if (found !== undefined) return found;
  throw postcodeNotFound(code, postcode);
}

export function postcodeNotFound(country: string, postcode: string): DomainError {
  return new DomainError('POSTCODE_NOT_FOUND', `No place in ${country} uses the postcode ${JSON.stringify(postcode)}.`);
}

/** Adds the places of a code, one JSON object. */
export function addPostcode(
  out: ByteSink,
  country: string,
  { match: { postcode, places }, structures }: FoundPostcode,
  include: Include,
): void {
  out.add(`{"countryCode":"${country}","postcode":${quoteJson(postcode)},"places":[`);
  const shown = places.length > MAX_POSTCODE_PLACES ? places.subarray(0, MAX_POSTCODE_PLACES) : places;
  addPlaceDetails(out, structures, shown, include);
  out.add(']}');
}
