/**
 * What a model should ask instead, for each reason why a tool has no answer. The advice is made of the same snapshot, so
 * it names only what is there. It costs a few lookups, whose number the length of a postal code bounds.
 */

import type { PostcodeCheck, Release, Suggestion } from '../../clients/typescript/src/types.js';
import { type Lookup, lookupHas } from '../../src/api/description/bind-lookup.js';
import { MAX_NEARBY_RADIUS_KM } from '../../src/core/answers/nearby.js';
import type { DomainError } from '../../src/core/lookup/domain-error.js';
import type { InferredPostcode } from '../../src/core/lookup/inferred-postcode.js';
import { ANY_COUNTRY } from '../../src/core/lookup/reverse.js';
import type { Ask } from './tools.js';

/** Maximum number of similar codes that the advice names. */
const MAX_SIMILAR_CODES = 5;
/** Maximum number of countries whose codes the advice describes. */
const MAX_ADVISED_COUNTRIES = 3;
/** Minimum length in characters of the start that similar codes share: the API suggests nothing for less. */
const MIN_SHARED_LENGTH = 2;

/** The sentences about an error, the reason first. */
export function adviseOnFailure(error: DomainError, ask: Ask, given: Lookup): string[] {
  const reasons = new Set([error.message, ...(error.details ?? []).map(({ message }) => message)]);
  return [...reasons, ...adviceOn(error, ask, given)].map((text) => (/[.?]$/.test(text) ? text : `${text}.`));
}

function adviceOn({ code, details }: DomainError, ask: Ask, given: Lookup): string[] {
  switch (code) {
    case 'VALIDATION_FAILED':
    case 'RELEASE_NOT_FOUND':
    case 'NO_POSTCODE_DATA':
      return [];
    case 'COUNTRY_NOT_FOUND':
      return details === undefined ? ['postal_suggest with kinds=country finds the code of a country by its name'] : [];
    case 'PLACE_NOT_FOUND':
      return ['postal_suggest finds places by name, with their ids'];
    case 'NO_NEARBY_PLACE':
      return adviceOnPosition(given);
    case 'POSTCODE_NOT_FOUND': {
      const towns = (details ?? []).flatMap(({ inferred }) => inferred ?? []);
      return towns.length > 0 ? towns.map(adviceOnTown) : adviceOnCode(ask, given);
    }
  }
}

/** The sentences about countries that the data lacks; `absent` says which. */
export function adviseOnAbsentCountries(absent: string, ask: Ask): string[] {
  const codes = ask<Release>('getRelease', {}).countries.map(({ code }) => code);
  return [`${absent}.`, `The data has these countries: ${codes.join(', ')}.`];
}

function adviceOnPosition(given: Lookup): string[] {
  const further = `postal_nearby looks up to ${MAX_NEARBY_RADIUS_KM} km away, with radiusKm`;
  const isAnywhere = lookupHas(given, 'country') && String(given.country).toLowerCase() === ANY_COUNTRY;
  return isAnywhere ? [further] : [`country=${ANY_COUNTRY} looks in all countries`, further];
}

function adviceOnTown({ countryCode, placeId, placeName }: InferredPostcode): string {
  return `postal_place with country ${countryCode} and id ${placeId} describes ${placeName}`;
}

/** Of each country that was asked for: the format of its codes, and the codes that begin most like the one sent. */
function adviceOnCode(ask: Ask, { country, postcode }: Lookup): string[] {
  if (country == null) return ['Ask with country if you know it: the answer then names similar codes'];
  const countries = String(country).toUpperCase().split(',').slice(0, MAX_ADVISED_COUNTRIES);
  return countries.flatMap((code) => {
    const { format, example } = ask<PostcodeCheck>('checkPostcode', { country: code, postcode });
    const form = format === null ? '' : ` (${format}; # is a digit, @ a letter)`;
    const similar = similarCodes(ask, code, String(postcode));
    return [
      `Codes of ${code} look like ${example}${form}`,
      ...(similar.length === 0 ? [] : [`Similar codes of ${code}: ${similar.join(', ')}`]),
    ];
  });
}

function similarCodes(ask: Ask, country: string, postcode: string): string[] {
  const characters = [...postcode.trim()];
  for (let length = characters.length; length >= MIN_SHARED_LENGTH; length--) {
    const q = characters.slice(0, length).join('').trim();
    if ([...q].length < MIN_SHARED_LENGTH || !/[\p{L}\p{N}]/u.test(q)) continue;
    const found = ask<Suggestion[]>('autocomplete', { q, country, kinds: 'postcode', limit: MAX_SIMILAR_CODES });
    if (found.length > 0) return found.map(({ postalCode, name }) => postalCode ?? name);
  }
  return [];
}
