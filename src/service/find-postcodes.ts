/**
 * The places of a postal code in every country that has it, or in some countries: the likeliest country first. What is
 * spelled as typed is likelier than what differs in spaces and hyphens, and that is likelier than what a rule finds
 * (postcode-rules.ts); then the country with more inhabitants is likelier.
 */
import { compactPostcode, plainPostcode } from '../format/postcode.js';
import type { Country, Snapshot } from '../store/snapshot.js';
import { DomainError } from './domain-error.js';
import { findCountry, structuresOf } from './find-country.js';
import { addPostcode } from './find-postcode.js';
import type { Include } from './place-detail.js';
import { lookUpEverywhere, lookUpPostcode, type ResolvedPostcode } from './postcode-candidates.js';
import type { DataWriter } from './response-data.js';

/** Maximum number of countries in a response. The commonest code of the release of 2026-03 is of 15. */
export const MAX_FOUND_COUNTRIES = 20;

interface FindPostcodesRequest {
  /** In the contract's normal form. */
  readonly postcode: string;
  /** Undefined for all countries, in which only the strict rules apply. */
  readonly country: readonly string[] | undefined;
  readonly include?: Include;
}

export interface FoundPostcode {
  readonly country: Country;
  readonly found: ResolvedPostcode;
}

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or POSTCODE_NOT_FOUND. */
export function findPostcodes(
  snapshot: Snapshot,
  { postcode, country: codes, include }: FindPostcodesRequest,
): DataWriter {
  const list = codes === undefined ? lookUpEverywhere(snapshot, postcode) : lookUpIn(snapshot, codes, postcode);
  if (list.length === 0) {
    const where = codes === undefined ? 'any country' : codes.join(', ');
    throw new DomainError('POSTCODE_NOT_FOUND', `No place in ${where} uses the postcode ${JSON.stringify(postcode)}.`);
  }
  const shown = sortByLikelihood(list, postcode).slice(0, MAX_FOUND_COUNTRIES);
  return (out) => {
    for (const [index, { country, found }] of shown.entries()) {
      out.add(index === 0 ? '[' : ',');
      addPostcode(out, country.entry.code, found, include);
    }
    out.add(']');
  };
}

/** A code in normal form in every country that has it, the likeliest first; empty if none has it. */
export function listFoundPostcodes(snapshot: Snapshot, postcode: string): FoundPostcode[] {
  return sortByLikelihood(lookUpEverywhere(snapshot, postcode), postcode);
}

function lookUpIn(snapshot: Snapshot, codes: readonly string[], postcode: string): FoundPostcode[] {
  const countries = codes.map((code) => {
    const country = findCountry(snapshot, code);
    structuresOf(country);
    return country;
  });
  return countries.flatMap((country) => {
    const found = lookUpPostcode(snapshot, country, postcode);
    return found === undefined ? [] : { country, found };
  });
}

function sortByLikelihood(list: readonly FoundPostcode[], postcode: string): FoundPostcode[] {
  const compact = [postcode, plainPostcode(postcode)].map(compactPostcode);
  /** 0 if spelled as typed, 1 if equal without spaces and hyphens, 2 if found by a rule. */
  const distanceOf = ({ country, found: { match, structures } }: FoundPostcode): number => {
    if (structures !== country.structures) return 2;
    if (match.postcode === postcode) return 0;
    return compact.includes(compactPostcode(match.postcode)) ? 1 : 2;
  };
  return list
    .map((one) => ({ ...one, distance: distanceOf(one) }))
    .sort(
      (a, b) =>
        a.distance - b.distance ||
        b.country.entry.population - a.country.entry.population ||
        a.country.number - b.country.number,
    );
}
