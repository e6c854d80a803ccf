/** Endpoint 7: the places of a postal code, by name then id; and the same in every country that has the code. */

import { findCountryWithData } from '../lookup/countries.js';
import type { ParameterFault } from '../lookup/domain-error.js';
import { describeInferred, type InferredTown } from '../lookup/inferred-postcode.js';
import { listLookAlikeCodes } from '../lookup/look-alike-postcodes.js';
import {
  countriesOfLookup,
  inferMissing,
  listFoundPostcodes,
  lookUpPostcode,
  postcodeNotFound,
  type ResolvedPostcode,
} from '../lookup/postcode-lookup.js';
import { listWithdrawn } from '../lookup/withdrawn-postcodes.js';
import { type ByteSink, jsonByteString } from '../snapshot/byte-string.js';
import { compactPostcode, plainPostcode } from '../snapshot/postcode-spelling.js';
import type { WithdrawnPostcode } from '../snapshot/release-changes.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import { addPlaceDetails, type Include } from './place-detail.js';
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
type FoundInCountry = Pick<ResolvedPostcode, 'match' | 'structures' | 'fullCode'>;

/**
 * POSTCODE_NOT_FOUND says since when a code is withdrawn, or else in which town's block it is, or else which code was
 * probably meant, if exactly one looks like the code of the request.
 */
export function findPostcode(snapshot: Snapshot, request: FindPostcodeRequest): DataWriter {
  const found = lookUp(snapshot, request);
  if (found === undefined) {
    const { country, postcode } = request;
    const missing = describeMissing(snapshot, [findCountryWithData(snapshot, country)], postcode);
    throw postcodeNotFound(country, postcode, missing ?? describeMeant(snapshot, request));
  }
  return (out) => addPostcode(out, request.country, found, request.include);
}

function lookUp(snapshot: Snapshot, { country, postcode }: FindPostcodeRequest): FoundInCountry | undefined {
  return lookUpPostcode(snapshot, findCountryWithData(snapshot, country), postcode);
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

/** What is known of a code that the data lack, an entry for each country; undefined if nothing is known in any. */
function describeMissing(
  snapshot: Snapshot,
  countries: readonly Country[],
  typed: string,
): readonly ParameterFault[] | undefined {
  const withdrawn = listWithdrawn(snapshot, countries, typed).map((code) => withdrawnFault(snapshot, code, typed));
  const inferred = countries.flatMap((country) => inferMissing(snapshot, country, typed) ?? []);
  const faults = [...withdrawn, ...inferred.map((town) => inferredFault(town, typed))];
  return faults.length === 0 ? undefined : faults.slice(0, MAX_FOUND_COUNTRIES);
}

function withdrawnFault({ release: served }: Snapshot, withdrawn: WithdrawnPostcode, typed: string): ParameterFault {
  const { postcode, countryCode, release, placeName } = withdrawn;
  const message = `postcode ${JSON.stringify(typed)} is withdrawn: since release ${release}, ${countryCode} has no ${postcode}, which ${placeName} had`;
  return { param: 'postcode', message, expected: `a code of ${countryCode} in release ${served}`, withdrawn };
}

function inferredFault(town: InferredTown, typed: string): ParameterFault {
  const inferred = describeInferred(town);
  const { countryCode, placeName, city } = inferred;
  const where = placeName === city ? placeName : `${placeName}, ${city}`;
  const message = `postcode ${JSON.stringify(typed)} is inferred: the data of ${countryCode} lack it, and the codes around it belong to ${where}`;
  return { param: 'postcode', message, expected: `a code that the data of ${countryCode} have`, inferred };
}

/** Adds the places of a code, one JSON object. */
function addPostcode(
  out: ByteSink,
  country: string,
  { match: { postcode, places }, structures, fullCode }: FoundInCountry,
  include: Include,
): void {
  out.add(`{"countryCode":"${country}","postcode":${jsonByteString(postcode)},"places":[`);
  const shown = places.length > MAX_POSTCODE_PLACES ? places.subarray(0, MAX_POSTCODE_PLACES) : places;
  addPlaceDetails(out, structures, shown, include, fullCode);
  out.add(']}');
}

/* The places of a postal code in every country that has it, or in some countries: the likeliest country first. */

/** Maximum number of countries in a response. The commonest code of the release of 2026-03 is of 15. */
export const MAX_FOUND_COUNTRIES = 20;

interface FindPostcodesRequest {
  /** In the contract's normal form. */
  readonly postcode: string;
  /** Undefined for all countries, in which only the strict rules apply. */
  readonly country: readonly string[] | undefined;
  readonly include?: Include;
}

/** POSTCODE_NOT_FOUND says of these countries in which a code is withdrawn, or else in which it is in a town's block. */
export function findPostcodes(
  snapshot: Snapshot,
  { postcode, country: codes, include }: FindPostcodesRequest,
): DataWriter {
  const countries = codes?.map((code) => findCountryWithData(snapshot, code));
  const list = listFoundPostcodes(snapshot, postcode, countries);
  if (list.length === 0) {
    const asked = countriesOfLookup(snapshot, postcode, countries) ?? snapshot.countries;
    throw postcodeNotFound(codes?.join(', ') ?? 'any country', postcode, describeMissing(snapshot, asked, postcode));
  }
  const shown = list.slice(0, MAX_FOUND_COUNTRIES);
  return (out) => {
    for (const [index, { country, found }] of shown.entries()) {
      out.add(index === 0 ? '[' : ',');
      addPostcode(out, country.entry.code, found, include);
    }
    out.add(']');
  };
}
