/** Endpoint 7: the places of a postal code, by name then id. */
import { compactPostcode, plainPostcode } from '../format/postcode.js';
import type { ByteSink } from '../store/byte-sink.js';
import { quoteJson } from '../store/byte-string.js';
import type { PostcodeMatch } from '../store/postcode-index.js';
import type { CountryStructures, Snapshot } from '../store/snapshot.js';
import { DomainError, type ParameterFault } from './domain-error.js';
import { findCountry, structuresOf } from './find-country.js';
import { addPlaceDetails, type Include } from './place-detail.js';
import { lookUpPostcode } from './postcode-candidates.js';
import type { DataWriter } from './response-data.js';
import { listLookAlikeCodes } from './suggest/look-alikes.js';

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

/**
 * Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or POSTCODE_NOT_FOUND, the last with the code that was probably
 * meant if exactly one looks like the code of the request.
 */
export function findPostcode(snapshot: Snapshot, request: FindPostcodeRequest): DataWriter {
  const found = lookUp(snapshot, request);
  if (found === undefined) throw postcodeNotFound(request.country, request.postcode, describeMeant(snapshot, request));
  return (out) => addPostcode(out, request.country, found, request.include);
}

/** The code that is meant. Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or POSTCODE_NOT_FOUND. */
export function matchPostcode(snapshot: Snapshot, request: FindPostcodeRequest): FoundPostcode {
  const found = lookUp(snapshot, request);
  if (found !== undefined) return found;
  throw postcodeNotFound(request.country, request.postcode);
}

export function postcodeNotFound(country: string, postcode: string, details?: readonly ParameterFault[]): DomainError {
  const message = `No place in ${country} uses the postcode ${JSON.stringify(postcode)}.`;
  return new DomainError('POSTCODE_NOT_FOUND', message, details);
}

function lookUp(snapshot: Snapshot, { country: code, postcode }: FindPostcodeRequest): FoundPostcode | undefined {
  const country = findCountry(snapshot, code);
  structuresOf(country);
  return lookUpPostcode(snapshot, country, postcode);
}

/** The code of the data in which letters and digits that look alike were mixed up; undefined unless there is exactly one. */
function describeMeant(snapshot: Snapshot, request: FindPostcodeRequest): readonly ParameterFault[] | undefined {
  const codes = listLookAlikeCodes(compactPostcode(plainPostcode(request.postcode)));
  const found = codes.flatMap((postcode) => lookUp(snapshot, { ...request, postcode })?.match.postcode ?? []);
  const [meant, ...others] = new Set(found);
  if (meant === undefined || others.length > 0) return undefined;
  const message = `postcode must be a code of ${request.country}; got ${JSON.stringify(request.postcode)}; did you mean ${meant}?`;
  return [{ param: 'postcode', message, expected: meant }];
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
